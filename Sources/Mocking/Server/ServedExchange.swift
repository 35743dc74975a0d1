/// What came of a request that a ``MockServer`` has received.
public struct ServedExchange: Sendable, Hashable {
  /// How an exchange ended.
  public enum Ending: String, Sendable, Hashable {
    /// The response was sent in full.
    case complete
    /// The server closed the connection before: by a fault, or because it was stopped.
    case closed
    /// The server reset the connection, by a fault.
    case reset
    /// The response stays away for good, by a fault.
    case stalled
    /// The client left before it had its answer.
    case aborted
  }

  /// The request; nil for one that was refused as malformed or too large.
  public let request: ReceivedRequest?
  /// The status sent; nil when not one byte of the answer was.
  public let status: Int?
  /// How many bytes were sent behind the head: the body, in its framing.
  public let bodyByteCount: Int
  /// The time from when the request was complete, on the server's ``Scheduler``.
  public let duration: Duration
  /// How it ended.
  public let ending: Ending
}
