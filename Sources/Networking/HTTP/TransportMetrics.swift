/// The times and the sizes of one exchange.
///
/// Times are measured from the start of the exchange. The time of a phase that did not occur, such
/// as a name lookup on a reused connection, is `nil`.
public struct TransportMetrics: Sendable, Hashable {
  /// The time at which the host name was resolved.
  public var nameResolved: Duration?
  /// The time at which the connection was established.
  public var connected: Duration?
  /// The time at which the TLS handshake was complete.
  public var secured: Duration?
  /// The time at which the request was sent.
  public var requestSent: Duration?
  /// The time at which the first byte of the response arrived.
  public var firstByte: Duration?
  /// The time at which the exchange ended.
  public var total: Duration
  /// The number of body bytes sent.
  public var bytesSent: Int64
  /// The number of body bytes received, before content decoding.
  public var bytesReceived: Int64
  /// The number of received bytes of status lines and header fields, including interim responses.
  ///
  /// `nil` if unknown.
  public var headBytesReceived: Int64?
  /// The number of sent bytes of the request line and header fields, as in HTTP/1.1.
  ///
  /// `nil` if unknown, as for requests with a body on libcurl.
  public var headBytesSent: Int64?
  /// Whether the connection had been used before.
  public var reusedConnection: Bool
  /// The HTTP version: `1.0`, `1.1`, `2` or `3`.
  ///
  /// `nil` before the response, or if unknown.
  public var httpVersion: String?
  /// The IP address of the server or the proxy, such as `203.0.113.7`, or the path of a Unix
  /// socket.
  ///
  /// `nil` if unknown.
  public var remoteAddress: String?
  /// The port of the server or the proxy.
  ///
  /// `nil` for a Unix socket, or if unknown.
  public var remotePort: Int?
  /// The TLS properties of the connection.
  ///
  /// `nil` without TLS, before the handshake is complete, or if unknown.
  public var tls: TLSMetrics?

  /// Creates metrics.
  ///
  /// - Parameters:
  ///   - nameResolved: The time at which the host name was resolved.
  ///   - connected: The time at which the connection was established.
  ///   - secured: The time at which the TLS handshake was complete.
  ///   - requestSent: The time at which the request was sent.
  ///   - firstByte: The time at which the first byte of the response arrived.
  ///   - total: The time at which the exchange ended.
  ///   - bytesSent: The number of body bytes sent.
  ///   - bytesReceived: The number of body bytes received.
  ///   - reusedConnection: Whether the connection had been used before.
  ///   - headBytesSent: The number of sent bytes of the request line and header fields.
  ///   - headBytesReceived: The number of received bytes of status lines and header fields.
  ///   - httpVersion: The HTTP version.
  ///   - remoteAddress: The IP address of the server or the proxy.
  ///   - remotePort: The port of the server or the proxy.
  ///   - tls: The TLS properties of the connection.
  public init(
    nameResolved: Duration? = nil, connected: Duration? = nil, secured: Duration? = nil,
    requestSent: Duration? = nil, firstByte: Duration? = nil, total: Duration = .zero,
    bytesSent: Int64 = 0, bytesReceived: Int64 = 0, reusedConnection: Bool = false,
    headBytesSent: Int64? = nil, headBytesReceived: Int64? = nil, httpVersion: String? = nil,
    remoteAddress: String? = nil, remotePort: Int? = nil, tls: TLSMetrics? = nil
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
    self.tls = tls
  }
}
