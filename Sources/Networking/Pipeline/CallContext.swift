/// What holds for all attempts and hops of one call, so that an exchange can be handed on by one word.
final class CallContext: Sendable {
  /// How long the call may take, with all its hops; nil is without limit.
  let timeout: Duration?
  /// Who knows what credentials are in force now; nil when they do not change.
  let credentialSource: (any CredentialSource)?
  /// Whether the interceptors that answer for others are for this request.
  let isIntercepted: Bool
  /// What it has to do with an offline store; nil is nothing.
  let offline: OfflineRole?
  /// How it is tried again; nil is as the client has it.
  let retry: RetryPolicy?
  /// The client's own interceptors, outermost first.
  let interceptors: [any Interceptor]
  /// What becomes of the body of the response.
  let delivery: Delivery
  /// What performs the hops.
  let transport: any Transport
  /// What the stages of the call have done so far.
  let trace: CallTrace

  init(
    timeout: Duration? = nil, credentialSource: (any CredentialSource)? = nil,
    isIntercepted: Bool = true, offline: OfflineRole? = nil, retry: RetryPolicy? = nil,
    interceptors: [any Interceptor] = [], delivery: Delivery = Delivery(),
    telling events: CallEvents? = nil, over transport: any Transport
  ) {
    self.timeout = timeout
    self.credentialSource = credentialSource
    self.isIntercepted = isIntercepted
    self.offline = offline
    self.retry = retry
    self.interceptors = interceptors
    self.delivery = delivery
    self.transport = transport
    trace = CallTrace(telling: events)
  }
}
