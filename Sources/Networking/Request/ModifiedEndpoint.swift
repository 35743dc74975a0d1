import Foundation

/// An endpoint whose request is changed before it is used; what `storing(_:)` and its like make.
///
/// It asks the same of the same server: base URL, headers and response type are those of ``base``.
public struct ModifiedEndpoint<Base: RequestConvertible>: RequestConvertible {
  /// The endpoint as it was.
  public let base: Base
  /// How it is tried again; nil is as the endpoint was.
  let retry: RetryPolicy?
  let change: @Sendable (Request) -> Request

  init(
    _ base: Base, retry: RetryPolicy? = nil, _ change: @escaping @Sendable (Request) -> Request
  ) {
    self.base = base
    self.retry = retry
    self.change = change
  }

  /// The base URL of the endpoint as it was.
  public static var baseURL: URL? { Base.baseURL }
  /// The headers of the endpoint as it was.
  public static var headers: HTTPHeaders { Base.headers }
  /// The changed request.
  public var request: Request {
    get throws { change(try base.request) }
  }
}

extension ModifiedEndpoint: EndpointWrapper {
  package var wrapped: any RequestConvertible { base }
}

extension ModifiedEndpoint: TypedEndpoint where Base: TypedEndpoint {
  /// What the endpoint as it was gives.
  public typealias ResponseType = Base.ResponseType
}

/// A further change, which is made to the request that the changes before it give.
///
/// Here and not only for all endpoints, so that a chain of changes is still one of the endpoint.
extension ModifiedEndpoint {
  /// With a request that is changed before it is used.
  ///
  /// - Parameter change: gives the request to use, whenever one is made of the endpoint.
  /// - Returns: an endpoint that asks the same of the same server otherwise.
  public func modified(
    _ change: @escaping @Sendable (Request) -> Request
  ) -> ModifiedEndpoint<Base> {
    let before = self.change
    return ModifiedEndpoint(base, retry: retry) { change(before($0)) }
  }

  /// With another retry policy, which wins over one set before, the endpoint's own and the client's.
  ///
  /// - Parameter policy: how it is tried again.
  /// - Returns: the changed endpoint.
  public func retrying(_ policy: RetryPolicy) -> ModifiedEndpoint<Base> {
    ModifiedEndpoint(base, retry: policy, change)
  }

  /// With another store policy.
  ///
  /// - Parameters:
  ///   - policy: what becomes of it when there is no network.
  ///   - key: whose order it joins when it is kept; see ``Request/storeKey``.
  /// - Returns: the changed endpoint.
  public func storing(
    _ policy: Request.StorePolicy, key: String = ""
  ) -> ModifiedEndpoint<Base> {
    modified { $0.storing(policy, key: key) }
  }

  /// With another cache policy, which clients do not act on yet.
  ///
  /// - Parameter policy: how it uses the cache.
  /// - Returns: the changed endpoint.
  public func caching(_ policy: Request.CachePolicy) -> ModifiedEndpoint<Base> {
    modified { $0.caching(policy) }
  }

  /// With another priority.
  ///
  /// - Parameter priority: which requests go first.
  /// - Returns: the changed endpoint.
  public func prioritized(_ priority: Request.Priority) -> ModifiedEndpoint<Base> {
    modified { $0.prioritized(priority) }
  }

  /// With another time limit.
  ///
  /// - Parameter timeout: how long the call may take as a whole; nil is as the client has it.
  /// - Returns: the changed endpoint.
  public func timingOut(after timeout: Duration?) -> ModifiedEndpoint<Base> {
    modified { $0.timingOut(after: timeout) }
  }

  /// With further headers, in the place of those of the same names.
  ///
  /// - Parameter headers: the header fields.
  /// - Returns: the changed endpoint.
  public func adding(headers: HTTPHeaders) -> ModifiedEndpoint<Base> {
    modified { $0.adding(headers: headers) }
  }

  /// Sharing the exchange of an identical request that is under way, or not.
  ///
  /// - Parameter isShared: whether it does; nil is as the client has it. Which requests are identical says
  ///   ``NetworkingConfiguration/sharesRequests``.
  /// - Returns: the changed endpoint.
  public func sharing(_ isShared: Bool? = true) -> ModifiedEndpoint<Base> {
    modified { $0.sharing(isShared) }
  }

  /// Out of sight of the interceptors that answer for others, so that a token's refresh cannot wait
  /// for itself.
  ///
  /// - Returns: the changed endpoint.
  public func notIntercepted() -> ModifiedEndpoint<Base> {
    modified { $0.notIntercepted() }
  }
}

/// An endpoint around another one, which is the one that mocks are for.
package protocol EndpointWrapper: RequestConvertible {
  /// The endpoint that it is around.
  var wrapped: any RequestConvertible { get }
}

extension RequestConvertible {
  /// The outermost endpoint of a type, this one or one that it is around; nil when there is none.
  ///
  /// - Parameter type: the type of the endpoint.
  /// - Returns: the endpoint.
  package func unwrapped<Endpoint: RequestConvertible>(to type: Endpoint.Type) -> Endpoint? {
    if let endpoint = self as? Endpoint { return endpoint }
    return (self as? any EndpointWrapper)?.wrapped.unwrapped(to: type)
  }
}
