import CatenaSystem
public import Foundation

/// The wire form of a request, with an absolute URL and an encoded body.
///
/// A ``RequestBuilder`` creates it from a ``Request``, and a ``Transport`` sends it.
public struct HTTPRequest: Sendable, Hashable {
  /// The method.
  public var method: HTTPMethod
  /// The absolute URL, `http` or `https`.
  public var url: URL
  /// The header fields in order.
  ///
  /// The transport adds `Host`, `Content-Length`, `Transfer-Encoding` and `Connection`.
  public var headers: HTTPHeaders
  /// The body.
  public var body: HTTPBody
  /// The limit for opening a connection, including TLS.
  ///
  /// `nil` means no limit.
  public var connectTimeout: Duration?
  /// The limit for the time without data while the transport waits for the server.
  ///
  /// `nil` means no limit.
  public var idleTimeout: Duration?
  /// The attributes that the caller has set on the ``Request``, for interceptors and monitors.
  ///
  /// They are not sent. Comparing and hashing requests ignores them.
  public var attributes: RequestAttributes {
    get { requestAttributes.value }
    set { requestAttributes.value = newValue }
  }
  private var requestAttributes = Uncompared(RequestAttributes())
  /// Whether the client may add its credentials to this request.
  ///
  /// Cookies and the client certificate do not count as credentials.
  ///
  /// The default is ``Request/sendsCredentials``. An interceptor that adds credentials of its own
  /// should pass on a request for which this is `false` unchanged. Comparing and hashing requests
  /// ignores this property.
  public var sendsCredentials: Bool {
    get { attributes[SendsCredentialsKey.self] }
    set { attributes[SendsCredentialsKey.self] = newValue }
  }
  /// Whether the transport reports connection events.
  ///
  /// Comparing and hashing requests ignores this property.
  package var reportsConnection: Bool {
    get { connectionReporting.value }
    set { connectionReporting.value = newValue }
  }
  private var connectionReporting = Uncompared(false)
  /// Whether the transport presents no client certificate, because a redirect has led to another
  /// origin.
  ///
  /// Comparing and hashing requests ignores this property.
  package var withholdsClientCertificate: Bool {
    get { certificateWithholding.value }
    set { certificateWithholding.value = newValue }
  }
  private var certificateWithholding = Uncompared(false)
  /// Whether a transport that can do so delivers the response body in its content coding.
  ///
  /// Comparing and hashing requests ignores this property.
  package var preservesContentCoding: Bool {
    get { codingPreservation.value }
    set { codingPreservation.value = newValue }
  }
  private var codingPreservation = Uncompared(false)

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - url: The absolute URL.
  ///   - headers: The header fields.
  ///   - body: The body.
  ///   - connectTimeout: The limit for opening a connection. `nil` means no limit.
  ///   - idleTimeout: The limit for the time without data. `nil` means no limit.
  public init(
    method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:], body: HTTPBody = .none,
    connectTimeout: Duration? = nil, idleTimeout: Duration? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.connectTimeout = connectTimeout
    self.idleTimeout = idleTimeout
  }
}

extension HTTPRequest {
  /// Returns a request that user code has returned in place of this one, with the properties that a
  /// new request lacks.
  ///
  /// These are the attributes that the user code has not set, such as the client's decoder and
  /// ``sendsCredentials``, and ``withholdsClientCertificate``.
  ///
  /// - Parameter request: The request that the user code has returned.
  /// - Returns: The request to send.
  func replaced(by request: HTTPRequest) -> HTTPRequest {
    guard !attributes.isEmpty || withholdsClientCertificate else { return request }
    var request = request
    request.attributes.addMissing(attributes)
    if withholdsClientCertificate { request.withholdsClientCertificate = true }
    return request
  }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the URL, without secrets: `GET https://api.example.com/v1/boards?token=***`.
  public var description: String { NetworkError.RequestSummary(self).description }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// The members without secrets: a masked URL, masked header fields, the size of the body, and the
  /// names of the attributes.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "method": method, "url": NetworkError.RequestSummary(self).url,
        "headers": headers.redacted(by: attributes.redactor),
        "body": body, "connectTimeout": connectTimeout as Any, "idleTimeout": idleTimeout as Any,
        "attributes": attributes,
      ])
  }
}

