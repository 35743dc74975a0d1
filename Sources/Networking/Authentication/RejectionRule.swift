/// The responses that mean that the server has rejected the credentials of a request.
///
/// ```swift
/// RefreshInterceptor(on: [401, 419]) { _ in try await session.renew() }
/// RefreshInterceptor(on: .matching { response in response.headers["X-Token"] == "expired" }) { _ in
///   try await session.renew()
/// }
/// ```
///
/// An array literal is a rule of statuses. ``RefreshInterceptor`` refreshes the credentials after such a
/// response, and sends the request once more. So does a session of `NetworkingOAuth2`.
public struct RejectionRule: Sendable {
  package let applies: @Sendable (_ response: Response) -> Bool

  /// Returns a rule of the responses for which a closure returns `true`.
  ///
  /// - Parameter applies: The closure. It runs for each response, on the thread of the exchange, and
  ///   must not block. The body of the response may be missing.
  /// - Returns: The rule.
  public static func matching(
    _ applies: @escaping @Sendable (_ response: Response) -> Bool
  ) -> RejectionRule {
    RejectionRule(applies: applies)
  }
}

extension RejectionRule: ExpressibleByArrayLiteral {
  /// Creates a rule of the responses with one of some statuses.
  ///
  /// - Parameter statuses: The statuses.
  public init(arrayLiteral statuses: Int...) {
    self.init { statuses.contains($0.status) }
  }
}
