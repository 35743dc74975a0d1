/// Why a ``MockServer`` does not do what it was asked.
public enum MockServerError: Error, Hashable, Sendable {
  /// The port cannot be listened on: it is in use, or not ours to take.
  case cannotListen(port: Int, reason: String)
  /// The template of a route is malformed.
  case invalidTemplate(String, reason: String)
  /// A regular expression in a condition is malformed.
  case invalidPattern(String, reason: String)
  /// The connection closed so long ago that the server has forgotten how.
  case forgotten(connection: Int)
  /// The server has been stopped, so what was waited for will not come.
  case stopped
}

extension MockServerError: CustomStringConvertible {
  /// What is wrong, and with what.
  public var description: String {
    switch self {
    case .cannotListen(let port, let reason): "cannot listen on 127.0.0.1:\(port): \(reason)"
    case .invalidTemplate(let template, let reason):
      "the route \"\(template)\" is malformed: \(reason)"
    case .invalidPattern(let pattern, let reason):
      "the regular expression /\(pattern)/ is malformed: \(reason)"
    case .forgotten(let connection):
      "connection \(connection) has closed, and how is forgotten; see MockServerLimits"
    case .stopped: "the server has been stopped"
    }
  }
}
