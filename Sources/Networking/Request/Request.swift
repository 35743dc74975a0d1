/// A description of a request, independent of the client and the transport that send it.
///
/// It is a value type. It can be changed, compared, stored on disk and sent again. An invalid path,
/// header field or parameter is reported as a ``NetworkError`` when a client builds an
/// ``HTTPRequest`` from it.
///
/// ```swift
/// Request.get("boards", parameters: ["page": 2])
/// Request.post("boards", parameters: ["title": "Fish"], .timeout(.seconds(5)), .storedOffline)
/// Request.upload(file: picture, to: "boards/\(id)/picture", contentType: "image/png")
/// ```
public struct Request: Sendable, Hashable {
  /// The HTTP method.
  public var method: HTTPMethod
  /// The path relative to the base URL, or an absolute URL.
  public var path: RequestPath
  /// The parameters.
  ///
  /// `nil` sends none.
  ///
  /// A request whose parameters of variables could not be encoded fails with
  /// ``NetworkError/Code-swift.enum/encodingFailed`` when it is built, unless other parameters are
  /// assigned to this property afterwards. A change of one parameter, such as
  /// `request.parameters?["page"] = 2`, is no such assignment, and neither is that of `nil`.
  public var parameters: Parameters? {
    get { currentParameters }
    set {
      currentParameters = newValue
      if newValue != nil { invalidParameters = nil }
    }
    _modify { yield &currentParameters }
  }
  private var currentParameters: Parameters?
  /// The error of parameters that could not be encoded, or not be merged with ``parameters``.
  ///
  /// Such a request can be neither built nor encoded. Assigning other ``parameters`` resets it.
  var invalidParameters: InvalidParameters?
  /// The header fields, which override those of the endpoint and the client.
  public var headers: HTTPHeaders
  /// The format of the parameters.
  ///
  /// `nil` uses the default of the method.
  ///
  /// If the payload consists of bytes, a file or a stream, the parameters are sent in the query. A
  /// ``ContentType/custom(_:)`` content type is then the media type of the payload.
  public var contentType: ContentType?
  /// The format of the parameters in a query or a form.
  ///
  /// `nil` uses the format of the endpoint or of the client. With a format, the client's
  /// encoders for queries and forms do not apply. The option ``RequestOption/queryFormat(_:)`` sets it.
  public internal(set) var queryFormat: QueryFormat?
  /// A body that is not encoded from the parameters.
  ///
  /// `nil` if there is none.
  public var payload: Payload?
  /// The compression of the body.
  ///
  /// `nil` sends the body as it is.
  public var compression: BodyCompression?
  /// The handling of the request when there is no network.
  public var storePolicy = StorePolicy.none
  /// The key of the order in which stored requests are replayed.
  ///
  /// Requests with the same key are sent one after another in the order in which they were stored.
  /// Each one is sent after the response to the previous one. Requests with different keys do not
  /// wait for each other.
  public var storeKey = ""
  /// The use of the client's cache.
  public var cachePolicy = CachePolicy.default
  /// The lifetime of the response in the cache if its server declares none.
  ///
  /// `nil` uses the client's setting.
  public var cacheLifetime: Duration?
  /// The time limit for the whole call with all its attempts.
  ///
  /// `nil` uses the client's setting.
  public var timeout: Duration?
  /// The priority in the client's queue.
  public var priority = Priority.normal
  /// Whether the request may share the exchange of an identical request in flight.
  ///
  /// `nil` uses the client's setting. ``NetworkingConfiguration/sharesRequests`` defines which
  /// requests are identical.
  public var isShared: Bool?
  /// Whether the request passes through the interceptors that hold or resend requests.
  ///
  /// These are `PipelineBarrier`, ``RefreshInterceptor``, `ResponseInterceptor` and the client's
  /// `middleware`. A request that bypasses them also bypasses the client's queue, because requests
  /// in the queue may wait for it.
  public var isIntercepted = true
  /// Whether the client adds its credentials to the request.
  ///
  /// `nil` uses the client's setting, ``NetworkingConfiguration/sendsCredentials``.
  ///
  /// `false` for a request that must not have them, such as a login: `authenticate` does not add an
  /// `Authorization` field, and ``RefreshInterceptor`` does not refresh the credentials after a
  /// rejection. Fields in ``headers`` are sent in any case, and so are the cookies of the client.
  /// The transport presents the client certificate of ``TLSOptions``. Use a client without cookies
  /// and without a certificate for a request that must not have them.
  public var sendsCredentials: Bool?
  /// The typed attributes, for interceptors and monitors.
  ///
  /// They are neither sent nor encoded, and comparing and hashing requests ignores them.
  public var attributes: RequestAttributes {
    get { requestAttributes }
    set { requestAttributes = newValue }
  }
  @Uncompared private var requestAttributes = RequestAttributes()
  /// The retry policy.
  ///
  /// `nil` uses the client's policy. It is not encoded, and comparing and hashing requests ignores it.
  public var retry: RetryPolicy? {
    get { requestRetry?.value }
    set { requestRetry = newValue.map { CopyOnWrite($0) } }
  }
  @Uncompared private var requestRetry: CopyOnWrite<RetryPolicy>?
  /// The handler of the progress of the request and its response.
  ///
  /// `nil` if there is none. It is not encoded, and comparing and hashing requests ignores it.
  public var onProgress: TransferProgress.Handler? {
    get { progressHandler?.handle }
    set {
      progressHandler = nil
      if let newValue { progressHandler = ProgressHandler(handle: newValue) }
    }
  }
  @Uncompared private var progressHandler: ProgressHandler?

