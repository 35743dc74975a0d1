import CatenaSystem
package import Foundation
import Mocking
public import Networking

extension HAR {
  /// A recorded request.
  public struct Request: HARObject {
    /// The method.
    public var method: String
    /// The absolute URL, without a fragment.
    public var url: String
    /// The HTTP version, such as `HTTP/1.1`.
    public var httpVersion: String
    /// The cookies sent.
    public var cookies: [Cookie]
    /// The header fields in order.
    public var headers: [Field]
    /// The decoded query parameters in order.
    public var queryString: [Field]
    /// The body.
    ///
    /// `nil` if there was none.
    public var postData: PostData?
    /// The size of the head in bytes.
    ///
    /// -1 means unknown.
    public var headersSize: Int
    /// The size of the body in bytes.
    ///
    /// -1 means unknown.
    public var bodySize: Int
    /// A comment.
    public var comment: String?
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The absolute URL.
    ///   - httpVersion: The HTTP version.
    ///   - headers: The header fields in order.
    ///   - postData: The body.
    ///   - bodySize: The size of the body in bytes. -1 means unknown.
    public init(
      method: String, url: String, httpVersion: String = "HTTP/1.1", headers: [Field] = [],
      postData: PostData? = nil, bodySize: Int = -1
    ) {
      self.method = method
      self.url = url
      self.httpVersion = httpVersion
      cookies = []
      self.headers = headers
      queryString = []
      self.postData = postData
      headersSize = -1
      self.bodySize = bodySize
    }
  }

  /// The body of a request.
  ///
  /// The format supports only text. For other bodies, ``text`` is in base64, and ``encoding``,
  /// which is the member `_encoding`, is `base64`.
  public struct PostData: HARObject {
    /// The media type, with its parameters.
    public var mimeType: String
    /// The parameters of a form, if the archive contains them instead of the text.
    public var params: [Parameter]?
    /// The body.
    public var text: String?
    /// The encoding of ``text``: `base64`, `size` if the body was larger than the limit and was not
    /// recorded, or `nil` for plain text.
    public var encoding: String?
    /// A comment.
    public var comment: String?
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - mimeType: The media type.
    ///   - text: The body.
    ///   - encoding: `base64` or `nil`.
    ///   - comment: A comment.
    public init(
      mimeType: String, text: String?, encoding: String? = nil, comment: String? = nil
    ) {
      self.mimeType = mimeType
      params = []
      self.text = text
      self.encoding = encoding
      self.comment = comment
    }
  }

  /// A parameter of a form.
  public struct Parameter: HARObject {
    /// The name.
    public var name: String
    /// The value.
    public var value: String?
    /// The name of an uploaded file.
    public var fileName: String?
    /// The media type of an uploaded file.
    public var contentType: String?
    /// A comment.
    public var comment: String?
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

    /// Creates a parameter.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    public init(name: String, value: String?) {
      self.name = name
      self.value = value
    }
  }
}

extension HAR.Request {
  /// Creates a recorded request from a sent request, without masking secrets.
  ///
  /// Files are read up to the limit. A stream body must have been read into memory before.
  ///
  /// - Parameters:
  ///   - request: The sent request.
  ///   - bodyLimit: The limit for the body in bytes. `nil` does not record the body.
  init(_ request: HTTPRequest, bodyLimit: Int?) {
    var url = request.url.absoluteString
    if let fragment = url.firstIndex(of: "#") { url = String(url[..<fragment]) }
    self.init(
      method: request.method.rawValue, url: url,
      headers: request.headers.map { HAR.Field(name: $0.name, value: $0.value) })
    guard let bodyLimit, request.body != .none else {
      bodySize = request.body == .none ? 0 : -1
      return
    }
    bodySize = request.body.byteCount.map { Int($0) } ?? -1
    if let bytes = LimitedBodyReader.read(request.body, limit: bodyLimit) {
      set(bytes)
    } else {
      postData = HAR.PostData(
        mimeType: request.headers["Content-Type"] ?? "x-unknown", text: "", encoding: "size")
      postData?.comment = "only the size of the request body was recorded"
    }
  }

  /// Sets the body.
  ///
  /// A body with a content coding is recorded without it, so that secrets in it are masked.
  package mutating func set(_ body: Data) {
    let mimeType = headers.first { $0.name.lowercased() == "content-type" }?.value ?? "x-unknown"
    let codings = headers.filter { $0.name.lowercased() == "content-encoding" }.map(\.value)
    bodySize = body.count
    let (text, encoding) = HARBodyCoding.encode(
      ContentCoding.decoded(body, codings: codings) ?? body, mimeType: mimeType)
    postData = HAR.PostData(mimeType: mimeType, text: text, encoding: encoding)
  }

