import Foundation
import Promises

/// The runner of a client's calls, which waits for the middleware, builds the wire request, and
/// sends it through the stages.
final class CallRunner: Sendable {
  /// The source of time for the client's calls.
  let scheduler: any Scheduler
  /// The limit of a response body in memory, in bytes.
  ///
  /// `nil` means no limit.
  let maximumBodySize: Int?
  /// The limit for the time in which a response body in memory arrives.
  ///
  /// `nil` means no limit.
  let bodyTimeLimit: Duration?
  /// Whether the client follows redirects.
  let followsRedirects: Bool
  /// The client's cookies.
  ///
  /// `nil` when it has none.
  let cookies: CookieStage?
  /// The time limit of a call whose request has none.
  ///
  /// `nil` means no limit.
  private let callTimeout: Duration?
  /// The retry policy of requests that have none of their own.
  let retry: RetryPolicy
  /// The source of the wall clock time.
  let wallClock: @Sendable () -> Date
  /// The redactor of the client's errors and events.
  let redactor: Redactor
  /// The cache of the client.
  let cache: HTTPCache?
  /// The cache of the session of the client.
  let privateCache: HTTPCache?
  private let pipeline: Pipeline
  /// The stages of requests of the client's background session.
  ///
  /// `nil` if the client has no such session.
  private let backgroundPipeline: Pipeline?
  private let builder: RequestBuilder
  private let baseURLs = BaseURLCache()
  private let headers: HeaderCache

  init(
    _ configuration: NetworkingConfiguration, _ session: Session, _ scheduler: any Scheduler
  ) {
    var builder = RequestBuilder(
      headers: configuration.headers, encoders: configuration.encoders,
      connectTimeout: configuration.connectTimeout, idleTimeout: configuration.idleTimeout)
    if let decoder = configuration.decoder { builder.attributes[DecoderKey.self] = decoder }
    redactor =
      configuration.secretNames.isEmpty
      ? .standard : Redactor(names: SecretNames(including: configuration.secretNames))
    if redactor.hasAdditionalNames { builder.attributes[SecretNamesKey.self] = redactor.names }
    self.builder = builder
    let cookies = configuration.cookies.jar(orOfSession: session.cookies).map {
      CookieStage(jar: $0, wallClock: configuration.wallClock)
    }
    self.cookies = cookies
    let cache = configuration.caching.cache(orOfSession: session.cache).map {
      CacheStage(
        $0, configuration.caching, sessionPolicy: session.cachePolicy, cookies: cookies,
        transport: session.transport, scheduler: scheduler, wallClock: configuration.wallClock)
    }
    self.cache = cache?.cache
    privateCache = if case .session = configuration.caching.storage { session.cache } else { nil }
    pipeline = Pipeline(Self.stages(configuration, cookies, cache, scheduler))
    backgroundPipeline = nil
    maximumBodySize = configuration.maximumBodySize
    bodyTimeLimit = configuration.bodyTimeout
    followsRedirects = configuration.redirects.followsAll
    callTimeout = configuration.callTimeout
    retry = configuration.retry
    wallClock = configuration.wallClock
    headers = HeaderCache(configuration.headers)
    self.scheduler = scheduler
  }

  /// Adds the client's names of secrets to a request, whose descriptions mask them.
  func addSecretNames(to request: inout Request) {
    guard redactor.hasAdditionalNames else { return }
    request.attributes[SecretNamesKey.self] = redactor.names
  }

  /// Starts a call that has left the queue.
  ///
  /// - Returns: A promise of the response, which the caller's promise follows.
  func start(_ call: Call) -> NetworkPromise {
    guard let events = call.state.events else { return perform(call) }
    return events.observing { self.perform(call) }
  }

