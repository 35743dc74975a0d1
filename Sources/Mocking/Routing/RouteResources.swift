/// The resources of a route.
package struct RouteResources: Sendable {
  /// The data that the route shares with other routes, if it is a route of a resource.
  package var storage: (any RouteStorage)?
  /// The resources that the templates of the route read and change, and whose clients have variables,
  /// scenarios, counters and sequences of their own.
  ///
  /// `nil` in a route that is not registered uses ``storage``, or the first resources of the backend.
  package var used: (any RouteStorage)?
  /// The path of the resource to whose routes the route belongs.
  package var path: String?
}

/// The data of the routes of a resource.
///
/// All routes of the resource refer to the same object.
package protocol RouteStorage: RequestResources {
  /// Returns the client of a request, and these resources.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - values: The random values of the backend, for the cookie of a new client.
  /// - Returns: The session.
  func session(for request: ReceivedRequest, _ values: () -> TemplateValues) -> RequestSession
  /// Returns a hint for a path that no route has, or `nil`.
  func hint(for path: [String]) -> String?
  /// Restores the initial data.
  func reset()
}
