/// How long the parts of one exchange took, and how much went to and fro.
///
/// Times count from the start of the exchange. A phase that did not happen, such as a name looked up on
/// a connection that was there already, is nil.
public struct TransportMetrics: Sendable, Hashable {
  /// When the host's name had been looked up.
  public var nameResolved: Duration?
  /// When the connection stood.
  public var connected: Duration?
  /// When the TLS handshake was done.
  public var secured: Duration?
  /// When the request had been sent.
  public var requestSent: Duration?
  /// When the first byte of the response came.
  public var firstByte: Duration?
  /// When it was over.
  public var total: Duration
  /// The bytes of the body as sent.
  public var bytesSent: Int64
  /// The bytes of the body as received, before any decoding.
  public var bytesReceived: Int64
  /// Whether the connection had served an exchange before.
  public var reusedConnection: Bool

  /// Makes metrics.
  ///
  /// - Parameters:
  ///   - nameResolved: when the host's name had been looked up.
  ///   - connected: when the connection stood.
  ///   - secured: when the TLS handshake was done.
  ///   - requestSent: when the request had been sent.
  ///   - firstByte: when the first byte of the response came.
  ///   - total: when it was over.
  ///   - bytesSent: the bytes of the body as sent.
  ///   - bytesReceived: the bytes of the body as received.
  ///   - reusedConnection: whether the connection had served an exchange before.
  public init(
    nameResolved: Duration? = nil, connected: Duration? = nil, secured: Duration? = nil,
    requestSent: Duration? = nil, firstByte: Duration? = nil, total: Duration = .zero,
    bytesSent: Int64 = 0, bytesReceived: Int64 = 0, reusedConnection: Bool = false
  ) {
    self.nameResolved = nameResolved
    self.connected = connected
    self.secured = secured
    self.requestSent = requestSent
    self.firstByte = firstByte
    self.total = total
    self.bytesSent = bytesSent
    self.bytesReceived = bytesReceived
    self.reusedConnection = reusedConnection
  }
}
