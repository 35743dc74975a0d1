import Networking

/// The routes of a mocked backend, which can be changed while it runs.
///
/// ```swift
/// let id = try server.routes.add(Route(.get, "/boards", .status(503)).priority(1))
/// try server.routes.replace(id, with: Route(.get, "/boards", .json([])))
/// for entry in server.routes.all { print(entry.id, entry.hits, entry.description) }
/// server.routes.remove(id)
/// ```
///
/// Each change is one atomic step: a request finds the routes before it or those after it. A request
/// whose head has been received keeps the routes that it has found, so an old route may still respond
/// to it. A change takes time in proportion to the length of the route's path, not to the number of
/// routes. All members may be used from any thread.
///
/// A provider with a closure has no routes, and none can be added.
public struct MockRoutes: Sendable {
  /// A route of a backend.
  public struct Entry: Sendable, CustomStringConvertible {
    /// The identifier.
    public let id: RouteID
    /// The route.
    public let route: Route
    /// The number of requests that the route has been chosen for, since it was added and since the last
    /// ``RequestJournal/reset()``.
    public let hits: Int
    /// Whether requests find the route; see ``MockRoutes/setEnabled(_:_:)``.
    public let isEnabled: Bool

    /// The place in a stub file from which the route was read.
    ///
    /// `nil` for a route that was created in code or read from a recording.
    public var source: RouteSource? { route.source }
    /// The method, the template and the conditions on one line, with secrets masked.
    public var description: String { route.description }

    let registered: RegisteredRoute

    init(_ entry: RegisteredRoute) {
      registered = entry
      id = entry.id
      route = entry.route
      hits = entry.useCount
      isEnabled = entry.isEnabled
    }
  }

  /// The place of a new route among the routes with the same priority.
  public enum Place: Sendable, Hashable {
    /// Before all others.
    case first
    /// After all others.
    case last
  }

  let registry: @Sendable () throws(MockServerError) -> StubRegistry
  /// Checks new routes.
  private let check: @Sendable ([Route]) throws(MockServerError) -> Void

  init(
    check: @escaping @Sendable ([Route]) throws(MockServerError) -> Void = { _ in },
    registry: @escaping @Sendable () throws(MockServerError) -> StubRegistry
  ) {
    self.registry = registry
    self.check = check
  }

  /// The registry, or `nil` if the backend has no valid routes.
  var current: StubRegistry? { try? registry() }

  // MARK: Reading

  /// The routes in the order in which they are tried.
  ///
  /// Empty if the backend has no routes, or if one of its initial routes is malformed.
  public var all: [Entry] { current?.entries.map(Entry.init) ?? [] }

  /// The number of routes.
  public var count: Int { current?.count ?? 0 }

  /// The route with an identifier, or `nil` if there is none.
  ///
  /// - Parameter id: The identifier.
  public subscript(id: RouteID) -> Entry? { current?[id].map(Entry.init) }

  /// Returns the routes that are nearest to a request, the nearest one first.
  ///
  /// The search takes a limited time. Of a backend with many routes it compares those whose paths have
  /// an equal or similar segment.
  ///
  /// - Parameters:
  ///   - request: The request, such as that of a ``JournalEntry`` without a ``JournalEntry/stub``.
  ///   - count: The maximum number of routes, at most 20.
  /// - Returns: The routes with their differences from the request. A route that matches the request
  ///   now has none.
  public func nearMisses(for request: ReceivedRequest, count: Int = 3) -> [NearMiss] {
    guard count > 0 else { return [] }
    return current?.nearMisses(for: request, count: min(count, 20)) ?? []
  }

  // MARK: Changing

