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
    get { requestAttributes }
    set { requestAttributes = newValue }
  }
  @Uncompared private var requestAttributes = RequestAttributes()
  /// Whether the client may add its credentials to this request.
  ///
  /// Cookies and the client certificate do not count as credentials.
  ///
  /// The default is ``Request/sendsCredentials`` or, if that is `nil`, the client's setting. An interceptor that adds credentials of its own
  /// should pass on a request for which this is `false` unchanged. Comparing and hashing requests
  /// ignores this property.
  public var sendsCredentials: Bool {
    get { options.sendsCredentials ?? true }
    set { options.sendsCredentials = newValue }
  }
  /// The options for the stages and the transport, which are not sent.
  ///
  /// Comparing and hashing requests ignores them.
  @Uncompared package var options = Options()

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
  /// Options of a request for the stages and the transport.
  package struct Options: Sendable {
    /// Whether the client may add its credentials.
    ///
    /// `nil` if nothing has set ``HTTPRequest/sendsCredentials``.
    fileprivate var sendsCredentials: Bool?
    /// Whether the transport reports connection events.
    package var reportsConnection = false
    /// Whether the transport presents no client certificate, because a redirect has led to another
    /// origin.
    var withholdsClientCertificate = false
    /// The percent-encoded path of the base URL, which routes of mocks may leave out.
    ///
    /// Empty if there is none.
    package var basePath = ""
    /// Whether a transport that can do so delivers the response body in its content coding.
    package var preservesContentCoding = false
  }

  /// Returns a request that user code has returned in place of this one, with the properties that a
  /// new request lacks.
  ///
  /// These are the attributes that the user code has not set, such as the client's decoder,
  /// ``sendsCredentials``, and whether the client certificate is withheld.
  ///
  /// - Parameter request: The request that the user code has returned.
  /// - Returns: The request to send.
  package func replaced(by request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.attributes.addMissing(attributes)
    request.options.sendsCredentials = request.options.sendsCredentials ?? options.sendsCredentials
    request.options.basePath = options.basePath
    if options.withholdsClientCertificate { request.options.withholdsClientCertificate = true }
    return request
  }
}

extension HTTPRequest: BrieflyDescribed {
  /// The method and the URL, without secrets: `GET https://api.example.com/v1/boards?token=***`.
  public var description: String { NetworkError.RequestSummary(self).description }

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
