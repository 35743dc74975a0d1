import Promises

/// One request on its way through the pipeline, and what the stages need to know besides.
///
/// It is a value: a stage that wants something changed hands a changed copy on.
public struct Exchange: Sendable {
  /// What is to be sent.
  public var request: HTTPRequest
  /// How many hops of redirection lie before this one.
  public internal(set) var redirects = 0
  /// The credentials in force when the request was made, for their origin alone.
  private(set) var credentials: NetworkingSettings.Credentials?
  /// What holds for the whole call.
  var call: CallContext

  init(
    _ request: HTTPRequest, credentials: NetworkingSettings.Credentials? = nil, of call: CallContext
  ) {
    self.request = request
    self.credentials = credentials
    self.call = call
  }

  /// How long the call may take, with all its hops; nil is without limit.
  public var timeout: Duration? { call.timeout }

  /// Whether the interceptors that answer for others, such as a token's refresh, are for this request.
  ///
  /// An interceptor that makes requests of its own passes those by that say no, as they may be its own.
  public var isIntercepted: Bool { call.isIntercepted }

  /// What it has to do with an offline store; nil is nothing.
  var offline: OfflineMode? { call.offline }

  /// The same with the credentials that are in force now.
  func withCurrentCredentials() -> Exchange {
    guard let source = call.credentialSource else { return self }
    var exchange = self
    exchange.credentials = source.credentials
    return exchange
  }
}

extension Exchange {
  /// An answer that tells of all attempts of the call, where there were several.
  ///
  /// - Parameter responsePromise: the promise of the last attempt.
  /// - Returns: a promise of the same outcome, with the attempts on it.
  func recordingAttempt(_ responsePromise: NetworkPromise) -> NetworkPromise {
    responsePromise
      .map { response in recordAttempt(response) }
      .recover(on: .inline, policy: .allErrors) { error -> Response in throw recordAttempt(error) }
  }

  /// A response that ends the attempt under way, with all attempts where there were several.
  func recordAttempt(_ response: Response) -> Response {
    call.trace.end(.success(response))
    return call.trace.attemptCount > 1 ? response.after(call.trace.attempts) : response
  }

  /// An error that ends the attempt under way, with all attempts where there were several.
  func recordAttempt(_ error: any Error) -> any Error {
    call.trace.end(.failure(error))
    return (error as? NetworkError)?.after(call.trace.attempts) ?? error
  }
}

extension Exchange: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The request's method and URL, without secrets.
  public var description: String { request.description }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// What there is to see without secrets; the credentials in force are not in it.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["request": request, "redirects": redirects, "timeout": timeout as Any])
  }
}

extension Exchange {
  /// Tells those who watch; nil when nobody does.
  var events: CallEvents? { call.trace.events }

  /// Performs the hop.
  func perform() -> NetworkPromise {
    call.transport.perform(
      request, call.bodyDestination,
      reportingTo: events?.begin(request, attempt: call.trace.attemptCount, hop: redirects + 1))
  }

  /// An interceptor sends the request again, at once.
  func reportResend(after result: Result<Response, any Error>) {
    guard let events else { return }
    let number = call.trace.attemptCount
    let failed = FailedAttempt(number: number, request: request, result: result)
    events.add(
      .retrying(
        after: .zero, because: NetworkEvent.Failure(failed.error), attempt: number + 1))
  }
}

/// What holds for all attempts and hops of one call, so that an exchange can be handed on by one word.
final class CallContext: Sendable {
  /// How long the call may take, with all its hops; nil is without limit.
  let timeout: Duration?
  /// How much of that its middleware has taken.
  let middlewareDuration: Duration
  /// Who knows what credentials are in force now; nil when they do not change.
  let credentialSource: (any CredentialSource)?
  /// Whether the interceptors that answer for others are for this request.
  let isIntercepted: Bool
  /// The refresh that it was made inside of; nil is none.
  let refresh: RefreshRound?
  /// Whether it may be shared with identical ones; nil is as the client has it.
  let isShared: Bool?
  /// What it has to do with an offline store; nil is nothing.
  let offline: OfflineMode?
  /// How it is tried again; nil is as the client has it.
  let retry: RetryPolicy?
  /// The client's own interceptors, outermost first: those of a call, and those of a hop.
  let interceptors: [any Interceptor]
  let hopInterceptors: [any Interceptor]
  /// What becomes of the body of the response.
  let bodyDestination: BodyDestination
  /// Who says what performs the hops.
  let supplier: TransportSupplier
  /// What performs the hops.
  let transport: any Transport
  /// What the stages of the call have done so far.
  let trace: CallTrace

  init(
    timeout: Duration? = nil, after middlewareDuration: Duration = .zero,
    credentialSource: (any CredentialSource)? = nil,
    isIntercepted: Bool = true, refresh: RefreshRound? = nil, isShared: Bool? = nil,
    offline: OfflineMode? = nil,
    retry: RetryPolicy? = nil, interceptors: [any Interceptor] = [],
    hopInterceptors: [any Interceptor] = [], bodyDestination: BodyDestination = BodyDestination(),
    supplier: TransportSupplier = .client, over transport: any Transport,
    trace: CallTrace = CallTrace()
  ) {
    self.timeout = timeout
    self.middlewareDuration = middlewareDuration
    self.credentialSource = credentialSource
    self.isIntercepted = isIntercepted
    self.refresh = refresh
    self.isShared = isShared
    self.offline = offline
    self.retry = retry
    self.interceptors = interceptors
    self.hopInterceptors = hopInterceptors
    self.bodyDestination = bodyDestination
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
    var bodyDestination = bodyDestination
    bodyDestination.progress = progress
    return CallContext(
      timeout: timeout, after: middlewareDuration, credentialSource: credentialSource,
      isIntercepted: isIntercepted,
      refresh: refresh, isShared: isShared, offline: offline, retry: retry,
      interceptors: interceptors,
      hopInterceptors: hopInterceptors, bodyDestination: bodyDestination, supplier: supplier,
      over: transport,
      trace: trace)
  }
}

/// Whoever knows what credentials are in force now: the client.
protocol CredentialSource: AnyObject, Sendable {
  /// The credentials, and the one origin that they are for; nil is none.
  var credentials: NetworkingSettings.Credentials? { get }
}