  /// Adds a route.
  ///
  /// - Parameters:
  ///   - route: The route.
  ///   - place: The place among the routes with the same priority. The first route that matches a
  ///     request responds, so a route at ``Place/first`` overrides others.
  /// - Returns: The identifier: that of ``Route/id(_:)``, or a new one.
  /// - Throws: ``MockServerError/invalidTemplate(_:reason:)`` or
  ///   ``MockServerError/invalidPattern(_:reason:)`` if the route is malformed,
  ///   ``MockServerError/duplicateRoute(_:)`` if another route has its identifier,
  ///   ``MockServerError/reservedPath(_:)`` if it is below the path of the admin API of the server, and
  ///   ``MockServerError/noRoutes`` for a provider with a closure.
  @discardableResult
  public func add(_ route: Route, at place: Place = .last) throws(MockServerError) -> RouteID {
    try check([route])
    let registry = try registry()
    let added = try registry.update { table throws(MockServerError) in
      try table.add([route], at: place)
    }
    return added[0].id
  }

  /// Adds several routes in one step.
  ///
  /// If one of them is malformed, none is added.
  ///
  /// - Parameters:
  ///   - routes: The routes in order.
  ///   - place: The place among the routes with the same priority.
  /// - Returns: The identifiers in order.
  /// - Throws: The errors of ``add(_:at:)-(Route,_)``.
  @discardableResult
  public func add(_ routes: [Route], at place: Place = .last) throws(MockServerError) -> [RouteID] {
    try check(routes)
    let registry = try registry()
    let added = try registry.update { table throws(MockServerError) in
      try table.add(routes, at: place)
    }
    return added.map(\.id)
  }

  /// Replaces a route by another one.
  ///
  /// The new route has the identifier and the place of the old one, unless its priority differs. Its
  /// hits, its limit of responses and its sequences start anew.
  ///
  /// - Parameters:
  ///   - id: The identifier of the old route.
  ///   - route: The new route. Its own identifier is ignored.
  /// - Throws: ``MockServerError/unknownRoute(_:)`` if there is no such route, and the errors of a
  ///   malformed route. The old route is then kept.
  public func replace(_ id: RouteID, with route: Route) throws(MockServerError) {
    try check([route])
    let registry = try registry()
    let (old, _) = try registry.update { table throws(MockServerError) in
      try table.replace(id, with: route)
    }
    registry.scenarios.forget(old)
    old.route.resources.storage?.saveChanges()
  }

  /// Removes a route.
  ///
  /// - Parameter id: The identifier.
  /// - Returns: Whether there was such a route.
  @discardableResult
  public func remove(_ id: RouteID) -> Bool {
    guard let registry = current, let removed = registry.update({ $0.remove(id) }) else {
      return false
    }
    registry.scenarios.forget(removed)
    removed.route.resources.storage?.saveChanges()
    return true
  }

  /// Turns a route on or off.
  ///
  /// A route that is off stays in the list and keeps its place, but requests do not find it.
  ///
  /// - Parameters:
  ///   - id: The identifier.
  ///   - isEnabled: Whether requests find the route.
  /// - Throws: ``MockServerError/unknownRoute(_:)`` if there is no such route.
  public func setEnabled(_ id: RouteID, _ isEnabled: Bool) throws(MockServerError) {
    let registry = try registry()
    try registry.update { table throws(MockServerError) in try table.setEnabled(isEnabled, id) }
  }

  /// Restarts all routes: scenarios return to their initial states, the limits of responses and the
  /// sequences start anew, and the initial data of resources is restored.
  ///
  /// The journal and the hits are kept; ``RequestJournal/reset()`` resets them.
  public func reset() {
    guard let registry = current else { return }
    registry.scenarios.reset()
    for storage in routeStorages { storage.reset() }
  }

  /// The data of all resources, each once, in the order in which their routes were registered.
  var routeStorages: [any RouteStorage] {
    var known: Set<ObjectIdentifier> = []
    return (current?.entries ?? []).sorted { $0.number < $1.number }
      .compactMap(\.route.resources.storage).filter { known.insert(ObjectIdentifier($0)).inserted }
  }
}

extension MockRoutes: BrieflyDescribed {
  /// The number of routes: `MockRoutes(routes: 3)`.
  public var description: String { "MockRoutes(\(summary))" }

  /// The number of routes, unless a closure chooses the mocks.
  var summary: String { current.map { "routes: \($0.count)" } ?? "closure" }
}
