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

/// A path with variables: `/boards/{id}`, `/files/{rest*}`.
struct PathTemplate: Hashable {
  enum Segment: Hashable {
    case literal(String)
    case variable(String)
    /// The last: any number of segments.
    case rest(String)
  }

  let text: String
  let segments: [Segment]

  init(_ text: String) throws(MockServerError) {
    func invalid(_ reason: String) -> MockServerError { .invalidTemplate(text, reason: reason) }
    guard text.hasPrefix("/") else { throw invalid("it does not begin with a slash") }
    guard !text.contains("?"), !text.contains("#") else {
      throw invalid("a template is a path alone; a handler reads the query")
    }
    var segments: [Segment] = []
    var names: Set<String> = []
    for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      if case .rest = segments.last {
        throw invalid("something follows {…*}, which takes all the rest")
      }
      guard part.contains("{") || part.contains("}") else {
        guard let literal = PercentDecoding.decode(part) else { throw invalid("there is a lone %") }
        segments.append(.literal(literal))
        continue
      }
      let isRest = part.hasSuffix("*}")
      let name = String(part.dropFirst().dropLast(isRest ? 2 : 1))
      guard part.hasPrefix("{"), part.hasSuffix("}"), !name.isEmpty,
        !name.contains(where: { "{}*".contains($0) })
      else {
        throw invalid("\(part) is no variable; one takes a whole segment, as {name} or {name*}")
      }
      guard names.insert(name).inserted else { throw invalid("there are two variables {\(name)}") }
      segments.append(isRest ? .rest(name) : .variable(name))
    }
    self.text = text
    self.segments = segments
  }

  /// The variables' values; nil when the path does not match.
  func match(_ path: [String]) -> [String: String]? {
    guard matches(path) else { return nil }
    var variables: [String: String] = [:]
    for (index, segment) in segments.enumerated() {
      switch segment {
      case .literal: break
      case .variable(let name): variables[name] = path[index]
      case .rest(let name): variables[name] = path[index...].joined(separator: "/")
      }
    }
    return variables
  }

  private func matches(_ path: [String]) -> Bool {
    for (index, segment) in segments.enumerated() {
      switch segment {
      case .literal(let literal):
        guard index < path.count, path[index] == literal else { return false }
      case .variable: guard index < path.count, !path[index].isEmpty else { return false }
      case .rest: return index <= path.count
      }
    }
    return path.count == segments.count
  }
}

extension PathTemplate {
  /// How much of a path would have to change for it to match.
  func distance(from path: [String]) -> Int {
    var distance = 0
    for index in 0..<max(segments.count, path.count) {
      guard index < segments.count, index < path.count else {
        distance += 10
        continue
      }
      switch segments[index] {
      case .variable: distance += path[index].isEmpty ? 10 : 1
      case .rest: return distance + 1
      case .literal(let literal):
        distance += min(10, EditDistance.between(literal, path[index]) * 2)
      }
    }
    return distance
  }
}

/// A path template that may be relative.
struct PathPattern {
  let template: PathTemplate
  private let isRelative: Bool

  init(_ text: String) throws(MockServerError) {
    isRelative = !text.hasPrefix("/")
    template = try PathTemplate(isRelative ? "/" + text : text)
  }

  /// Whether a path matches.
  ///
  /// - Parameters:
  ///   - path: the path's segments.
  ///   - base: those of the base URL that a relative one starts from; nil when there is none.
  /// - Returns: whether it does.
  func matches(_ path: [String], base: [String]?) -> Bool {
    guard isRelative else { return template.match(path) != nil }
    if let base, path.starts(with: base) {
      return template.match(Array(path.dropFirst(base.count))) != nil
    }
    return path.indices.contains { template.match(Array(path[$0...])) != nil }
  }

  /// How much of a path would have to change for it to match; 0 when it does.
  func distance(from path: [String], base: [String]?) -> Int {
    if matches(path, base: base) { return 0 }
    guard isRelative else { return 1 + template.distance(from: path) }
    if let base, path.starts(with: base) {
      return 1 + template.distance(from: Array(path.dropFirst(base.count)))
    }
    let distances = path.indices.map { template.distance(from: Array(path[$0...])) }
    return 1 + (distances.min() ?? 0)
  }
}
