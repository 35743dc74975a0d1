@testable import Networking

extension Exchange {
  /// An exchange of a call of its own.
  init(
    _ request: HTTPRequest, timeout: Duration? = nil,
    credentials: NetworkingSettings.Credentials? = nil,
    credentialSource: (any CredentialSource)? = nil, isIntercepted: Bool = true,
    isShared: Bool? = nil, retry: RetryPolicy? = nil, interceptors: [any Interceptor] = [],
    hopInterceptors: [any Interceptor] = [], bodyDestination: BodyDestination = BodyDestination(),
    supplier: TransportSupplier = .client, over transport: any Transport
  ) {
    self.init(
      request, credentials: credentials,
      of: CallContext(
        timeout: timeout, credentialSource: credentialSource, isIntercepted: isIntercepted,
        isShared: isShared, retry: retry, interceptors: interceptors,
        hopInterceptors: hopInterceptors, bodyDestination: bodyDestination, supplier: supplier,
        over: transport))
  }
}