  /// A type for the generic argument, because a function that is isolated needs macOS 15 there.
  private struct ProgressHandler: Sendable { let handle: TransferProgress.Handler }

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields, which override those of the endpoint and the client.
  ///   - contentType: The format of the parameters. `nil` uses the default of the method.
  ///   - payload: A body that is not encoded from the parameters. `nil` if there is none.
  ///   - options: The options, which are applied in order.
  public init(
    _ method: HTTPMethod, _ path: RequestPath, parameters: Parameters? = nil,
    headers: HTTPHeaders = [:], contentType: ContentType? = nil, payload: Payload? = nil,
    _ options: RequestOption...
  ) {
    self.init(method, path, parameters, headers, contentType, payload, options)
  }

  /// Creates a request with parameters of variables.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. An error of their encoding rejects the request.
  ///   - headers: The header fields, which override those of the endpoint and the client.
  ///   - contentType: The format of the parameters. `nil` uses the default of the method.
  ///   - options: The options, which are applied in order.
  @_disfavoredOverload
  public init(
    _ method: HTTPMethod, _ path: RequestPath, parameters: KeyValuePairs<String, (any Encodable)?>,
    headers: HTTPHeaders = [:], contentType: ContentType? = nil, _ options: RequestOption...
  ) {
    self.init(method, path, nil, headers, contentType, nil, [.parameters(parameters)] + options)
  }

  /// Creates a request with a value as its JSON body.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - json: The value. It is encoded before this initializer returns; an error rejects the request.
  ///   - headers: The header fields, which override those of the endpoint and the client.
  ///   - options: The options, which are applied in order.
  public init(
    _ method: HTTPMethod, _ path: RequestPath, json: some Encodable, headers: HTTPHeaders = [:],
    _ options: RequestOption...
  ) {
    self.init(method, path, nil, headers, .json, nil, [.json(json)] + options)
  }

  /// Creates a request with a literal of several types as its JSON body.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - json: The members. An error of their encoding rejects the request.
  ///   - headers: The header fields, which override those of the endpoint and the client.
  ///   - options: The options, which are applied in order.
  @_disfavoredOverload
  public init(
    _ method: HTTPMethod, _ path: RequestPath, json: KeyValuePairs<String, (any Encodable)?>,
    headers: HTTPHeaders = [:], _ options: RequestOption...
  ) {
    self.init(method, path, nil, headers, .json, nil, [.json(json)] + options)
  }

  /// Creates a request.
  init(
    _ method: HTTPMethod, _ path: RequestPath, _ parameters: Parameters?, _ headers: HTTPHeaders,
    _ contentType: ContentType?, _ payload: Payload?, _ options: [RequestOption]
  ) {
    self.method = method
    self.path = path
    currentParameters = parameters
    self.headers = headers
    self.contentType = contentType
    self.payload = payload
    for option in options { option.apply(&self) }
  }
}

// MARK: - Policies

