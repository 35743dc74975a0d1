public import Foundation

/// A type that can be converted to a ``Request``: an endpoint of a server, or a request itself.
///
/// An endpoint type is usually an enumeration with one case for each operation of the server.
///
/// ```swift
/// enum BoardsAPI: RequestConvertible {
///   case boards
///   case board(id: Int)
///
///   static let baseURL = URL(string: "https://api.example.com/v1/")
///
///   var request: Request {
///     switch self {
///     case .boards: .get("boards")
///     case .board(let id): .get("boards/\(id)")
///     }
///   }
/// }
/// ```
///
/// The getters of `request` and `baseURL` may throw, for example when they encode an `Encodable` value
/// or read a setting: `var request: Request { get throws { ... } }`. The error rejects the request.
///
/// The base URL, the header fields and the format of the parameters can also be instance properties,
/// which apply to one value of the type:
///
/// ```swift
/// var baseURL: URL? {
///   switch self {
///   case .login: URL(string: "https://accounts.example.com")
///   default: nil                                  // uses the static property
///   }
/// }
/// ```
public protocol RequestConvertible: Sendable {
  /// The type of the static property `baseURL`: `URL`, `String`, ``BaseURL``, or an optional of
  /// these.
  ///
  /// It is inferred from the declaration of the property. With any other type that is not
  /// ``BaseURLConvertible``, the conformance is a compile-time error.
  associatedtype BaseURLType = URL?

  /// The type of the static property `headers`: ``HTTPHeaders``, `[String: String]`, or an optional of
  /// these.
  ///
  /// It is inferred from the declaration of the property. With any other type that is not
  /// ``HTTPHeadersConvertible``, the conformance is a compile-time error.
  associatedtype HeadersType = HTTPHeaders

  /// The type of the static property `queryFormat`: ``QueryFormat``, or an optional of it.
  ///
  /// It is inferred from the declaration of the property. With any other type, the conformance is a
  /// compile-time error.
  associatedtype QueryFormatType = QueryFormat?

  /// The base URL of the paths. The default `nil` uses the client's base URL.
  static var baseURL: BaseURLType { get throws }

  /// The header fields of all requests of this type. A request can override them. Empty by default.
  static var headers: HeadersType { get }

  /// The format of the parameters in the queries and forms of this type.
  ///
  /// ``Request/queryFormat`` overrides it for one request. The default `nil` uses the client's format.
  static var queryFormat: QueryFormatType { get }

  /// The request for this value.
  var request: Request { get throws }

  /// Returns the base URL that the type declares, whatever its type.
  ///
  /// Generic code uses this method to read the declaration.
  ///
  /// - Returns: The base URL. `nil` uses the client's base URL.
  /// - Throws: The error of the getter. ``NetworkError`` with the code
  ///   ``NetworkError/Code-swift.enum/invalidURL`` for a `String` that is not a URL.
  static func resolvedBaseURL() throws -> URL?

  /// Returns the base URL of this value: that of the instance property `baseURL` if it is declared
  /// and not `nil`, otherwise that of the type.
  ///
  /// Use this method to read the base URL of a value: if the type declares no instance property, the
  /// property `baseURL` of its values is a placeholder without a URL.
  ///
  /// - Returns: The base URL. `nil` uses the client's base URL.
  /// - Throws: The same errors as the static method.
  func resolvedBaseURL() throws -> URL?

  /// Returns the header fields that the type declares, whatever their type.
  ///
  /// Generic code uses this method to read the declaration.
  ///
  /// - Returns: The header fields.
  static func resolvedHeaders() -> HTTPHeaders

  /// Returns the header fields of this value: those of the type, and those of the instance property
  /// `headers` if it is declared, which replace fields of the same name.
  ///
  /// Use this method to read the header fields of a value: if the type declares no instance property,
  /// the property `headers` of its values is a placeholder without fields.
  ///
  /// - Returns: The header fields.
  func resolvedHeaders() -> HTTPHeaders

  /// Returns the format of parameters that the type declares, whatever its type.
  ///
  /// Generic code uses this method to read the declaration.
  ///
  /// - Returns: The format. `nil` uses the client's format.
  static func resolvedQueryFormat() -> QueryFormat?

