public import Foundation

/// An endpoint that transforms the request of another endpoint.
///
/// Modifiers such as `storing(_:key:)` return it. The base URL, the headers and the response type
/// are those of ``base``.
public struct ModifiedEndpoint<Base: RequestConvertible>: RequestConvertible {
  /// The original endpoint.
  public let base: Base
  /// The retry policy.
  ///
  /// `nil` uses the policy of ``base``.
  let retry: RetryPolicy?
  let change: @Sendable (Request) -> Request

  init(
    _ base: Base, retry: RetryPolicy? = nil, _ change: @escaping @Sendable (Request) -> Request
  ) {
    self.base = base
    self.retry = retry
    self.change = change
  }

  /// The base URL of the original endpoint's type.
  public static var baseURL: Base.BaseURLType { get throws { try Base.baseURL } }

  /// The headers of the original endpoint's type.
  public static var headers: Base.HeadersType { Base.headers }

  /// The format of the original endpoint's type.
  public static var queryFormat: Base.QueryFormatType { Base.queryFormat }

  /// The request of the original endpoint after all changes.
  public var request: Request {
    get throws { change(try base.request) }
  }

  /// Returns the base URL of the original endpoint's type.
  ///
  /// - Returns: The base URL. `nil` uses the client's base URL.
  /// - Throws: The errors of the original endpoint.
  public static func resolvedBaseURL() throws -> URL? { try Base.resolvedBaseURL() }

  /// Returns the base URL of the original endpoint.
  ///
  /// - Returns: The base URL. `nil` uses the client's base URL.
  /// - Throws: The errors of the original endpoint.
  public func resolvedBaseURL() throws -> URL? { try base.resolvedBaseURL() }

  /// Returns the header fields of the original endpoint's type.
  ///
  /// - Returns: The header fields.
  public static func resolvedHeaders() -> HTTPHeaders { Base.resolvedHeaders() }

  /// Returns the header fields of the original endpoint.
  ///
  /// - Returns: The header fields.
  public func resolvedHeaders() -> HTTPHeaders { base.resolvedHeaders() }

  /// Returns the format of the original endpoint's type.
  ///
  /// - Returns: The format. `nil` uses the client's format.
  public static func resolvedQueryFormat() -> QueryFormat? { Base.resolvedQueryFormat() }

  /// Returns the format of the original endpoint.
  ///
  /// - Returns: The format. `nil` uses the client's format.
  public func resolvedQueryFormat() -> QueryFormat? { base.resolvedQueryFormat() }
}

extension ModifiedEndpoint: EndpointWrapper {
  package static var wrappedType: any RequestConvertible.Type { Base.self }
  package var wrapped: any RequestConvertible { base }
}

extension ModifiedEndpoint: TypedEndpoint where Base: TypedEndpoint {
  /// The response type of the original endpoint.
  public typealias ResponseType = Base.ResponseType
}

extension ModifiedEndpoint: RetryableRequest {
  /// The policy set by ``RequestConvertible/retrying(_:)``, otherwise that of the original
  /// endpoint.
  public var retryPolicy: RetryPolicy? {
    retry ?? (base as? any RetryableRequest)?.retryPolicy
  }
}

// MARK: - Modifiers

/// The modifiers of ``RequestConvertible`` for an endpoint that is modified already.
///
/// They return the same type, so that a chain of modifiers does not nest the type. A
/// modifier receives the request that the previous modifiers have returned.
extension ModifiedEndpoint {
  /// Returns an endpoint that transforms the request of this endpoint.
  ///
  /// The base URL, the headers and the response type stay the same.
  ///
  /// - Parameter change: Returns the changed request. It runs each time that the request of the
  ///   endpoint is read.
  /// - Returns: The changed endpoint.
  public func modified(_ change: @escaping @Sendable (Request) -> Request) -> Self {
    let previous = self.change
    return ModifiedEndpoint(base, retry: retry) { change(previous($0)) }
  }

  /// Returns an endpoint with another retry policy.
  ///
  /// It overrides a policy set by an earlier call, and those of the original endpoint and the
  /// client.
  ///
  /// - Parameter policy: The retry policy.
  /// - Returns: The changed endpoint.
  public func retrying(_ policy: RetryPolicy) -> Self {
    ModifiedEndpoint(base, retry: policy, change)
  }

  /// Returns an endpoint with another store policy.
  ///
  /// - Parameters:
  ///   - policy: The store policy.
  ///   - key: The key of the replay order. See ``Request/storeKey``.
  /// - Returns: The changed endpoint.
  public func storing(_ policy: Request.StorePolicy, key: String = "") -> Self {
    modified { $0.storing(policy, key: key) }
  }

