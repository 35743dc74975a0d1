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
  /// The maximum length of a decoded body in bytes.
  ///
  /// A longer one is rejected with 413, unless the route discards bodies. The default is 1 GiB.
  public var bodyBytes = 1024 * 1024 * 1024
  /// The limits of the ``MockServer/journal``.
  ///
  /// The maximum number of requests is also the maximum number of closed connections that are kept
  /// for ``MockServer/closing(of:)``. The default is 100,000 requests and 512 MiB of bodies.
  public var journal = JournalLimits(requests: 100_000, bodyBytes: 512 * 1024 * 1024)

  /// The maximum number of open connections, or `nil` for no limit.
  ///
  /// Further connections wait in the system's queue. They are accepted in order when others close.
  /// At least one connection is allowed. The default is `nil`.
  public var connections: Int?

  /// The time after which the server closes a connection that sends no bytes of a request, or `nil`
  /// for no limit.
  ///
  /// It is measured by the system's clock, not by the scheduler of the server. The time in which a
  /// response is made or sent does not count. The default is 5 minutes.
  public var idleTime: Duration? = .seconds(300)

  /// Creates the default limits.
  public init() {}
}