  /// Returns the format of parameters of this value: that of the instance property `queryFormat` if it
  /// is declared and not `nil`, otherwise that of the type.
  ///
  /// - Returns: The format. `nil` uses the client's format.
  func resolvedQueryFormat() -> QueryFormat?

  // The following requirements detect declarations by their types. Their defaults are in
  // `RequestConvertible+Declarations.swift`.

  associatedtype _InstanceBaseURLType = _NotDeclared
  associatedtype _InstanceHeadersType = _NotDeclared
  associatedtype _InstanceQueryFormatType = _NotDeclared
  associatedtype _MisspelledBaseURLType = _NotDeclared
  associatedtype _MisspelledInstanceBaseURLType = _NotDeclared
  var baseURL: _InstanceBaseURLType { get throws }
  var headers: _InstanceHeadersType { get }
  var queryFormat: _InstanceQueryFormatType { get }
  static var baseUrl: _MisspelledBaseURLType { get }
  var baseUrl: _MisspelledInstanceBaseURLType { get }
  static func _checkSpelling()
}

/// An endpoint with a response type.
///
/// ```swift
/// struct GetProfile: TypedEndpoint {
///   typealias ResponseType = Profile
///   let id: Int
///   var request: Request { .get("profiles/\(id)") }
/// }
///
/// networking.fetch(GetProfile(id: 1)).done { profile in show(profile) }
/// ```
///
/// An endpoint without a base URL has the base URL, the static header fields and the query format of the
/// endpoint type of the client that fetches it. Its own header fields and its own format override these.
public protocol TypedEndpoint: RequestConvertible {
  /// The type of the decoded response body.
  associatedtype ResponseType: Decodable & Sendable
}

/// An endpoint with a retry policy.
///
/// ```swift
/// extension BoardsAPI: RetryableRequest {
///   var retryPolicy: RetryPolicy? {
///     switch self {
///     case .login: .never
///     case .boards: .exponential(initial: .seconds(1), limit: 5)
///     default: nil
///     }
///   }
/// }
/// ```
public protocol RetryableRequest: RequestConvertible {
  /// The retry policy of this endpoint, which overrides the client's.
  ///
  /// `nil` uses the client's policy. ``RetryPolicy/never`` disables retries.
  var retryPolicy: RetryPolicy? { get }
}

extension Request: RequestConvertible {
  /// The request itself.
  public var request: Request { self }

  /// Returns no header fields, because ``headers`` belong to the request itself.
  ///
  /// - Returns: No header fields.
  public func resolvedHeaders() -> HTTPHeaders { [:] }
}

// MARK: - Modifiers

extension RequestConvertible {
  /// Returns an endpoint that transforms the request of this endpoint.
  ///
  /// The base URL, the headers and the response type stay the same.
  ///
  /// - Parameter change: Returns the changed request. It runs each time that the request of the
  ///   endpoint is read.
  /// - Returns: The changed endpoint.
  public func modified(
    _ change: @escaping @Sendable (Request) -> Request
  ) -> ModifiedEndpoint<Self> {
    ModifiedEndpoint(self, change)
  }

  /// Returns an endpoint with another store policy.
  ///
  /// - Parameters:
  ///   - policy: The store policy.
  ///   - key: The key of the replay order. See ``Request/storeKey``.
  /// - Returns: The changed endpoint.
  public func storing(
    _ policy: Request.StorePolicy, key: String = ""
  ) -> ModifiedEndpoint<Self> {
    modified { $0.storing(policy, key: key) }
  }

  /// Returns an endpoint with another use of the client's cache.
  ///
  /// - Parameters:
  ///   - policy: The cache policy.
  ///   - lifetime: The lifetime of the response if its server declares none. `nil` uses the client's
  ///     setting.
  /// - Returns: The changed endpoint.
  public func caching(
    _ policy: Request.CachePolicy = .default, lifetime: Duration? = nil
  ) -> ModifiedEndpoint<Self> {
    modified { $0.caching(policy, lifetime: lifetime) }
  }

  /// Returns an endpoint with another priority.
  ///
  /// - Parameter priority: The priority in the client's queue.
  /// - Returns: The changed endpoint.
  public func prioritized(_ priority: Request.Priority) -> ModifiedEndpoint<Self> {
    modified { $0.prioritized(priority) }
  }

