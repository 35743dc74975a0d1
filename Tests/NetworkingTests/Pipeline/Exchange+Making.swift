@testable import Networking

extension Exchange {
  /// Makes an exchange of a call of its own.
  init(
    _ request: HTTPRequest, timeout: Duration? = nil, credentials: Credentials? = nil,
    credentialSource: (any CredentialSource)? = nil, isIntercepted: Bool = true,
    isShared: Bool? = nil, retry: RetryPolicy? = nil, interceptors: [any Interceptor] = [],
    hopInterceptors: [any Interceptor] = [], destination: BodyDestination = BodyDestination(),
    source: SelectedTransport.Source = .client, over transport: any Transport
  ) {
    var original = Request(.get, "")
    original.timeout = timeout
    original.isIntercepted = isIntercepted
    original.isShared = isShared
    var settings = ClientSettings(baseURL: { nil })
    settings.interceptors = interceptors
    settings.hopInterceptors = hopInterceptors
    self.init(
      request, credentials: credentials,
      of: Call(
        original, endpoint: Call.EndpointDefaults(retry: retry),
        settings: ClientSettings.Snapshot(settings),
        over: SelectedTransport(transport: transport, source: source), to: destination,
        credentialSource: credentialSource))
  }
}
