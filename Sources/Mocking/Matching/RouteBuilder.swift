/// Lists routes, with conditions and loops.
@resultBuilder
public enum RouteBuilder {
  /// One route.
  public static func buildExpression(_ route: Route) -> [Route] { [route] }
  /// Routes made elsewhere.
  public static func buildExpression(_ routes: [Route]) -> [Route] { routes }
  /// One after the other.
  public static func buildBlock(_ parts: [Route]...) -> [Route] { parts.flatMap { $0 } }
  /// An `if` without `else`.
  public static func buildOptional(_ part: [Route]?) -> [Route] { part ?? [] }
  /// An `if`.
  public static func buildEither(first part: [Route]) -> [Route] { part }
  /// An `else`.
  public static func buildEither(second part: [Route]) -> [Route] { part }
  /// A loop.
  public static func buildArray(_ parts: [[Route]]) -> [Route] { parts.flatMap { $0 } }
}
