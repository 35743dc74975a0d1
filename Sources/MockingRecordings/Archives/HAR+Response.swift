import Foundation
import Mocking
public import Networking

extension HAR {
  /// A recorded response.
  public struct Response: HARObject {
    /// The status code.
    ///
    /// 0 if there was no response.
    public var status: Int
    /// The reason phrase of the status.
    public var statusText: String
    /// The HTTP version, such as `HTTP/1.1`.
    public var httpVersion: String
    /// The cookies that the response sets.
    public var cookies: [Cookie]
    /// The header fields in order.
    public var headers: [Field]
    /// The body.
    public var content: Content
    /// The target of a redirect.
    ///
    /// Empty if there is none.
    public var redirectURL: String
    /// The size of the head in bytes.
    ///
    /// -1 means unknown.
    public var headersSize: Int
    /// The size of the body in bytes before content decoding.
    ///
    /// -1 means unknown.
    public var bodySize: Int
    /// The code of a failure, such as `timedOut.connect`: the member `_error`.
    ///
    /// `nil` if the response is complete. Browsers use other codes, such as `net::ERR_ABORTED`.
    public var error: String?
    /// The detail of a failure: the member `_errorDetail`.
    public var errorDetail: String?
    /// A comment.
    public var comment: String?
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - statusText: The reason phrase of the status.
    ///   - httpVersion: The HTTP version.
    ///   - headers: The header fields in order.
    ///   - content: The body.
    ///   - bodySize: The size of the body in bytes before content decoding. -1 means unknown.
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

  /// The body of a response.
  public struct Content: HARObject {
    /// The size of the decoded body in bytes.
    public var size: Int
    /// The number of bytes that the content coding saved.
    public var compression: Int?
    /// The media type, with its parameters.
    public var mimeType: String
    /// The decoded body.
    ///
    /// `nil` if there was none, or if it was not recorded.
    public var text: String?
    /// The encoding of ``text``: `base64`, or `nil` for plain text.
    public var encoding: String?
    /// A comment.
    public var comment: String?
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - size: The size of the decoded body in bytes.
    ///   - mimeType: The media type.
    ///   - text: The body.
    ///   - encoding: `base64` or `nil`.
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
  /// Creates a recorded response from the result of an exchange, without masking secrets.
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

  /// Updates the members that are derived from the header fields.
  mutating func updateDerivedFields() {
    func values(_ name: String) -> [String] {
      headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
    cookies = values("set-cookie").compactMap(CookieHeader.setCookie)
    redirectURL = values("location").first ?? ""
  }

  /// The status and the header fields, or `nil` if there was no response.
  ///
  /// The fields `Location` and `Content-Type` are added if the archive contains only ``redirectURL`` and
  /// the media type.
  var head: HTTPResponseHead? {
    guard status != 0 else { return nil }
    var fields = HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value) })
    if (300...399).contains(status), !redirectURL.isEmpty, !fields.contains("Location") {
      fields["Location"] = redirectURL
    }
    if content.text != nil, MediaType(content.mimeType) != nil, !fields.contains("Content-Type") {
      fields["Content-Type"] = content.mimeType
    }
    return HTTPResponseHead(status: status, version: version, headers: fields)
  }

  /// The version number: `1.1` for `HTTP/1.1`, `2` for `h2` and `HTTP/2.0`.
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

/// The names of error codes in an archive, such as `timedOut.connect`.
enum HARErrorCode {
  /// Returns the name of a code.
  ///
  /// The name is `connectionLost` for a code that no transport reports.
  static func of(_ code: NetworkError.Code) -> String { names[code] ?? "connectionLost" }

  /// Returns the code of a name, or `nil` for a name of another program, such as `net::ERR_FAILED`.
  static func code(_ name: String) -> NetworkError.Code? { codes[name] }

