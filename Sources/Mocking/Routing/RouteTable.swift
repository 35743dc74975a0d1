package import Networking

/// The routes of a server, transport or provider, with an index by path and method.
///
/// The table finds the routes whose method and path match a request. Their conditions are checked
/// by ``StubRegistry``. Routes with a higher priority come first. Routes with the same priority have
/// the order of their positions.
package struct RouteTable: Sendable {
  enum Outcome {
    /// The routes for this method and path, in order of preference; never empty.
    ///
    /// Their conditions have not been checked. Routes after the first one without conditions are
    /// left out, because they cannot be chosen.
    case routes([Candidate], path: ReceivedPath)
    /// A response that no route handles, such as a 405, and the path. The path has no segments if
    /// it is malformed.
    indirect case response(Mock, path: ReceivedPath)
    /// No route matches the path.
    case unmatched(path: ReceivedPath)

    var path: ReceivedPath {
      switch self {
      case .routes(_, let path), .response(_, let path), .unmatched(let path): path
      }
    }

    /// Whether a route for exactly `OPTIONS` matches the path, other than one of a recording.
    var hasRouteForOptions: Bool {
      guard case .routes(let candidates, _) = self else { return false }
      return candidates.contains {
        $0.entry.route.method == .options && !$0.entry.route.responder.isRecorded
      }
    }

    /// Whether the request is forwarded, so that its body can be sent on while it is received.
    var forwardsBody: Bool {
      guard case .routes(let candidates, _) = self, let first = candidates.first?.entry.route else {
        return false
      }
      // A preparation needs the whole body.
      return first.isUnconditional && first.responder.server != nil
        && first.responder.preparation == nil
    }

    /// Whether the request body can be discarded.
    var discardsBody: Bool {
      guard case .routes(let candidates, _) = self else { return false }
      return candidates.allSatisfy { $0.entry.route.responder.discardsBody }
    }

    /// Whether a route may read the request body.
    var readsBody: Bool {
      guard case .routes(let candidates, _) = self else { return false }
      return candidates.contains { $0.entry.route.readsBody }
    }

    /// Returns whether the preparation of a route takes long for a request, even if its body is small.
    func isPreparationLong(for request: ReceivedRequest) -> Bool {
      guard case .routes(let candidates, _) = self else { return false }
      return candidates.contains {
        $0.entry.route.responder.isPreparationLong?(request) == true
      }
    }
  }

  /// A route whose template matches.
  struct Candidate: Sendable {
    let entry: RegisteredRoute
    /// The segments of the request's path that the template matches.
    let segments: [String]

    /// The values of the variables.
    var variables: [String: String] { entry.template.variables(in: segments) }
  }

  private(set) var index = RouteIndex()
  private var routesByID: [RouteID: RegisteredRoute] = [:]
  /// The number of routes for each method, for `OPTIONS *`.
  private var methodCounts: [HTTPMethod: Int] = [:]
  let numbers: RouteNumbers
  /// The resources of the first route that has some.
  private(set) var resources: (any RouteStorage)?
  private var firstPosition = 0
  private var lastPosition = -1

  /// Creates a table without routes.
  package init() {
    numbers = RouteNumbers()
  }

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - routes: The routes.
  ///   - numbers: The numbers of the routes of the backend.
  /// - Throws: ``MockServerError`` for the first malformed template or regular expression, or for two
  ///   routes with the same identifier.
  init(_ routes: [Route], numbers: RouteNumbers = RouteNumbers()) throws(MockServerError) {
    self.numbers = numbers
    try add(routes, at: .last)
  }

  /// The number of routes.
  var count: Int { routesByID.count }

  /// The routes in order of preference.
  var entries: [RegisteredRoute] { routesByID.values.sorted { $0.precedes($1) } }

  subscript(id: RouteID) -> RegisteredRoute? { routesByID[id] }

  // MARK: Changing

  /// Adds routes, or none of them if one is malformed.
  ///
  /// - Returns: The added routes in order.
  @discardableResult
  mutating func add(
    _ routes: [Route], at place: MockRoutes.Place
  ) throws(MockServerError) -> [RegisteredRoute] {
    // Routes without an identifier must not take that of a later route.
    var ids: Set<RouteID> = []
    for case let id? in routes.map(\.id) {
      guard routesByID[id] == nil, ids.insert(id).inserted else { throw .duplicateRoute(id) }
    }
    if resources == nil {
      resources = routes.lazy.compactMap { $0.resources.storage ?? $0.resources.used }.first
    }
    var added: [RegisteredRoute] = []
    added.reserveCapacity(routes.count)
    let start = place == .last ? lastPosition + 1 : firstPosition - routes.count
    for (offset, route) in routes.enumerated() {
      added.append(
        try registered(route, id: route.id, at: start + offset, reserved: ids))
    }
    for entry in added { insert(entry) }
    if place == .last { lastPosition += routes.count } else { firstPosition -= routes.count }
    return added
  }

  /// Replaces a route by another one with the same identifier at the same position.
  ///
  /// - Returns: The old and the new route.
  mutating func replace(
    _ id: RouteID, with route: Route
  ) throws(MockServerError) -> (old: RegisteredRoute, new: RegisteredRoute) {
    guard let old = routesByID[id] else { throw .unknownRoute(id) }
    let new = try registered(route, id: id, at: old.position)
    new.isEnabled = old.isEnabled
    remove(id)
    insert(new)
    return (old, new)
  }

  /// Removes a route; returns it, or `nil` if there is none.
  @discardableResult
  mutating func remove(_ id: RouteID) -> RegisteredRoute? {
    guard let entry = routesByID.removeValue(forKey: id) else { return nil }
    if entry.isEnabled { removeFromIndex(entry) }
    return entry
  }

  /// Includes a route in the search for the routes of requests, or leaves it out.
  ///
  /// A route that is left out keeps its place.
  mutating func setEnabled(_ isEnabled: Bool, _ id: RouteID) throws(MockServerError) {
    guard let entry = routesByID[id] else { throw .unknownRoute(id) }
    guard entry.isEnabled != isEnabled else { return }
    if !isEnabled { removeFromIndex(entry) }
    entry.isEnabled = isEnabled
    if isEnabled { addToIndex(entry) }
  }

  /// Adds a route again that has been removed, at its old place.
  mutating func restore(_ entry: RegisteredRoute) throws(MockServerError) {
    guard routesByID[entry.id] == nil else { throw .duplicateRoute(entry.id) }
    insert(entry)
  }

  private func registered(
    _ route: Route, id: RouteID?, at position: Int, reserved: Set<RouteID> = []
  ) throws(MockServerError) -> RegisteredRoute {
    // The pattern of a route has parsed its template.
    let template =
      if case .success(let template)? = route.pattern.pathPattern { template } else {
        try PathTemplate(route.template)
      }
    if let validationError = route.pattern.validationError { throw validationError }
    var route = route
    route.resources.used = route.resources.used ?? route.resources.storage ?? resources
    var number = numbers.next()
    if id == nil {
      while routesByID[RouteID(number: number)] != nil
        || reserved.contains(RouteID(number: number))
      { number = numbers.next() }
    }
    return RegisteredRoute(
      id: id ?? RouteID(number: number), route: route, template: template, number: number,
      position: position)
  }

  private mutating func insert(_ entry: RegisteredRoute) {
    routesByID[entry.id] = entry
    if entry.isEnabled { addToIndex(entry) }
  }

  private mutating func addToIndex(_ entry: RegisteredRoute) {
    index.insert(entry)
    if let method = entry.route.method { methodCounts[method, default: 0] += 1 }
  }

  private mutating func removeFromIndex(_ entry: RegisteredRoute) {
    index.remove(entry)
    guard let method = entry.route.method else { return }
    methodCounts[method, default: 1] -= 1
    if methodCounts[method] == 0 { methodCounts[method] = nil }
  }

  // MARK: Finding

  /// Adds a route, to be found by ``routes(for:_:)``.
  ///
  /// - Parameter route: The route.
  /// - Returns: Its identifier.
  /// - Throws: ``MockServerError`` for a malformed template.
  package mutating func add(_ route: Route) throws(MockServerError) -> RouteID {
    try add([route], at: .last)[0].id
  }

  /// Returns the identifiers of the routes for a method and a request target in order of preference,
  /// without a check of their conditions.
  ///
  /// A route for GET is also found for HEAD.
  package func routes(for method: HTTPMethod, _ target: String) -> [RouteID] {
    guard case .routes(let candidates, _) = find(method, target) else { return [] }
    return candidates.map(\.entry.id)
  }

  /// Finds the routes for a method and a request target.
  ///
  /// If the path matches a route but the method does not, the response is a 405 with an `Allow`
  /// field, or a 204 for OPTIONS. The response for a malformed path is a 400.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - target: The request target.
  ///   - base: The path of the client's base URL.
  /// - Returns: The routes, or the response.
  func find(_ method: HTTPMethod, _ target: String, below base: String = "") -> Outcome {
    find(method, target, RequestTarget(target), below: base)
  }

  /// Finds the routes for a method and a request target that has been parsed.
  func find(
    _ method: HTTPMethod, _ text: String, _ target: RequestTarget?, below base: String
  ) -> Outcome {
    if method == .options, text == "*" {
      return .response(
        allowResponse(Set(methodCounts.keys), status: 204), path: ReceivedPath(text: "*"))
    }
    guard let target else {
      return .response(
        .text("the path has a % without two hexadecimal digits\n", status: 400),
        path: ReceivedPath(text: text))
    }
    let path = ReceivedPath(text: String(target.path), target.segments, below: base)
    let leaves = leaves(for: path)
    let candidates = candidates(in: leaves, for: method)
    if !candidates.isEmpty { return .routes(candidates, path: path) }
    let methods = methods(in: leaves)
    guard !methods.isEmpty else { return .unmatched(path: path) }
    return .response(allowResponse(methods, status: method == .options ? 204 : 405), path: path)
  }

  /// Returns the response to a request that meets the conditions of no route, if its path has routes
  /// for other methods: a 405 with an `Allow` field, or a 204 for OPTIONS.
  ///
  /// A general route, such as one that refuses requests without a token, is no route for the method.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path.
  /// - Returns: The response, or `nil` if there is a route for the method.
  func disallowedResponse(_ method: HTTPMethod, _ path: ReceivedPath) -> Mock? {
    let leaves = leaves(for: path)
    let general = candidates(in: leaves, for: method)
    guard general.allSatisfy(\.entry.isGeneral) else { return nil }
    let methods = methods(in: leaves)
    guard !methods.isEmpty else { return nil }
    return allowResponse(methods, status: method == .options ? 204 : 405)
  }

  /// A leaf of the index, and the segments that its templates match.
  ///
  /// Templates that match the preferred segments are in another leaf for these.
  private typealias MatchedLeaf = (
    leaf: RouteIndex.Leaf, segments: [String], preferred: [String]?
  )

  /// Returns the leaves for a path after the base URL, and those for the whole path.
  ///
  /// A variable matches no segment of the base URL.
  private func leaves(for path: ReceivedPath) -> [MatchedLeaf] {
    guard path.baseCount > 0 else {
      return index.leaves(for: path.segments).leaves.map { ($0, path.segments, nil) }
    }
    let rest = path.segmentsAfterBase
    let whole = index.leaves(for: path.segments, literalCount: path.baseCount).leaves
    return index.leaves(for: rest).leaves.map { ($0, rest, nil) }
      + whole.map { ($0, path.segments, rest) }
  }

  /// Returns the routes for a method in order of preference, up to the first one without conditions.
  private func candidates(in leaves: [MatchedLeaf], for method: HTTPMethod) -> [Candidate] {
    func candidates(
      _ includes: (HTTPMethod?) -> Bool, where isWanted: (RegisteredRoute) -> Bool
    ) -> [Candidate] {
      self.candidates(in: leaves, includes, where: isWanted)
    }
    guard method == .head else { return candidates({ $0 == nil || $0 == method }) { _ in true } }
    // A route for GET precedes a route that forwards all methods.
    var found = candidates({ $0 == nil || $0 == .head }) { $0.route.responder.server == nil }
    if found.last?.entry.isUnconditional == true { return found }
    found += candidates({ $0 == .get }) { _ in true }
    if found.last?.entry.isUnconditional == true { return found }
    return found
      + candidates({ $0 == nil || $0 == .head }) { $0.route.responder.server != nil }
  }

  /// Returns the routes for some methods, up to the first one without conditions.
  private func candidates(
    in leaves: [MatchedLeaf], _ includes: (HTTPMethod?) -> Bool,
    where isWanted: (RegisteredRoute) -> Bool
  ) -> [Candidate] {
    var found: [Candidate] = []
    var listCount = 0
    for (leaf, segments, preferred) in leaves {
      for bucket in index[leaf].buckets where includes(bucket.method) {
        listCount += 1
        for entry in bucket.routes
        where isWanted(entry) && entry.template.meetsConstraints(segments)
          && preferred.map(entry.template.matches) != true
        {
          found.append(Candidate(entry: entry, segments: segments))
          if entry.isUnconditional { break }
        }
      }
    }
    guard listCount > 1 else { return found }
    found.sort { $0.entry.precedes($1.entry) }
    if let last = found.firstIndex(where: \.entry.isUnconditional) {
      found.removeLast(found.count - last - 1)
    }
    return found
  }

  /// Returns the methods of the routes, without those for all methods.
  private func methods(in leaves: [MatchedLeaf]) -> Set<HTTPMethod> {
    var methods: Set<HTTPMethod> = []
    for (leaf, segments, _) in leaves {
      for bucket in index[leaf].buckets {
        guard let method = bucket.method, !methods.contains(method),
          bucket.routes.contains(where: { $0.template.meetsConstraints(segments) })
        else { continue }
        methods.insert(method)
      }
    }
    return methods
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
