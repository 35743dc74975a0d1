import Foundation

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
/// The getter of `request` may throw, for example when it encodes an `Encodable` value:
/// `var request: Request { get throws { ... } }`.
public protocol RequestConvertible: Sendable {
  /// The base URL of the paths. The default `nil` uses the client's base URL.
  static var baseURL: URL? { get }

  /// The header fields of all requests of this type. A request can override them. Empty by default.
  static var headers: HTTPHeaders { get }

  /// The request for this value.
  var request: Request { get throws }
}

extension RequestConvertible {
  /// `nil`, which uses the client's base URL.
  public static var baseURL: URL? { nil }

  /// No header fields.
  public static var headers: HTTPHeaders { [:] }
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
/// An endpoint without a base URL uses the base URL of the client that fetches it.
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

  /// Returns an endpoint with another cache policy.
  ///
  /// Clients ignore the cache policy at present.
  ///
  /// - Parameter policy: The cache policy.
  /// - Returns: The changed endpoint.
  public func caching(_ policy: Request.CachePolicy) -> ModifiedEndpoint<Self> {
    modified { $0.caching(policy) }
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

  /// Returns an endpoint with another retry policy, which overrides those of the endpoint and the
  /// client.
  ///
  /// - Parameter policy: The retry policy.
  /// - Returns: The changed endpoint.
  public func retrying(_ policy: RetryPolicy) -> ModifiedEndpoint<Self> {
    ModifiedEndpoint(self, retry: policy) { $0 }
  }
}