  private static let codes: [String: NetworkError.Code] = [
    "invalidURL": .invalidURL, "invalidMethod": .invalidMethod, "invalidHeader": .invalidHeader,
    "encodingFailed": .encodingFailed, "unsupported": .unsupported, "dnsFailed": .dnsFailed,
    "cannotConnect": .cannotConnect, "connectionLost": .connectionLost,
    "notConnectedToInternet": .notConnectedToInternet, "timedOut.connect": .timedOut(.connect),
    "timedOut.idle": .timedOut(.idle), "timedOut.attempt": .timedOut(.attempt),
    "timedOut.call": .timedOut(.call), "tlsHandshakeFailed": .tlsHandshakeFailed,
    "tlsCertificateExpired": .tlsCertificateExpired, "tlsHostMismatch": .tlsHostMismatch,
    "tlsUntrusted": .tlsUntrusted, "pinMismatch": .pinMismatch, "tlsRevoked": .tlsRevoked,
    "tlsRevocationUnknown": .tlsRevocationUnknown,
    "malformedResponse": .malformedResponse, "cancelled": .cancelled,
    "redirectRefused": .redirectRefused, "tooManyRedirects": .tooManyRedirects,
  ]
  private static let names = Dictionary(uniqueKeysWithValues: codes.map { ($1, $0) })
}

// MARK: - JSON

extension HAR.Response {
  /// Reads a response.
  ///
  /// - Parameter json: The object. A missing or a negative status, by which programs mark an aborted
  ///   exchange, is read as 0.
  public init(json: JSON) {
    var members = HARMembers(json)
    self.init(
      status: max(members.integer("status") ?? 0, 0), statusText: members.text("statusText") ?? "",
      httpVersion: members.text("httpVersion") ?? "",
      headers: [HAR.Field](headers: &members),
      content: members.object("content") ?? HAR.Content(),
      bodySize: members.integer("bodySize") ?? -1)
    cookies = members.list("cookies")
    redirectURL = members.text("redirectURL") ?? ""
    headersSize = members.integer("headersSize") ?? -1
    error = members.text("_error").flatMap { $0.isEmpty ? nil : $0 }
    errorDetail = members.text("_errorDetail")
    comment = members.text("comment")
    otherMembers = members.rest
  }

  /// The response as JSON.
  public var json: JSON {
    HARMembers.json(
      [
        "status": .int(status), "statusText": statusText.json, "httpVersion": httpVersion.json,
        "cookies": HARMembers.json(cookies), "headers": HARMembers.json(headers),
        "content": content.json, "redirectURL": redirectURL.json,
        "headersSize": .int(headersSize), "bodySize": .int(bodySize), "_error": error?.json,
        "_errorDetail": errorDetail?.json, "comment": comment?.json,
      ], and: otherMembers)
  }
}

extension HAR.Content {
  /// Reads the body of a response.
  ///
  /// - Parameter json: The object. A body that is a JSON value instead of a text is read as the text of
  ///   this value. A body that is marked as base64 but is not counts as text.
  public init(json: JSON) {
    var members = HARMembers(json)
    self.init(
      size: members.integer("size") ?? 0, mimeType: members.text("mimeType") ?? "x-unknown",
      text: members.text("text"), encoding: members.text("encoding"))
    if data == nil { encoding = nil }
    compression = members.integer("compression")
    comment = members.text("comment")
    otherMembers = members.rest
  }

  /// The body as JSON.
  public var json: JSON {
    HARMembers.json(
      [
        "size": .int(size), "compression": compression.map { .int($0) },
        "mimeType": mimeType.json, "text": text?.json, "encoding": encoding?.json,
        "comment": comment?.json,
      ], and: otherMembers)
  }

  /// The member that marks a body that was larger than the limit of the recording.
  private static let omissionMark = "_isOmitted"

  /// Whether the recording does not contain the body, because it was larger than the limit: the member
  /// `_isOmitted`.
  ///
  /// Such a response cannot be replayed. ``size`` is the size of the body.
  public internal(set) var isOmitted: Bool {
    get { otherMembers[Self.omissionMark]?.bool == true }
    set { otherMembers[Self.omissionMark] = newValue ? true : nil }
  }

  /// Removes the body, which is not recorded.
  mutating func omit(byteCount: Int, reason: String) {
    text = nil
    encoding = nil
    compression = nil
    size = byteCount
    comment = "the body of \(byteCount) bytes was not recorded, because \(reason)"
    isOmitted = true
  }
}