extension Request {
  /// The handling of a request that fails because there is no network.
  ///
  /// Downloads, streams, transfers and the pages of a list are never stored, because a later response
  /// would have no destination.
  public enum StorePolicy: String, Sendable, Hashable, Codable {
    /// The request fails and is not stored.
    case none
    /// The request fails and is stored in the client's offline store.
    ///
    /// A replay of the store sends it again.
    ///
    /// - The request is stored after all retries, if
    ///   ``NetworkError/Code-swift.enum/isNetworkUnavailable`` is `true` for the code of its error.
    ///   In this case no complete response was received. The request is not stored after a response
    ///   with any status, such as 503, or after a cancellation.
    /// - The promise is rejected after the request has been written to disk. The error is that of
    ///   the request, and its ``NetworkError/isStoredOffline`` is true. If the store is full or
    ///   cannot be written, the code of the error is `offlineStoreFull` or `offlineStoreFailed`.
    /// - A request whose query, JSON or form has a field with a secret name, such as `password`, is
    ///   not stored unless ``OfflineStore/storesSecrets`` is set. It fails as with ``none``, and
    ///   ``NetworkError/reason`` contains the name.
    /// - The request may reach the server more than once. It therefore has an `Idempotency-Key`
    ///   from its first attempt on, which the replay sends too. Because of this key, a request of
    ///   any method is retried.
    case offline
  }

  /// The use of the client's cache by a request.
  ///
  /// Only GET and HEAD requests use the cache. ``HTTPCache`` has the rules.
  public enum CachePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Follows RFC 9111, unless the client has another policy in ``CachingConfiguration/policy``.
    ///
    /// A fresh stored response is used. For a stale one, the client asks the server whether it has
    /// changed.
    case `default`
    /// Always sends the request, and stores the response.
    ///
    /// The request has `Cache-Control: no-cache`, unless it has a `Cache-Control` field.
    case reload
    /// Asks the server whether the stored response has changed, even if it is fresh.
    ///
    /// A fresh response with the directive `immutable` is used without asking. The request has
    /// `Cache-Control: max-age=0`, unless it has a `Cache-Control` field.
    case revalidate
    /// Uses a stored response, fresh or stale, and sends the request only if there is none.
    ///
    /// Every response with a status below 400 is stored, unless its server forbids it with `no-store`.
    case preferCache
    /// Uses a stored response, fresh or stale, and never sends the request.
    ///
    /// If there is none, the request fails with ``NetworkError/Code-swift.enum/notCached``.
    case onlyCache
    /// Always sends the request, and does not store the response.
    case noStore
  }

  /// The priority of a request among the waiting requests of a client.
  public enum Priority: String, Sendable, Hashable, Codable, CaseIterable {
    /// Starts after all others.
    case veryLow
    /// Starts after requests of normal priority.
    case low
    /// The default priority.
    case normal
    /// Starts before requests of normal priority.
    case high
    /// Starts before all others.
    case veryHigh
  }
}

// MARK: - Description

extension Request: BrieflyDescribed {
  /// The method and the path with secrets masked, such as `GET boards?token=***`.
  public var description: String { NetworkError.RequestSummary(self).description }

  /// A mirror with the secrets in path, header fields and parameters masked.
  ///
  /// Only the size of the payload is included.
  public var customMirror: Mirror {
    let redactor = attributes.redactor
    // Parameters mask the well-known names themselves.
    let parameters: Any =
      redactor.hasAdditionalNames
      ? parameters.map { $0.description(by: redactor) } as Any : parameters as Any
    return Mirror(
      self,
      children: [
        "method": method, "path": NetworkError.RequestSummary(self).url,
        "parameters": parameters, "headers": headers.redacted(by: redactor),
        "contentType": contentType as Any, "queryFormat": queryFormat as Any,
        "payload": payload as Any, "compression": compression as Any, "storePolicy": storePolicy,
        "storeKey": storeKey, "cachePolicy": cachePolicy, "cacheLifetime": cacheLifetime as Any,
        "timeout": timeout as Any,
        "priority": priority, "isShared": isShared as Any, "isIntercepted": isIntercepted,
        "sendsCredentials": sendsCredentials as Any, "attributes": attributes,
      ])
  }
}

/// The error of parameters that cannot be sent.
struct InvalidParameters: Sendable, Hashable {
  let error: any Error

  /// The error of parameters that are added to others, one of which is not a dictionary.
  static let unmerged = InvalidParameters(
    error: ParameterEncodingError(
      keyPath: "", reason: "must be a dictionary, because others are added to them"))

  static func == (left: Self, right: Self) -> Bool { "\(left.error)" == "\(right.error)" }

  func hash(into hasher: inout Hasher) {}
}

extension NetworkError.RequestSummary {
  /// Creates a summary of a request that has not been built yet.
  ///
  /// ``url`` is the path of the request.
  ///
  /// - Parameter request: The request.
  public init(_ request: Request) {
    self.init(method: request.method, url: request.path.text, attributes: request.attributes)
  }
}
