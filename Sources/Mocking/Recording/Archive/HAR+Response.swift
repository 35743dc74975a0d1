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
