/// The limits of a ``MockServer`` for requests, connections and its journal.
public struct MockServerLimits: Sendable, Hashable {
  /// The maximum length of a request line in bytes.
  ///
  /// A longer one is rejected with 414. The default is 16 KiB.
  public var requestLineBytes = 16 * 1024
  /// The maximum length of a head in bytes, including the request line, and of the trailers.
  ///
  /// A longer one is rejected with 431. The default is 64 KiB.
  public var headBytes = 64 * 1024
  /// The maximum number of header fields.
  ///
  /// More are rejected with 431. The default is 200.
  public var headerCount = 200
  /// The maximum length of a body in bytes, without chunk sizes and before content codings are removed.
  ///
  /// A longer one is rejected with 413, unless the route discards bodies. The default is 1 GiB. A body that
  /// a route may read is in memory, so it has at most ``totalBodyBytes``, too: 256 MiB by default. A body
  /// that no route reads is discarded while it is received.
  public var bodyBytes = 1024 * 1024 * 1024
  /// The maximum memory in bytes for the bodies of all requests that are received or have no complete
  /// response yet.
  ///
  /// It counts the bytes of the bodies. If a route may read the body, it also counts the decoded bytes of
  /// a body with content codings, and an estimate of its values: 3 KiB for each object of JSON, 256 bytes
  /// for each array, and 64 bytes for each other value and each field of a form. It is not exact: copies of texts that conditions and handlers make do not count, and while buffers grow
  /// there are two of them. The memory for bodies therefore stays below about three times the limit.
  ///
  /// A request that would need more is rejected with 503, or with 413 if it would need more than the
  /// limit alone. JSON of many small objects or numbers reaches the default at less than 1 MiB or 8 MiB. A body that only the
  /// journal would keep is discarded instead; see ``JournalEntry/isBodyKept``.
  ///
  /// The bodies in the journal do not count, nor those of requests for which mocks are enqueued once they
  /// are parsed. Requests of the admin API may use 8 MiB beyond the limit. The default is 256 MiB.
  public var totalBodyBytes = 256 * 1024 * 1024
  /// The limits of the ``MockServer/journal``.
  ///
  /// The maximum number of requests is also the maximum number of closed connections that are kept
  /// for ``MockServer/closing(ofConnection:)``. The default is 20,000 requests and 16 MiB of bodies.
  public var journal = JournalLimits(requests: 20_000)

  /// The maximum number of open connections, or `nil` for no limit.
  ///
  /// Further connections wait in the system's queue. They are accepted in order when others close.
  /// At least one connection is allowed. The default is `nil`.
  public var connections: Int?

  /// The time after which the server closes a connection that sends no bytes of a request, or `nil`
  /// for no limit.
  ///
  /// It is measured by the system's clock, not by the scheduler of the server. The time in which a
  /// response is made or sent does not count; ``sendTime`` limits it. The default is 5 minutes.
  public var idleTime: Duration? = .seconds(300)

  /// The time limit for a head, from its first bytes to its end, or `nil` for no limit.
  ///
  /// After that, the response is a 408 and the connection is closed. It is measured by the scheduler
  /// of the server. The default is 1 minute.
  public var headTime: Duration? = .seconds(60)

  /// The time after which the server closes a connection whose client reads no byte of a response that
  /// is waiting to be sent, or `nil` for no limit.
  ///
  /// A client that reads slowly, but reads, is not disconnected. It is measured by the system's clock,
  /// not by the scheduler of the server. The default is 1 minute.
  public var sendTime: Duration? = .seconds(60)

  /// Creates the default limits.
  public init() {}
}
