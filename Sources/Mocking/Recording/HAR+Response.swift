import Foundation
import Networking

extension HAR {
  /// What was answered.
  public struct Response: Codable, Sendable, Hashable {
    /// The status code; 0 when there was no answer.
    public var status: Int
    /// The reason phrase that goes with the status.
    public var statusText: String
    /// The version spoken, `HTTP/1.1`.
    public var httpVersion: String
    /// The cookies set.
    public var cookies: [Cookie]
    /// The header fields in order.
    public var headers: [Field]
    /// The body.
    public var content: Content
    /// Where the answer points to; empty when it does not.
    public var redirectURL: String
    /// The bytes of the head; -1 is not known.
    public var headersSize: Int
    /// The bytes of the body as received, before any decoding; -1 is not known.
    public var bodySize: Int
    /// Why there is no answer, or not all of it, `timedOut.connect`: the member `_error`; nil when there is.
    public var error: String?
    /// What the transport had to say of that: the member `_errorDetail`.
    public var errorDetail: String?
    /// A remark.
    public var comment: String?

    private enum CodingKeys: String, CodingKey {
      case status
      case statusText
      case httpVersion
      case cookies
      case headers
      case content
      case redirectURL
      case headersSize
      case bodySize
      case error = "_error"
      case errorDetail = "_errorDetail"
      case comment
    }

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - statusText: the reason phrase that goes with it.
    ///   - httpVersion: the version spoken.
    ///   - headers: the header fields in order.
    ///   - content: the body.
    ///   - bodySize: the bytes of the body as received; -1 is not known.
    public init(
      status: Int, statusText: String = "", httpVersion: String = "HTTP/1.1",
      headers: [Field] = [], content: Content = Content(), bodySize: Int = -1
    ) {
      self.status = status
      self.statusText = statusText
      self.httpVersion = httpVersion
      cookies = []
      self.headers = headers
      self.content = content
      redirectURL = ""
      headersSize = -1
      self.bodySize = bodySize
    }
  }

  /// A response's body.
  public struct Content: Codable, Sendable, Hashable {
    /// The bytes of the body, decoded.
    public var size: Int
    /// How many bytes the content coding saved.
    public var compression: Int?
    /// The media type, with its parameters.
    public var mimeType: String
    /// The body, decoded; nil when there was none or it was not kept.
    public var text: String?
    /// `base64` when ``text`` is that; nil when it is the text itself.
    public var encoding: String?
    /// A remark.
    public var comment: String?

    /// Makes a body.
    ///
    /// - Parameters:
    ///   - size: the bytes of the body, decoded.
    ///   - mimeType: the media type.
    ///   - text: the body.
    ///   - encoding: `base64` or nil.
    public init(
      size: Int = 0, mimeType: String = "x-unknown", text: String? = nil, encoding: String? = nil
    ) {
      self.size = size
      self.mimeType = mimeType
      self.text = text
      self.encoding = encoding
    }
  }
}

extension HAR.Response {
  /// What came of an exchange, with all its secrets.
  init(_ head: HTTPResponseHead?, body: Data, metrics: TransportMetrics, failure: TransportFailure?)
  {
    let status = head?.status ?? 0
    self.init(
      status: status, statusText: ReasonPhrase.of(status),
      httpVersion: "HTTP/\(head?.version ?? "1.1")",
      headers: (head?.headers ?? [:]).map { HAR.Field(name: $0.name, value: $0.value) })
    content.mimeType = head?.headers["Content-Type"] ?? "x-unknown"
    content.set(body)
    bodySize = head == nil ? -1 : Int(metrics.bytesReceived)
    if bodySize > 0, body.count > bodySize { content.compression = body.count - bodySize }
    error = failure.map { HARErrorCode.of($0.code) }
    errorDetail = failure.flatMap { $0.detail.isEmpty ? nil : $0.detail }
  }

  /// Fills in what repeats the header fields in another form.
  mutating func derive() {
    func values(_ name: String) -> [String] {
      headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
    cookies = values("set-cookie").compactMap(CookieHeader.set)
    redirectURL = values("location").first ?? ""
  }

  /// The status and the header fields; nil when there was no answer.
  var head: HTTPResponseHead? {
    guard status > 0 else { return nil }
    return HTTPResponseHead(
      status: status, version: version,
      headers: HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value) }))
  }

  /// `1.1` of `HTTP/1.1`, `2` of `h2` and `HTTP/2.0`, as others write it.
  private var version: String {
    let text = httpVersion.lowercased()
    let number = text.hasPrefix("http/") ? text.dropFirst(5) : text.drop { $0 == "h" }
    switch number {
    case "2.0": return "2"
    case "3.0": return "3"
    case "1.0", "1.1", "2", "3": return String(number)
    default: return "1.1"
    }
  }
}

/// How an archive names a transport's failures, `timedOut.connect`.
enum HARErrorCode {
  /// The name; of a code that no transport has, it is that of a lost connection.
  static func of(_ code: NetworkError.Code) -> String { names[code] ?? "connectionLost" }

  /// The code of a name; what others write, `net::ERR_FAILED`, is a connection that was not made.
  static func code(_ name: String) -> NetworkError.Code {
    codes[name] ?? .cannotConnect
  }

  private static let codes: [String: NetworkError.Code] = [
    "invalidURL": .invalidURL, "invalidMethod": .invalidMethod, "invalidHeader": .invalidHeader,
    "encodingFailed": .encodingFailed, "unsupported": .unsupported, "dnsFailed": .dnsFailed,
    "cannotConnect": .cannotConnect, "connectionLost": .connectionLost,
    "notConnectedToInternet": .notConnectedToInternet, "timedOut.connect": .timedOut(.connect),
    "timedOut.idle": .timedOut(.idle), "timedOut.attempt": .timedOut(.attempt),
    "timedOut.call": .timedOut(.call), "tlsHandshakeFailed": .tlsHandshakeFailed,
    "tlsCertificateExpired": .tlsCertificateExpired, "tlsHostMismatch": .tlsHostMismatch,
    "tlsUntrusted": .tlsUntrusted, "pinMismatch": .pinMismatch,
    "malformedResponse": .malformedResponse, "cancelled": .cancelled,
    "redirectRefused": .redirectRefused, "tooManyRedirects": .tooManyRedirects,
  ]
  private static let names = Dictionary(uniqueKeysWithValues: codes.map { ($1, $0) })
}
