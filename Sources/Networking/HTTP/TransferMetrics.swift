/// How far the bodies of a request and of its response have come.
///
/// ```swift
/// networking.download(.report(id: 1), to: file) { progress in
///   bar.fraction = progress.received.fraction ?? 0
/// }
/// ```
///
/// A further hop, after a redirect, or a further attempt counts from 0 again.
public struct TransferProgress: Sendable, Hashable {
  /// How much of one body.
  public struct Amount: Sendable, Hashable {
    /// The bytes until now.
    public var bytes: Int64
    /// The bytes in all; nil when that is not known.
    public var total: Int64?

    /// Makes an amount.
    ///
    /// - Parameters:
    ///   - bytes: the bytes until now.
    ///   - total: the bytes in all; nil when that is not known.
    public init(bytes: Int64 = 0, total: Int64? = nil) {
      self.bytes = bytes
      self.total = total
    }

    /// From 0 to 1; nil when the bytes in all are not known, or none.
    public var fraction: Double? {
      guard let total, total > 0 else { return nil }
      return min(Double(bytes) / Double(total), 1)
    }
  }

  /// How much has been sent.
  public var sent: Amount
  /// How much has been received, decoded from any content coding, which leaves the total unknown.
  public var received: Amount

  /// Makes a progress.
  ///
  /// - Parameters:
  ///   - sent: how much has been sent.
  ///   - received: how much has been received.
  public init(sent: Amount = Amount(), received: Amount = Amount()) {
    self.sent = sent
    self.received = received
  }
}

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
