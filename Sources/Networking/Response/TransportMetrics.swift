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
  /// The bytes of the status line and the header fields as received, those of interim responses with
  /// them; nil where that is not known.
  public var headBytesReceived: Int64?
  /// The bytes of the request line and the header fields as sent, in the form of HTTP/1.1; nil where that is
  /// not known, as on libcurl for a request with a body.
  public var headBytesSent: Int64?
  /// Whether the connection had served an exchange before.
  public var reusedConnection: Bool
  /// The version spoken, `1.0`, `1.1`, `2` or `3`; nil before the response, and where it is not known.
  public var httpVersion: String?
  /// The address of the other end, or of the proxy in between, such as `203.0.113.7`; the path of a Unix
  /// socket; nil where that is not known.
  public var remoteAddress: String?
  /// The port there; nil where there is none, or it is not known.
  public var remotePort: Int?

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
  ///   - headBytesSent: the bytes of the request line and the header fields as sent.
  ///   - headBytesReceived: the bytes of the status line and the header fields as received.
  ///   - httpVersion: the version spoken.
  ///   - remoteAddress: the address of the other end.
  ///   - remotePort: the port there.
  public init(
    nameResolved: Duration? = nil, connected: Duration? = nil, secured: Duration? = nil,
    requestSent: Duration? = nil, firstByte: Duration? = nil, total: Duration = .zero,
    bytesSent: Int64 = 0, bytesReceived: Int64 = 0, reusedConnection: Bool = false,
    headBytesSent: Int64? = nil, headBytesReceived: Int64? = nil, httpVersion: String? = nil,
    remoteAddress: String? = nil, remotePort: Int? = nil
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
    self.headBytesSent = headBytesSent
    self.headBytesReceived = headBytesReceived
    self.httpVersion = httpVersion
    self.remoteAddress = remoteAddress
    self.remotePort = remotePort
  }
}
