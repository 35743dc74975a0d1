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

extension ModifiedEndpoint: EndpointLayer {
  package var inner: any RequestConvertible { base }
}

extension ModifiedEndpoint: TypedEndpoint where Base: TypedEndpoint {
  /// What the endpoint as it was gives.
  public typealias ResponseType = Base.ResponseType
}