  /// Returns an endpoint with another use of the client's cache.
  ///
  /// - Parameters:
  ///   - policy: The cache policy.
  ///   - lifetime: The lifetime of the response if its server declares none. `nil` uses the client's
  ///     setting.
  /// - Returns: The changed endpoint.
  public func caching(_ policy: Request.CachePolicy = .default, lifetime: Duration? = nil) -> Self {
    modified { $0.caching(policy, lifetime: lifetime) }
  }

  /// Returns an endpoint with another priority.
  ///
  /// - Parameter priority: The priority in the client's queue.
  /// - Returns: The changed endpoint.
  public func prioritized(_ priority: Request.Priority) -> Self {
    modified { $0.prioritized(priority) }
  }

  /// Returns an endpoint with another time limit.
  ///
  /// - Parameter timeout: The time limit for the whole call. `nil` uses the client's setting.
  /// - Returns: The changed endpoint.
  public func timingOut(after timeout: Duration?) -> Self {
    modified { $0.timingOut(after: timeout) }
  }

  /// Returns an endpoint with additional header fields, which replace fields of the same name.
  ///
  /// - Parameter headers: The header fields.
  /// - Returns: The changed endpoint.
  public func adding(headers: HTTPHeaders) -> Self {
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
  public func adding(parameters: Parameters, headers: HTTPHeaders = [:]) -> Self {
    modified { $0.adding(parameters: parameters, headers: headers) }
  }

  /// Returns an endpoint with another format of the parameters in a query or a form.
  ///
  /// - Parameter format: The format. `nil` uses that of the endpoint or the client.
  /// - Returns: The changed endpoint.
  public func formatting(_ format: QueryFormat?) -> Self {
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
  public func compressed(_ coding: BodyCompression.Coding?, fallsBack: Bool = false) -> Self {
    modified { $0.compressed(coding, fallsBack: fallsBack) }
  }

  /// Returns an endpoint with another setting for sharing the exchange of an identical request in
  /// flight.
  ///
  /// ``NetworkingConfiguration/sharesRequests`` defines which requests are identical.
  ///
  /// - Parameter isShared: Whether the exchange is shared. `nil` uses the client's setting.
  /// - Returns: The changed endpoint.
  public func sharing(_ isShared: Bool? = true) -> Self {
    modified { $0.sharing(isShared) }
  }

  /// Returns an endpoint that bypasses the interceptors that hold or resend requests.
  ///
  /// Use it for a request that such an interceptor makes itself, such as a token refresh. Otherwise
  /// the request would wait for itself. See ``Request/isIntercepted``.
  ///
  /// - Returns: The changed endpoint.
  public func notIntercepted() -> Self {
    modified { $0.notIntercepted() }
  }

  /// Returns an endpoint without the credentials of the client, such as a login.
  ///
  /// Cookies and the client certificate are still sent. See ``Request/sendsCredentials``.
  ///
  /// - Returns: The changed endpoint.
  public func withoutCredentials() -> Self {
    modified { $0.withoutCredentials() }
  }

  /// Returns an endpoint with a typed attribute, for interceptors and monitors.
  ///
  /// - Parameters:
  ///   - key: The type of the key.
  ///   - value: The value.
  /// - Returns: The changed endpoint.
  public func setting<Key: RequestAttributeKey>(_ key: Key.Type, to value: Key.Value) -> Self {
    modified { $0.setting(key, to: value) }
  }
}

// MARK: - Wrapped endpoints

/// An endpoint that wraps another endpoint.
///
/// Mocks are looked up for the wrapped endpoint.
package protocol EndpointWrapper: RequestConvertible {
  /// The type of the wrapped endpoint.
  static var wrappedType: any RequestConvertible.Type { get }
  /// The wrapped endpoint.
  var wrapped: any RequestConvertible { get }
}

extension RequestConvertible {
  /// Returns this endpoint or the outermost wrapped endpoint that has a given type.
  ///
  /// - Parameter type: The type of the endpoint.
  /// - Returns: The endpoint, or `nil` if there is none of this type.
  package func unwrapped<Endpoint: RequestConvertible>(to type: Endpoint.Type) -> Endpoint? {
    if let endpoint = self as? Endpoint { return endpoint }
    return (self as? any EndpointWrapper)?.wrapped.unwrapped(to: type)
  }
}
