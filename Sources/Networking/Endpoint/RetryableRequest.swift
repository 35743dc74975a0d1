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
