import Networking

/// The routes of a server, transport or provider, sorted by priority.
///
/// The table finds the routes whose method and path match a request. Their conditions are checked
/// by ``StubRegistry``.
struct RouteTable: Sendable {
  enum Outcome {
    /// The routes for this method and path, in order of preference; never empty.
    ///
    /// Their conditions have not been checked.
    case routes([Candidate], path: ReceivedPath)
    /// A response that no route handles, such as a 405, and the path. The path has no segments if
    /// it is malformed.
    case response(Mock, path: ReceivedPath)
    /// No route matches the path.
    case unmatched(path: ReceivedPath)

    var path: ReceivedPath {
      switch self {
      case .routes(_, let path), .response(_, let path), .unmatched(let path): path
      }
    }

    /// Returns whether a route for exactly this method matches the path.
    func hasRoute(for method: HTTPMethod) -> Bool {
      guard case .routes(let candidates, _) = self else { return false }
      return candidates.contains { $0.entry.route.method == method }
    }

    /// Whether the request is forwarded, so that its body can be sent on while it is received.
    var forwardsBody: Bool {
      guard case .routes(let candidates, _) = self, let first = candidates.first?.entry.route else {
        return false
      }
      return first.isUnconditional && first.origin != nil
    }

    /// Whether the request body can be discarded.
    var discardsBody: Bool {
      guard case .routes(let candidates, _) = self else { return false }
      if let first = candidates.first?.entry.route, first.isUnconditional {
        return first.discardsBody
      }
      return candidates.allSatisfy { $0.entry.route.discardsBody }
    }
  }

  /// A route with its parsed template.
  struct Entry: Sendable {
    let route: Route
    let template: PathTemplate
    /// The index of the route in the list from which the table was created.
    let number: Int
  }

  /// A route whose template matches, with the values of its variables.
  struct Candidate: Sendable {
    let entry: Entry
    let variables: [String: String]
  }

  /// The routes, sorted by descending priority, then by number.
  let entries: [Entry]

  /// Parses the templates of the routes.
  ///
  /// - Throws: ``MockServerError`` for the first malformed template or regular expression.
  init(_ routes: [Route]) throws(MockServerError) {
    var entries: [Entry] = []
    for (number, route) in routes.enumerated() {
      let template = try PathTemplate(route.template)
      if let validationError = route.pattern.validationError { throw validationError }
      entries.append(Entry(route: route, template: template, number: number))
    }
    // Compares the numbers too, because `sorted` does not guarantee a stable order.
    self.entries = entries.sorted {
      ($1.route.rank, $0.number) < ($0.route.rank, $1.number)
    }
  }

  /// Finds the routes for a method and a request target.
  ///
  /// If the path matches a route but the method does not, the response is a 405 with an `Allow`
  /// field, or a 204 for OPTIONS. The response for a malformed path is a 400.
  func find(_ method: HTTPMethod, _ target: String) -> Outcome {
    if method == .options, target == "*" {
      return .response(
        allowResponse(Set(entries.compactMap(\.route.method)), status: 204),
        path: ReceivedPath(text: "*")
      )
    }
    guard let target = RequestTarget(target) else {
      return .response(
        .text("the path has a % without two hexadecimal digits\n", status: 400),
        path: ReceivedPath(text: target))
    }
    let matching = entries.compactMap { entry in
      entry.template.match(target.segments).map { Candidate(entry: entry, variables: $0) }
    }
    let path = ReceivedPath(text: String(target.path), target.segments)
    var candidates = matching.filter { $0.entry.route.accepts(method) }
    if method == .head {
      // A route for GET precedes a route that forwards all methods.
      let (mocked, forwarding) = (
        candidates.filter { $0.entry.route.origin == nil },
        candidates.filter { $0.entry.route.origin != nil }
      )
      candidates = mocked + matching.filter { $0.entry.route.method == .get } + forwarding
    }
    if !candidates.isEmpty { return .routes(candidates, path: path) }
    guard !matching.isEmpty else { return .unmatched(path: path) }
    let methods = Set(matching.compactMap(\.entry.route.method))
    return .response(allowResponse(methods, status: method == .options ? 204 : 405), path: path)
  }

  private func allowResponse(_ methods: Set<HTTPMethod>, status: Int) -> Mock {
    var methods = methods.union([.options])
    if methods.contains(.get) { methods.insert(.head) }
    let names = methods.map(\.rawValue).sorted().joined(separator: ", ")
    guard status != 204 else { return Mock(status: 204, headers: ["Allow": names]) }
    var response = Mock.text("this path allows only \(names)\n", status: status)
    response.headers["Allow"] = names
    return response
  }
}

extension Route {
  fileprivate func accepts(_ method: HTTPMethod) -> Bool {
    self.method.map { $0 == method } ?? true
  }
}

/// A path with variables, such as `/boards/{id}` or `/files/{rest*}`.
struct PathTemplate: Hashable {
  enum Segment: Hashable {
    case literal(String)
    case variable(String)
    /// A variable for all remaining segments; only the last segment of a template.
    case rest(String)
  }

  let text: String
  let segments: [Segment]

  init(_ text: String) throws(MockServerError) {
    func invalid(_ reason: String) -> MockServerError { .invalidTemplate(text, reason: reason) }
    guard text.hasPrefix("/") else { throw invalid("it does not begin with a slash") }
    guard !text.contains("?"), !text.contains("#") else {
      throw invalid("it contains a query or a fragment; use conditions for the query")
    }
    var segments: [Segment] = []
    var names: Set<String> = []
    for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      if case .rest = segments.last {
        throw invalid("a segment follows {name*}, which must be the last one")
      }
      guard part.contains("{") || part.contains("}") else {
        guard let literal = PercentDecoding.decode(part) else {
          throw invalid("a % is not followed by two hexadecimal digits")
        }
        segments.append(.literal(literal))
        continue
      }
      let isRest = part.hasSuffix("*}")
      let name = String(part.dropFirst().dropLast(isRest ? 2 : 1))
      guard part.hasPrefix("{"), part.hasSuffix("}"), !name.isEmpty,
        !name.contains(where: { "{}*".contains($0) })
      else {
        throw invalid(
          "\(part) is not a variable; a variable is a whole segment, {name} or {name*}")
      }
      guard names.insert(name).inserted else {
        throw invalid("the variable {\(name)} occurs twice")
      }
      segments.append(isRest ? .rest(name) : .variable(name))
    }
    self.text = text
    self.segments = segments
  }

  /// Returns the values of the variables, or `nil` if the path does not match.
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

  /// Returns the distance between a path and the template, for a path that does not match.
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

  /// Returns whether a path matches.
  ///
  /// - Parameters:
  ///   - path: The segments of the path.
  ///   - base: The path segments of the base URL, which a relative template extends. If there is no
  ///     base URL, or if the path does not start with its segments, a relative template matches the
  ///     end of the path.
  /// - Returns: `true` if the path matches.
  func matches(_ path: [String], base: [String]?) -> Bool {
    guard isRelative else { return template.match(path) != nil }
    if let base, path.starts(with: base) {
      return template.match(Array(path.dropFirst(base.count))) != nil
    }
    return path.indices.contains { template.match(Array(path[$0...])) != nil }
  }

  /// Returns the distance between a path and the pattern; 0 if the path matches.
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
