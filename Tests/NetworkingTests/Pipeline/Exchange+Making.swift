@testable import Networking

extension Exchange {
  /// An exchange of a call of its own.
  init(
    _ request: HTTPRequest, timeout: Duration? = nil,
    credentials: NetworkingSettings.Credentials? = nil,
    credentialSource: (any CredentialSource)? = nil, isIntercepted: Bool = true,
    retry: RetryPolicy? = nil, interceptors: [any Interceptor] = [], over transport: any Transport
  ) {
    self.init(
      request, credentials: credentials,
      of: CallContext(
        timeout: timeout, credentialSource: credentialSource, isIntercepted: isIntercepted,
        retry: retry, interceptors: interceptors, over: transport))
  }
}
