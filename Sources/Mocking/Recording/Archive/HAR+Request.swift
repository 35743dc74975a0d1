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