/// The body of a request.
public enum HTTPBody: Sendable, Hashable {
  /// No body, and no `Content-Length`.
  case none
  /// Bytes in memory.
  case data(Data)
  /// A file, which is read while it is sent.
  ///
  /// Its length is read when sending starts.
  case file(URL)
  /// Several pieces in order, such as a form with files.
  ///
  /// Files and streams are read while they are sent.
  case pieces([BodyPiece])
  /// A stream of bytes that are produced while they are sent.
  case stream(BodyStream)
}

extension HTTPBody {
  /// Creates a body from pieces.
  ///
  /// A single piece becomes ``data(_:)``, ``file(_:)`` or ``stream(_:)``.
  ///
  /// - Parameter pieces: The pieces in order.
  init(_ pieces: [BodyPiece]) {
    switch (pieces.count, pieces.first) {
    case (0, _): self = .data(Data())
    case (1, .data(let data)): self = .data(data)
    case (1, .file(let url)): self = .file(url)
    case (1, .stream(let stream)): self = .stream(stream)
    default: self = .pieces(pieces)
    }
  }

  /// The pieces of the body.
  ///
  /// Empty for ``none`` and ``stream(_:)``.
  ///
  /// A ``BodyReader`` reads all kinds of bodies.
  public var allPieces: [BodyPiece] {
    switch self {
    case .none, .stream: []
    case .data(let data): [.data(data)]
    case .file(let url): [.file(url)]
    case .pieces(let pieces): pieces
    }
  }

  /// The number of bytes, or `nil` if a file does not exist or is not a regular file, or if a
  /// stream has no declared length.
  ///
  /// File sizes are read from disk at each access. 0 for ``none``.
  public var byteCount: Int64? {
    if case .stream(let stream) = self { return stream.length }
    var total: Int64 = 0
    for piece in allPieces {
      let count: Int64?
      switch piece {
      case .data(let data): count = Int64(data.count)
      case .file(let url): count = Self.size(ofFile: url)
      case .stream(let stream): count = stream.length
      }
      guard let count, case (let sum, false) = total.addingReportingOverflow(count) else {
        return nil
      }
      total = sum
    }
    return total
  }

  private static func size(ofFile url: URL) -> Int64? {
    guard url.isFileURL, let status = try? FileStatus(url.path, followingLinks: true),
      status.isRegular
    else { return nil }
    return status.byteCount
  }
}

extension HTTPBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind and the size of the body, such as `12 bytes`, without its contents.
  public var description: String {
    switch self {
    case .none: "none"
    case .data(let data): "\(data.count) bytes"
    case .file(let url): "file \(url.path)"
    case .pieces(let pieces): "\(pieces.count) pieces"
    case .stream(let stream): stream.length.map { "stream of \($0) bytes" } ?? "stream"
    }
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// The ``description``, without the contents.
  public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}

extension HTTPBody {
  /// Whether the body can be sent more than once, with the same contents.
  ///
  /// A request whose body is not repeatable is never retried.
  public var isRepeatable: Bool {
    switch self {
    case .none, .data, .file: true
    case .pieces(let pieces):
      pieces.allSatisfy { if case .stream(let stream) = $0 { stream.isRepeatable } else { true } }
    case .stream(let stream): stream.isRepeatable
    }
  }

  /// Whether the body is a stream or has one among its pieces.
  package var hasStreams: Bool {
    switch self {
    case .none, .data, .file: false
    case .pieces(let pieces): pieces.contains { if case .stream = $0 { true } else { false } }
    case .stream: true
    }
  }
}

/// A piece of a body.
public enum BodyPiece: Sendable, Hashable {
  /// Bytes in memory.
  case data(Data)
  /// A file, which is read while it is sent.
  case file(URL)
  /// A stream, whose bytes are produced while they are sent.
  case stream(BodyStream)
}
