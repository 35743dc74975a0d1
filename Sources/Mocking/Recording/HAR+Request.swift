import Foundation
import Networking

extension HAR {
  /// What was asked.
  public struct Request: Codable, Sendable, Hashable {
    /// The method.
    public var method: String
    /// The absolute URL, without a fragment.
    public var url: String
    /// The version spoken, `HTTP/1.1`.
    public var httpVersion: String
    /// The cookies sent.
    public var cookies: [Cookie]
    /// The header fields in order.
    public var headers: [Field]
    /// The parameters of the query in order, decoded.
    public var queryString: [Field]
    /// The body; nil when there was none.
    public var postData: PostData?
    /// The bytes of the head; -1 is not known.
    public var headersSize: Int
    /// The bytes of the body; -1 is not known.
    public var bodySize: Int
    /// A remark.
    public var comment: String?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: the absolute URL.
    ///   - httpVersion: the version spoken.
    ///   - headers: the header fields in order.
    ///   - postData: the body.
    ///   - bodySize: the bytes of the body; -1 is not known.
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

  /// A request's body.
  ///
  /// The format has no way to write down a body that is not text. Here its bytes are in ``text`` in
  /// base64, and ``encoding``, the member `_encoding`, says so.
  public struct PostData: Codable, Sendable, Hashable {
    /// The media type, with its parameters.
    public var mimeType: String
    /// The parameters of a form, where a writer has these in place of the text.
    public var params: [Parameter]?
    /// The body.
    public var text: String?
    /// `base64` when ``text`` is that; `size` when the body itself was not kept, as it was
    /// beyond the limit; nil when it is the text itself.
    public var encoding: String?
    /// A remark.
    public var comment: String?

    private enum CodingKeys: String, CodingKey {
      case mimeType
      case params
      case text
      case encoding = "_encoding"
      case comment
    }

    /// Makes a body.
    ///
    /// - Parameters:
    ///   - mimeType: the media type.
    ///   - text: the body.
    ///   - encoding: `base64` or nil.
    ///   - comment: a remark.
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

  /// A parameter of a form that was sent.
  public struct Parameter: Codable, Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String?
    /// The name of a file that was sent.
    public var fileName: String?
    /// The media type of a file that was sent.
    public var contentType: String?
    /// A remark.
    public var comment: String?

    /// Makes a parameter.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - value: the value.
    public init(name: String, value: String?) {
      self.name = name
      self.value = value
    }
  }
}

extension HAR.Request {
  /// A request as it goes over the wire, with all its secrets.
  ///
  /// Files are read here, as far as the limit goes; a stream has been read into memory before.
  ///
  /// - Parameters:
  ///   - request: what is sent.
  ///   - bodyLimit: how many bytes of a body are kept; nil keeps none, and says nothing of it.
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
    let mimeType = request.headers["Content-Type"] ?? "x-unknown"
    bodySize = request.body.byteCount.map { Int($0) } ?? -1
    let bytes = LimitedBodyReader.read(request.body, limit: bodyLimit)
    if let bytes {
      bodySize = bytes.count
      let (text, encoding) = HARBodyCoding.of(bytes, mimeType: mimeType)
      postData = HAR.PostData(mimeType: mimeType, text: text, encoding: encoding)
    } else {
      postData = HAR.PostData(mimeType: mimeType, text: "", encoding: "size")
      postData?.comment = "the body is not kept, only its size"
    }
  }

  /// Fills in what repeats the URL and the header fields in another form.
  mutating func derive() {
    let query = url.firstIndex(of: "?").map { url[url.index(after: $0)...] } ?? ""
    queryString = FormURLCoding.fields(query)
    cookies = headers.filter { $0.name.lowercased() == "cookie" }.flatMap {
      CookieHeader.sent($0.value)
    }
  }
}

/// Queries and forms, `a=1&b=2`, taken apart and put together.
enum FormURLCoding {
  /// The fields in order, decoded; what cannot be decoded is as it stands.
  static func fields(_ text: some StringProtocol, plusIsSpace: Bool = true) -> [HAR.Field] {
    text.split(separator: "&").map { field in
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return HAR.Field(
        name: decode(parts[0], plusIsSpace),
        value: parts.count == 2 ? decode(parts[1], plusIsSpace) : "")
    }
  }

  static func decode(_ text: some StringProtocol, _ plusIsSpace: Bool = true) -> String {
    let text = plusIsSpace ? String(text).replacing("+", with: " ") : String(text)
    return text.removingPercentEncoding ?? text
  }

  /// A name or value, encoded; it is the same for whatever has the same meaning.
  static func encode(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
  }

  /// Source: RFC 3986 section 2.3; and the mask, which is to be readable.
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~*")
}
