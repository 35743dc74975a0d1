/// An error of a ``MockServer`` or of a route.
public enum MockServerError: Error, Hashable, Sendable {
  /// The server cannot listen on the port: the port is in use or not permitted.
  case cannotListen(port: Int, reason: String)
  /// The path template of a route is malformed.
  case invalidTemplate(String, reason: String)
  /// A regular expression in a condition is malformed.
  case invalidPattern(String, reason: String)
  /// A JSON path in a condition is malformed.
  case invalidJSONPath(String, reason: String)
  /// Two routes have the same identifier.
  case duplicateRoute(RouteID)
  /// No route has this identifier.
  case unknownRoute(RouteID)
  /// The path of a route is below the path of the admin API.
  case reservedPath(String)
  /// The backend is a provider with a closure, which has no routes.
  case noRoutes
  /// The connection has closed, and the server has dropped its record of it.
  case forgotten(connection: Int)
  /// The server has been stopped, so the awaited event will not occur.
  case stopped
  /// TLS is not available, or OpenSSL rejects a certificate or a setting.
  case tlsFailed(reason: String)
}

extension MockServerError: CustomStringConvertible {
  /// A description of the error, with the value that caused it.
  public var description: String {
    switch self {
    case .cannotListen(let port, let reason): "cannot listen on 127.0.0.1:\(port): \(reason)"
    case .invalidTemplate(let template, let reason):
      "the route \"\(template)\" is malformed: \(reason)"
    case .invalidPattern(let pattern, let reason):
      "the regular expression /\(pattern)/ is malformed: \(reason)"
    case .invalidJSONPath(let path, let reason):
      "the JSON path \(path) is malformed: \(reason)"
    case .duplicateRoute(let id):
      "two routes have the identifier \(ReportFormatter.quoted(id.rawValue))"
    case .unknownRoute(let id):
      "no route has the identifier \(ReportFormatter.quoted(id.rawValue))"
    case .reservedPath(let path):
      "the path \(ReportFormatter.quoted(path)) is reserved for the admin API"
    case .noRoutes: "a provider with a closure has no routes; use MockProvider(routes:)"
    case .forgotten(let connection):
      "connection \(connection) has closed, and its record was dropped; see MockServerLimits"
    case .stopped: "the server has been stopped"
    case .tlsFailed(let reason): "TLS is not possible: \(reason)"
    }
  }
}
