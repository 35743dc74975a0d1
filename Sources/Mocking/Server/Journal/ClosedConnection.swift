/// How one of a ``MockServer``'s connections came to its end.
public struct ClosedConnection: Sendable, Hashable {
  /// Who closed a connection.
  public enum Side: Sendable, Hashable {
    /// The client closed or reset it, or it broke.
    case client
    /// The server did: as HTTP has it, by a fault, or because it was stopped.
    case server
  }

  /// Which of the server's connections it was, counted from 0 in the order accepted.
  public let index: Int
  /// How many responses were sent on it in full.
  public let completedExchanges: Int
  /// Who closed it.
  public let closedBy: Side
  /// Whether a request had come, in part or whole, whose response was not complete.
  public let wasInsideExchange: Bool

  /// Whether the client left before it had its answer.
  public var wasAborted: Bool { closedBy == .client && wasInsideExchange }
}