  /// Performs a call, unless the session in which it was made ends before it.
  ///
  /// The response to a stored request is delivered nevertheless, so that the request is not sent again.
  private func perform(_ call: Call) -> NetworkPromise {
    guard !call.sessions.hasEnded else { return .rejected(call.sessionEndedError) }
    let response = begin(call)
    // Fast path: a response that is already available, such as that of a mock.
    if response.isDelivered, !call.sessions.hasEnded { return response }
    // The closure captures the call only, so that it needs no context of its own.
    return response.followed { result in
      guard call.sessions.hasEnded else { return nil }
      switch result {
      case .success:
        if case .replaying = call.offline { return nil }
        throw call.sessionEndedError
      case .failure(let error as NetworkError):
        if error.isCancellation || error.isStoredOffline { return nil }
        // That of a refresh has the request of the refresh.
        throw call.sessionEndedError
      case .failure: return nil
      }
    }
  }

  private func begin(_ call: Call) -> NetworkPromise {
    if call.request.cachePolicy == .onlyCache, cache == nil {
      return .rejected(
        NetworkError(
          .notCached, "the client has no cache", request: NetworkError.RequestSummary(call.request))
      )
    }
    guard call.request.isIntercepted, let middleware = call.settings.middleware else {
      return firstly {
        try pipeline(over: call.transport).send(makeExchange(call).with(call.settings.credentials))
      }
    }
    return waitForMiddleware(middleware, of: call).then(on: .inline) { middlewareTime in
      call.state.startInfo.middlewareTime = middlewareTime
      // The middleware may have authenticated the client.
      return try self.pipeline(over: call.transport).send(
        self.makeExchange(call).withCurrentCredentials())
    }
  }

  /// Returns whether requests over a transport are transfers of the client's background session.
  ///
  /// The requests of a mock are not.
  func isBackground(_ transport: SelectedTransport) -> Bool {
    backgroundPipeline != nil && transport.source == .client
  }

  private func pipeline(over transport: SelectedTransport) -> Pipeline {
    isBackground(transport) ? backgroundPipeline ?? pipeline : pipeline
  }

  /// The attributes of the requests of responses that an earlier run of the program has requested.
  var claimAttributes: RequestAttributes { builder.attributes }

  /// Makes the exchange of a call, without credentials.
  private func makeExchange(_ call: Call) throws -> Exchange {
    let url = try call.makeBaseURL()
    let request = try wireRequest(
      of: call.request, call.endpoint, baseURL: url, preProcess: call.settings.preProcessRequest)
    call.state.events?.built(request)
    if call.offline != nil { call.state.startInfo.baseURL = url }
    return Exchange(request, of: call)
  }

  /// Builds the wire request, without the changes of the stages.
  ///
  /// - Parameters:
  ///   - request: The caller's request.
  ///   - defaults: The defaults of the endpoint.
  ///   - url: The base URL of relative paths.
  ///   - preProcess: The client's ``Networking/preProcessRequest`` hook. `nil` when it has none.
  /// - Returns: The wire request.
  /// - Throws: ``NetworkError`` when the request cannot be built, and errors of the hook.
  func wireRequest(
    of request: Request, _ defaults: Call.EndpointDefaults, baseURL url: URL?,
    preProcess: ((HTTPRequest) throws -> HTTPRequest)?
  ) throws -> HTTPRequest {
    let base = try url.map { try baseURLs.baseURL($0) }
    let built = try builder.build(request, of: defaults.type, against: base) {
      try self.headers.headers(with: defaults.headers)
    }
    guard let preProcess else { return built }
    return built.replaced(by: try preProcess(built))
  }

