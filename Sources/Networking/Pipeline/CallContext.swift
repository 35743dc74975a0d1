/// What holds for all attempts and hops of one call, so that an exchange can be handed on by one word.
final class CallContext: Sendable {
  /// How long the call may take, with all its hops; nil is without limit.
  let timeout: Duration?
  /// How much of that its middleware has taken.
  let waited: Duration
  /// Who knows what credentials are in force now; nil when they do not change.
  let credentialSource: (any CredentialSource)?
  /// Whether the interceptors that answer for others are for this request.
  let isIntercepted: Bool
  /// The refresh that it was made inside of; nil is none.
  let refresh: RefreshRound?
  /// Whether it may be shared with identical ones; nil is as the client has it.
  let isShared: Bool?
  /// What it has to do with an offline store; nil is nothing.
  let offline: OfflineRole?
  /// How it is tried again; nil is as the client has it.
  let retry: RetryPolicy?
  /// The client's own interceptors, outermost first: those of a call, and those of a hop.
  let interceptors: [any Interceptor]
  let hopInterceptors: [any Interceptor]
  /// What becomes of the body of the response.
  let delivery: Delivery
  /// Who says what performs the hops.
  let supplier: TransportSupplier
  /// What performs the hops.
  let transport: any Transport
  /// What the stages of the call have done so far.
  let trace: CallTrace

  init(
    timeout: Duration? = nil, after waited: Duration = .zero,
    credentialSource: (any CredentialSource)? = nil,
    isIntercepted: Bool = true, refresh: RefreshRound? = nil, isShared: Bool? = nil,
    offline: OfflineRole? = nil,
    retry: RetryPolicy? = nil, interceptors: [any Interceptor] = [],
    hopInterceptors: [any Interceptor] = [], delivery: Delivery = Delivery(),
    supplier: TransportSupplier = .client, over transport: any Transport,
    trace: CallTrace = CallTrace()
  ) {
    self.timeout = timeout
    self.waited = waited
    self.credentialSource = credentialSource
    self.isIntercepted = isIntercepted
    self.refresh = refresh
    self.isShared = isShared
    self.offline = offline
    self.retry = retry
    self.interceptors = interceptors
    self.hopInterceptors = hopInterceptors
    self.delivery = delivery
    self.supplier = supplier
    self.transport = transport
    self.trace = trace
  }

  /// The same for the exchange that the call shares with others.
  ///
  /// - Parameters:
  ///   - trace: what the stages further in tell, for all of them.
  ///   - progress: who tells all of them how the bodies get on.
  /// - Returns: what holds from there on in.
  func shared(_ trace: CallTrace, _ progress: any ProgressReporting) -> CallContext {
    var delivery = delivery
    delivery.progress = progress
    return CallContext(
      timeout: timeout, after: waited, credentialSource: credentialSource,
      isIntercepted: isIntercepted,
      refresh: refresh, isShared: isShared, offline: offline, retry: retry,
      interceptors: interceptors,
      hopInterceptors: hopInterceptors, delivery: delivery, supplier: supplier, over: transport,
      trace: trace)
  }
}
