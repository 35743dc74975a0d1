/// A closed connection of a ``MockServer``.
///
/// ```swift
/// let closed = try await server.closing(ofConnection: 0).value
/// print(closed.closedBy, closed.completedExchanges, closed.wasAborted)   // client 1 false
/// ```
public struct ClosedConnection: Sendable, Hashable {
  /// The side that closed a connection.
  public enum Side: Sendable, Hashable {
    /// The client closed or reset the connection, or the connection broke.
    case client
    /// The server closed the connection: after the last response, because of a fault, or because
    /// the server was stopped.
    case server
  }

  /// The index of the connection, from 0 in the order of acceptance.
  public let index: Int
  /// The number of responses that were sent completely.
  public let completedExchanges: Int
  /// The side that closed the connection.
  public let closedBy: Side
  /// Whether the connection closed during an exchange: after the first byte of a request, and
  /// before the end of its response.
  public let wasInsideExchange: Bool

  /// Whether the client closed the connection during an exchange.
  public var wasAborted: Bool { closedBy == .client && wasInsideExchange }
}
