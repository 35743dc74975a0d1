import Networking

/// Finds the routes that may answer a request by its method and path, or what to answer instead.
struct RouteTable: Sendable {
  enum Outcome {
    /// Routes for this method and path, the first one first; never empty. Whether their conditions are met
    /// is another question.
    case routes([Candidate], path: ReceivedPath)
    /// What to answer, and the path as far as it could be read.
    case answer(Mock, path: ReceivedPath)
    /// There is no route.
    case unmatched(path: ReceivedPath)

    var path: ReceivedPath {
      switch self {
      case .routes(_, let path), .answer(_, let path), .unmatched(let path): path
      }
    }

    /// Whether the routes drop the body of the request.
    var discardsBody: Bool {
      guard case .routes(let candidates, _) = self else { return false }
      if let first = candidates.first?.entry.route, first.isPlain { return first.discardsBody }
      return candidates.allSatisfy { $0.entry.route.discardsBody }
    }
  }

  struct Entry: Sendable {
    let route: Route
    let template: PathTemplate
    /// Which of all routes it is, in the order written.
    let number: Int
  }

  struct Candidate: Sendable {
    let entry: Entry
    let variables: [String: String]
  }

  /// Those of a higher priority first.
  let entries: [Entry]

  init(_ routes: [Route]) throws(MockServerError) {
    var entries: [Entry] = []
    for (number, route) in routes.enumerated() {
      let template = try PathTemplate(route.template)
      if let flaw = route.pattern.flaw { throw flaw }
      entries.append(Entry(route: route, template: template, number: number))
    }
    // By number too, since a sort need not keep the order of equals.
    self.entries = entries.sorted {
      ($1.route.rank, $0.number) < ($0.route.rank, $1.number)
    }
  }

  func find(_ method: HTTPMethod, _ target: String) -> Outcome {
    if method == .options, target == "*" {
      return .answer(
        allowing(Set(entries.compactMap(\.route.method)), status: 204),
        path: ReceivedPath(text: "*")
      )
    }
    guard let target = RequestTarget(target) else {
      return .answer(
        .text("the path has a % without two hexadecimal digits\n", status: 400),
        path: ReceivedPath(text: target))
    }
    let matching = entries.compactMap { entry in
      entry.template.match(target.segments).map { Candidate(entry: entry, variables: $0) }
    }
    let path = ReceivedPath(text: String(target.path), target.segments)
    var candidates = matching.filter { $0.entry.route.answers(method) }
    if method == .head { candidates += matching.filter { $0.entry.route.method == .get } }
    if !candidates.isEmpty { return .routes(candidates, path: path) }
    guard !matching.isEmpty else { return .unmatched(path: path) }
    let methods = Set(matching.compactMap(\.entry.route.method))
    return .answer(allowing(methods, status: method == .options ? 204 : 405), path: path)
  }

  private func allowing(_ methods: Set<HTTPMethod>, status: Int) -> Mock {
    var methods = methods.union([.options])
    if methods.contains(.get) { methods.insert(.head) }
    let names = methods.map(\.rawValue).sorted().joined(separator: ", ")
    guard status != 204 else { return Mock(status: 204, headers: ["Allow": names]) }
    var response = Mock.text("this path answers \(names) only\n", status: status)
    response.headers["Allow"] = names
    return response
  }
}

extension Route {
  fileprivate func answers(_ method: HTTPMethod) -> Bool {
    self.method.map { $0 == method } ?? true
  }
}
