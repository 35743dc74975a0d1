import Networking

/// A request that a ``MockServer`` received, and the result of the exchange.
///
/// The `onExchange` handler of the server receives one for each request. The server does not store
/// them.
public struct ServedExchange: Sendable, Hashable {
  /// The end of an exchange.
  public enum Ending: String, Sendable, Hashable {
    /// The response was sent completely.
    case complete
    /// The server closed the connection before the end of the response, because of a fault or
    /// because the server was stopped.
    case closed
    /// The server reset the connection because of a fault.
    case reset
    /// The rest of the response is not sent because of a fault.
    case stalled
    /// The client closed the connection before it received the complete response.
    case aborted
  }

  /// The request, or `nil` if it was rejected as malformed or too large.
  public let request: ReceivedRequest?
  /// The status of the response, or `nil` if no byte of it was sent.
  public let status: Int?
  /// The number of bytes sent after the head, which are those of the body with its framing.
  public let bodyByteCount: Int
  /// The time from the end of the request to the end of the exchange, on the server's
  /// ``Scheduler``.
  public let duration: Duration
  /// The end of the exchange.
  public let ending: Ending
}

extension ServedExchange {
  /// An exchange in progress.
  struct Draft {
    let request: ReceivedRequest?
    let start: Duration
    var status = 0
    var headByteCount = 0

    init(request: ReceivedRequest?, start: Duration) {
      self.request = request
      self.start = start
    }
  }

  init(_ draft: Draft, _ ending: Ending, sentByteCount: Int, now: Duration) {
    request = draft.request
    status = sentByteCount > 0 ? draft.status : nil
    bodyByteCount = max(sentByteCount - draft.headByteCount, 0)
    duration = now - draft.start
    self.ending = ending
  }
}