  /// The stages of a call, outermost first.
  ///
  /// Every request passes through this list.
  static func stages(
    _ configuration: NetworkingConfiguration, _ cookies: CookieStage?, _ cache: CacheStage?,
    _ scheduler: any Scheduler
  ) -> [any Interceptor] {
    [
      OfflineStage(retry: configuration.retry),
      DeadlineStage(phase: .call, scheduler: scheduler) { exchange in
        (exchange.timeout ?? configuration.callTimeout).map {
          $0 - exchange.state.startInfo.middlewareTime
        }
      },
      InterceptorsStage { $0.call.settings.interceptors },
      // The following stages run once for all calls that share the exchange.
      SharingStage(sharesAll: configuration.sharesRequests, cookies: cookies),
      // Outside the retries, so that a body is compressed once.
      CompressionStage(scheduler: scheduler),
      RetryStage(
        policy: configuration.retry, budget: configuration.retryBudget, scheduler: scheduler,
        wallClock: configuration.wallClock),
      RedirectStage(policy: configuration.redirects),
      // The following stages run once for each hop. Each hop has its own response in the cache, so that
      // the response of a redirect's target is not stored for the URL of the redirect.
      cache as (any Interceptor)?,
      // Reachability is checked before the circuit
      // breaker, because a missing network is not a failure of the host.
      configuration.whenUnreachable.map {
        ReachabilityInterceptor(
          configuration.reachability ?? .shared, whenUnreachable: $0, scheduler: scheduler)
      },
      configuration.circuitBreaker.map { CircuitStage($0, scheduler: scheduler) },
      AuthorizationStage(),
      cookies as (any Interceptor)?,
      DeadlineStage(phase: .attempt, scheduler: scheduler) { _ in configuration.attemptTimeout },
      InterceptorsStage { $0.call.settings.hopInterceptors },
    ].compactMap { $0 }
  }
}

/// The additions of a transfer, a stream or a list of pages to one of its requests.
struct HeldExchange: Sendable {
  /// Changes the wire request, after the client's hooks.
  ///
  /// An error rejects the request.
  var prepare: @Sendable (HTTPRequest) throws -> HTTPRequest = { $0 }
  /// The receiver of the progress of both bodies.
  var progress: (any ProgressReporting)?
  /// The source of time of the deadlines, which stops while the transfer is paused.
  ///
  /// `nil` uses that of the client.
  var deadlineClock: (any Scheduler)?
  /// Whether the deadlines end when the head of a stream arrives.
  var deadlinesEndWithHead = false
  /// Returns whether the sender repeats the request after a response, so that it does not need the body.
  var discards: Discard?
  /// The sessions of all requests of the transfer.
  var sessions: HeldSessions?

  /// Returns settings whose hook also prepares the request of the transfer.
  func preparing(_ snapshot: ClientSettings.Snapshot) -> ClientSettings.Snapshot {
    snapshot.updated { settings in
      let hook = settings.preProcessRequest
      settings.preProcessRequest = { request in
        try prepare(try hook.map { request.replaced(by: try $0(request)) } ?? request)
      }
    }
  }
}

// MARK: Middleware

extension CallRunner {
  /// Waits for the middleware.
  ///
  /// Stores the request in the offline store if the middleware fails for lack of a network.
  ///
  /// - Returns: A promise of the time that the middleware took.
  private func waitForMiddleware(
    _ middleware: (Request) -> Promise<Void>, of call: Call
  ) -> Promise<Duration> {
    let middlewareTime = runMiddleware(middleware, for: call)
    guard case .saving(let offlineSaver) = call.offline else { return middlewareTime }
    return offlineSaver.saving(
      middlewareTime, as: UUID().uuidString, baseURL: { try call.makeBaseURL() })
  }

  /// Runs the middleware within the time limit of the call, so that a promise that never settles
  /// does not block the queue.
  private func runMiddleware(
    _ middleware: (Request) -> Promise<Void>, for call: Call
  ) -> Promise<Duration> {
    let (scheduler, request) = (scheduler, call.request)
    let start = scheduler.now
    let renewal = RefreshRound(in: call.refresh, of: call.sessions, canSignOut: false)
    let finished = renewal.run { middleware(request) }
    guard let limit = request.timeout ?? callTimeout else {
      return finished.then(on: .inline) { Duration.zero }
    }
    return finished.timeout(limit, scheduler: scheduler) {
      Self.timedOut(request, "the middleware has not called back")
    }
    .then(on: .inline) {
      let elapsed = scheduler.now - start
      guard elapsed < limit else {
        throw Self.timedOut(request, "the middleware used the whole time limit")
      }
      return elapsed
    }
  }

  private static func timedOut(_ request: Request, _ reason: String) -> NetworkError {
    NetworkError(.timedOut(.call), reason, request: NetworkError.RequestSummary(request))
  }
}
