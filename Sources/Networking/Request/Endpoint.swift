import Foundation

/// Something that a client can ask for: an endpoint of a server, or a request by itself.
///
/// An enumeration with one case for each thing to ask is the usual shape.
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
/// Where parameters come from an `Encodable` value, `request` may throw: `var request: Request { get
/// throws { ... } }`.
public protocol RequestConvertible: Sendable {
  /// What the paths are relative to; nil, the default, leaves it to the client.
  static var baseURL: URL? { get }

  /// The header fields of all requests of this type, unless a request has others; none by default.
  static var headers: HTTPHeaders { get }

  /// What to ask.
  var request: Request { get throws }
}

extension RequestConvertible {
  /// None; the client's counts.
  public static var baseURL: URL? { nil }

  /// None.
  public static var headers: HTTPHeaders { [:] }
}

extension Request: RequestConvertible {
  /// The request itself.
  public var request: Request { self }
}

/// The same endpoint with one thing of its request different.
extension RequestConvertible {
  /// With a request that is changed before it is used.
  ///
  /// - Parameter change: gives the request to use, whenever one is made of the endpoint.
  /// - Returns: an endpoint that asks the same of the same server otherwise.
  public func modified(
    _ change: @escaping @Sendable (Request) -> Request
  ) -> ModifiedEndpoint<Self> {
    ModifiedEndpoint(self, change)
  }

  /// With another store policy.
  ///
  /// - Parameters:
  ///   - policy: what becomes of it when there is no network.
  ///   - key: whose order it joins when it is kept; see ``Request/storeKey``.
  /// - Returns: the changed endpoint.
  public func storing(
    _ policy: Request.StorePolicy, key: String = ""
  ) -> ModifiedEndpoint<Self> {
    modified { $0.storing(policy, key: key) }
  }

  /// With another cache policy, which clients do not act on yet.
  ///
  /// - Parameter policy: how it uses the cache.
  /// - Returns: the changed endpoint.
  public func caching(_ policy: Request.CachePolicy) -> ModifiedEndpoint<Self> {
    modified { $0.caching(policy) }
  }

  /// With another priority.
  ///
  /// - Parameter priority: which requests go first.
  /// - Returns: the changed endpoint.
  public func prioritized(_ priority: Request.Priority) -> ModifiedEndpoint<Self> {
    modified { $0.prioritized(priority) }
  }

  /// With another time limit.
  ///
  /// - Parameter timeout: how long the call may take as a whole; nil is as the client has it.
  /// - Returns: the changed endpoint.
  public func timingOut(after timeout: Duration?) -> ModifiedEndpoint<Self> {
    modified { $0.timingOut(after: timeout) }
  }

  /// With further headers, in the place of those of the same names.
  ///
  /// - Parameter headers: the header fields.
  /// - Returns: the changed endpoint.
  public func adding(headers: HTTPHeaders) -> ModifiedEndpoint<Self> {
    modified { $0.adding(headers: headers) }
  }

  /// Sharing the exchange of an identical request that is under way, or not.
  ///
  /// - Parameter isShared: whether it does; nil is as the client has it. Which requests are identical says
  ///   ``NetworkingConfiguration/sharesRequests``.
  /// - Returns: the changed endpoint.
  public func sharing(_ isShared: Bool? = true) -> ModifiedEndpoint<Self> {
    modified { $0.sharing(isShared) }
  }

  /// Out of sight of the interceptors that answer for others, so that a token's refresh cannot wait
  /// for itself.
  ///
  /// - Returns: the changed endpoint.
  public func notIntercepted() -> ModifiedEndpoint<Self> {
    modified { $0.notIntercepted() }
  }
}

/// An endpoint that says what comes back.
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
/// Without a base URL of its own it goes to that of the client that fetches it.
public protocol TypedEndpoint: RequestConvertible {
  /// What the body of a response is decoded as.
  associatedtype ResponseType: Decodable & Sendable
}

/// An endpoint that says how it is tried again.
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
  /// How it is tried again, in place of what the client does; nil leaves it to the client, and
  /// ``RetryPolicy/never`` tries nothing again.
  var retryPolicy: RetryPolicy? { get }
}

extension RequestConvertible {
  /// With another retry policy, which wins over the endpoint's own and the client's.
  ///
  /// - Parameter policy: how it is tried again.
  /// - Returns: the changed endpoint.
  public func retrying(_ policy: RetryPolicy) -> ModifiedEndpoint<Self> {
    ModifiedEndpoint(self, retry: policy) { $0 }
  }
}

extension ModifiedEndpoint: RetryableRequest {
  /// What ``RequestConvertible/retrying(_:)`` has set, or else the policy of the endpoint as it was.
  public var retryPolicy: RetryPolicy? {
    retry ?? (base as? any RetryableRequest)?.retryPolicy
  }
}