  /// Returns an endpoint with another time limit.
  ///
  /// - Parameter timeout: The time limit for the whole call. `nil` uses the client's setting.
  /// - Returns: The changed endpoint.
  public func timingOut(after timeout: Duration?) -> ModifiedEndpoint<Self> {
    modified { $0.timingOut(after: timeout) }
  }

  /// Returns an endpoint with additional header fields, which replace fields of the same name.
  ///
  /// - Parameter headers: The header fields.
  /// - Returns: The changed endpoint.
  public func adding(headers: HTTPHeaders) -> ModifiedEndpoint<Self> {
    modified { $0.adding(headers: headers) }
  }

  /// Returns an endpoint with additional parameters and header fields, which replace those of the
  /// same name.
  ///
  /// Parameters can only be added to a dictionary or to a request without parameters. Otherwise the
  /// request fails with ``NetworkError/Code-swift.enum/encodingFailed``.
  ///
  /// - Parameters:
  ///   - parameters: A dictionary of parameters.
  ///   - headers: The header fields.
  /// - Returns: The changed endpoint.
  public func adding(
    parameters: Parameters, headers: HTTPHeaders = [:]
  ) -> ModifiedEndpoint<Self> {
    modified { $0.adding(parameters: parameters, headers: headers) }
  }

  /// Returns an endpoint with another format of the parameters in a query or a form.
  ///
  /// - Parameter format: The format. `nil` uses that of the endpoint or the client.
  /// - Returns: The changed endpoint.
  public func formatting(_ format: QueryFormat?) -> ModifiedEndpoint<Self> {
    modified { $0.formatting(format) }
  }

  /// Returns an endpoint whose body is compressed while it is sent.
  ///
  /// ``BodyCompression`` describes the effect.
  ///
  /// - Parameters:
  ///   - coding: The content coding. `nil` sends the body as it is.
  ///   - fallsBack: Whether the request is sent once more without compression if the status of the
  ///     response is 415.
  /// - Returns: The changed endpoint.
  public func compressed(
    _ coding: BodyCompression.Coding?, fallsBack: Bool = false
  ) -> ModifiedEndpoint<Self> {
    modified { $0.compressed(coding, fallsBack: fallsBack) }
  }

  /// Returns an endpoint with another setting for sharing the exchange of an identical request in
  /// flight.
  ///
  /// ``NetworkingConfiguration/sharesRequests`` defines which requests are identical.
  ///
  /// - Parameter isShared: Whether the exchange is shared. `nil` uses the client's setting.
  /// - Returns: The changed endpoint.
  public func sharing(_ isShared: Bool? = true) -> ModifiedEndpoint<Self> {
    modified { $0.sharing(isShared) }
  }

  /// Returns an endpoint that bypasses the interceptors that hold or resend requests.
  ///
  /// Use it for a request that such an interceptor makes itself, such as a token refresh. Otherwise
  /// the request would wait for itself. See ``Request/isIntercepted``.
  ///
  /// - Returns: The changed endpoint.
  public func notIntercepted() -> ModifiedEndpoint<Self> {
    modified { $0.notIntercepted() }
  }

  /// Returns an endpoint without the credentials of the client, such as a login.
  ///
  /// Cookies and the client certificate are still sent. See ``Request/sendsCredentials``.
  ///
  /// - Returns: The changed endpoint.
  public func withoutCredentials() -> ModifiedEndpoint<Self> {
    modified { $0.withoutCredentials() }
  }

  /// Returns an endpoint with a typed attribute, for interceptors and monitors.
  ///
  /// - Parameters:
  ///   - key: The type of the key.
  ///   - value: The value.
  /// - Returns: The changed endpoint.
  public func setting<Key: RequestAttributeKey>(
    _ key: Key.Type, to value: Key.Value
  ) -> ModifiedEndpoint<Self> {
    modified { $0.setting(key, to: value) }
  }

  /// Returns an endpoint with another retry policy, which overrides those of the endpoint and the
  /// client.
  ///
  /// - Parameter policy: The retry policy.
  /// - Returns: The changed endpoint.
  public func retrying(_ policy: RetryPolicy) -> ModifiedEndpoint<Self> {
    ModifiedEndpoint(self, retry: policy) { $0 }
  }
}
