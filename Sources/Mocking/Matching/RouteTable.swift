import Networking

/// Finds the route of a request, or what to answer instead.
struct RouteTable: Sendable {
  enum Outcome {
    case route(Route, path: ReceivedPath)
    /// What to answer, and the path as far as it could be read.
    case answer(Mock, path: ReceivedPath)
    /// There is no route; what a server answers.
    case unmatched(Mock, path: ReceivedPath)

    var path: ReceivedPath {
      switch self {
      case .route(_, let path), .answer(_, let path), .unmatched(_, let path): path
      }
    }
  }

  private struct Entry {
    let route: Route
    let template: PathTemplate
  }

  private let entries: [Entry]

  init(_ routes: [Route]) throws(MockServerError) {
    var entries: [Entry] = []
    for route in routes {
      entries.append(Entry(route: route, template: try PathTemplate(route.template)))
    }
    self.entries = entries
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
    let matching = entries.filter { $0.template.match(target.segments) != nil }
    if let entry = matching.first(where: { $0.route.answers(method) })
      ?? matching.first(where: { method == .head && $0.route.answers(.get) }),
      let variables = entry.template.match(target.segments)
    {
      return .route(
        entry.route, path: ReceivedPath(text: String(target.path), target.segments, variables))
    }
    let path = ReceivedPath(text: String(target.path), target.segments)
    guard !matching.isEmpty else { return .unmatched(notFound(method, path), path: path) }
    let methods = Set(matching.compactMap(\.route.method))
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

  // MARK: Nothing found

  private func notFound(_ method: HTTPMethod, _ path: ReceivedPath) -> Mock {
    var lines = ["no route for \(method) \(path.text)"]
    if entries.isEmpty {
      lines.append("there are no routes")
    } else {
      lines.append("the nearest:")
      // By index, since a sort need not keep the order of equals.
      let ranked = entries.indices.map { index in
        (distance(entries[index], method, path.segments), index)
      }
      for (_, index) in ranked.sorted(by: <).prefix(3) {
        let route = entries[index].route
        lines.append("  \(route.method?.rawValue ?? "*") \(route.template)")
      }
    }
    return .text(lines.joined(separator: "\n") + "\n", status: 404)
  }

  /// How much would have to change for a route to match: segments weigh more than the method.
  private func distance(_ entry: Entry, _ method: HTTPMethod, _ path: [String]) -> Int {
    let segments = entry.template.segments
    var distance = entry.route.answers(method) ? 0 : 1
    for index in 0..<max(segments.count, path.count) {
      guard index < segments.count, index < path.count else {
        distance += 10
        continue
      }
      switch segments[index] {
      case .variable: distance += path[index].isEmpty ? 10 : 1
      case .rest: return distance + 1
      case .literal(let literal): distance += min(10, editDistance(literal, path[index]) * 2)
      }
    }
    return distance
  }

  private func editDistance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8.prefix(64)), Array(right.utf8.prefix(64)))
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in right.enumerated() {
        let change = diagonal + (a == b ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(change, row[j] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}

extension Route {
  fileprivate func answers(_ method: HTTPMethod) -> Bool {
    self.method.map { $0 == method } ?? true
  }
}