  /// Updates the members that are derived from the URL and the header fields.
  mutating func updateDerivedFields() {
    let query = url.firstIndex(of: "?").map { url[url.index(after: $0)...] } ?? ""
    queryString = FormURLCoding.fields(query)
    cookies = headers.filter { $0.name.lowercased() == "cookie" }.flatMap {
      CookieHeader.cookies($0.value)
    }
  }
}

/// A coding of queries and forms, such as `a=1&b=2`.
enum FormURLCoding {
  /// Returns the decoded fields in order.
  ///
  /// A name or value that cannot be decoded is unchanged.
  static func fields(_ text: some StringProtocol, plusIsSpace: Bool = true) -> [HAR.Field] {
    text.split(separator: "&").map { field in
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return HAR.Field(
        name: decode(parts[0], plusIsSpace),
        value: parts.count == 2 ? decode(parts[1], plusIsSpace) : "")
    }
  }

  static func decode(_ text: some StringProtocol, _ plusIsSpace: Bool = true) -> String {
    PercentEncoding.decodeIfValid(Substring(text), plusIsSpace: plusIsSpace)
  }

  /// Encodes a name or a value.
  ///
  /// Equal texts have equal encodings.
  static func encode(_ text: String) -> String {
    encoding.encoded(text)
  }

  /// The encoding of URLs, in which the mask `***` is not encoded.
  private static let encoding = PercentEncoding.url.keeping("*")
}

// MARK: - JSON

extension HAR.Request {
  /// Reads a request.
  ///
  /// - Parameter json: The object. A missing method is `POST` if there is a body, and otherwise `GET`. A
  ///   method in lowercase letters is read in uppercase, and a relative URL is completed by the field
  ///   `Host`.
  public init(json: JSON) {
    var members = HARMembers(json)
    let url = members.text("url") ?? ""
    let hasBody = members.rest["postData"]?.dictionary?.isEmpty == false
    var method = members.text("method") ?? (url.isEmpty ? "" : hasBody ? "POST" : "GET")
    if method.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) { method = method.uppercased() }
    self.init(
      method: method, url: url,
      httpVersion: members.text("httpVersion") ?? "",
      headers: [HAR.Field](headers: &members),
      postData: HAR.PostData(in: &members), bodySize: members.integer("bodySize") ?? -1)
    if url.hasPrefix("/"), let host = headers.first(where: { $0.name.lowercased() == "host" }) {
      self.url = url.hasPrefix("//") ? "http:\(url)" : "http://\(host.value)\(url)"
    }
    cookies = members.list("cookies")
    queryString = members.list("queryString")
    headersSize = members.integer("headersSize") ?? -1
    comment = members.text("comment")
    otherMembers = members.rest
  }

  /// The request as JSON.
  public var json: JSON {
    HARMembers.json(
      [
        "method": method.json, "url": url.json, "httpVersion": httpVersion.json,
        "cookies": HARMembers.json(cookies), "headers": HARMembers.json(headers),
        "queryString": HARMembers.json(queryString), "postData": postData?.json,
        "headersSize": .int(headersSize), "bodySize": .int(bodySize), "comment": comment?.json,
      ], and: otherMembers)
  }
}

extension HAR.PostData {
  /// Reads the body of a request, or returns `nil` if there is none.
  ///
  /// A text in place of the object is the body.
  fileprivate init?(in members: inout HARMembers) {
    guard let json = members.take("postData") else { return nil }
    if let text = json.string {
      guard !text.isEmpty else { return nil }
      self.init(mimeType: "x-unknown", text: text)
    } else {
      guard json.dictionary?.isEmpty == false else { return nil }
      self.init(json: json)
    }
  }

  /// Reads the body of a request.
  ///
  /// - Parameter json: The object. A body that is marked as base64 but is not counts as text.
  public init(json: JSON) {
    var members = HARMembers(json)
    self.init(
      mimeType: members.text("mimeType") ?? "x-unknown", text: members.text("text"),
      encoding: members.text("_encoding"), comment: members.text("comment"))
    params = members.list("params")
    otherMembers = members.rest
    if encoding?.lowercased() == "base64", !isReadable { encoding = nil }
  }

  /// The body as JSON.
  public var json: JSON {
    HARMembers.json(
      [
        "mimeType": mimeType.json, "params": params.map { HARMembers.json($0) },
        "text": text?.json, "_encoding": encoding?.json, "comment": comment?.json,
      ], and: otherMembers)
  }
}

extension HAR.Parameter {
  /// Reads a parameter.
  ///
  /// - Parameter json: The object.
  public init(json: JSON) {
    var members = HARMembers(json)
    self.init(name: members.text("name") ?? "", value: members.text("value"))
    fileName = members.text("fileName")
    contentType = members.text("contentType")
    comment = members.text("comment")
    otherMembers = members.rest
  }

  /// The parameter as JSON.
  public var json: JSON {
    HARMembers.json(
      [
        "name": name.json, "value": value?.json, "fileName": fileName?.json,
        "contentType": contentType?.json, "comment": comment?.json,
      ], and: otherMembers)
  }
}
