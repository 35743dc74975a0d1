/// A result builder for a list of routes, which supports `if` and `for`.
///
/// ```swift
/// let server = try MockServer {
///   Route(.get, "/health", .status(200))
///   if isSignedIn { Route(.get, "/me", .json(["name": "Ada"])) }
///   for id in 1...3 { Route(.get, "/boards/\(id)", .json(["id": id])) }
/// }
/// ```
@resultBuilder
public enum RouteBuilder {
  /// Adds one route.
  public static func buildExpression(_ route: Route) -> [Route] { [route] }
  /// Adds a list of routes.
  public static func buildExpression(_ routes: [Route]) -> [Route] { routes }
  /// Joins the routes of several statements.
  public static func buildBlock(_ parts: [Route]...) -> [Route] { parts.flatMap { $0 } }
  /// Supports `if` without `else`.
  public static func buildOptional(_ part: [Route]?) -> [Route] { part ?? [] }
  /// Supports the `if` branch of an `if`-`else` statement.
  public static func buildEither(first part: [Route]) -> [Route] { part }
  /// Supports the `else` branch of an `if`-`else` statement.
  public static func buildEither(second part: [Route]) -> [Route] { part }
  /// Supports `for` loops.
  public static func buildArray(_ parts: [[Route]]) -> [Route] { parts.flatMap { $0 } }
}
