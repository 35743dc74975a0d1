/// What a ``MockServer`` takes from a client, and how much of it the server remembers.
public struct MockServerLimits: Sendable, Hashable {
  /// The bytes of a request line; one longer is answered by 414.
  ///
  /// 16 KiB unless set.
  public var requestLineBytes = 16 * 1024
  /// The bytes of a head as a whole, request line included, and of trailers; more are answered by 431.
  ///
  /// 64 KiB unless set.
  public var headBytes = 64 * 1024
  /// The number of header fields; more are answered by 431.
  ///
  /// 200 unless set.
  public var headerCount = 200
  /// The bytes of a body, decoded; more are answered by 413, unless the route discards bodies.
  ///
  /// 1 GiB unless set.
  public var bodyBytes = 1024 * 1024 * 1024
  /// How many requests are remembered, and how many connections that have closed; the oldest are forgotten
  /// first.
  ///
  /// 100,000 unless set.
  public var recordedRequests = 100_000
  /// How many bytes of bodies are remembered in all, before the oldest requests are forgotten.
  ///
  /// The last request is always remembered. 512 MiB unless set.
  public var recordedBodyBytes = 512 * 1024 * 1024

  /// How many connections are open at once; nil is as many as the system allows.
  ///
  /// Further ones are made by the system and wait, unanswered, until one that is open closes; then
  /// they are accepted in the order in which they came. At least one is. Nil unless set.
  public var connections: Int?

  /// Makes limits that are generous to a test and bounded all the same.
  public init() {}
}
