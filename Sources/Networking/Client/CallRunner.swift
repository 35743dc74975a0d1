import Foundation
import Promises

/// The runner of a client's calls, which waits for the middleware, builds the wire request, and
/// sends it through the stages.
final class CallRunner: Sendable {
  /// The source of time for the client's calls.
  let scheduler: any Scheduler
  /// The settings for the reception of responses.
  let reception: ReceptionSettings
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
  /// The recording of the calls.
  let tracing: CallTracing?
  /// The limit for the number of running requests.
  let mode: RequestMode
  /// The cache of the session of the client.
  let privateCache: HTTPCache?
  private let pipeline: Pipeline
  /// The performer of the calls over the client's own transport.
  ///
  /// `nil` if the stages perform them.
  let performer: (any CallPerformer)?
  private let builder: RequestBuilder
  private let baseURLs = LastValue<URL, BaseURL>()
  private let headers = LastValue<[HTTPHeaders.Field], HTTPHeaders>()

  init(
    _ configuration: NetworkingConfiguration, _ session: Session, _ scheduler: any Scheduler
  ) {
    var builder = RequestBuilder(
      headers: configuration.headers, encoders: configuration.encoders,
      connectTimeout: configuration.connectTimeout, idleTimeout: configuration.idleTimeout)
    builder.sendsCredentials = configuration.sendsCredentials
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
        scheduler: scheduler, wallClock: configuration.wallClock)
    }
    self.cache = cache?.cache
    privateCache = if case .session = configuration.caching.storage { session.cache } else { nil }
    pipeline = Pipeline(Self.stages(configuration, cookies, cache, scheduler))
    performer = session.performer
    tracing = configuration.tracing
    mode = configuration.mode
    reception = ReceptionSettings(
      maximumBodySize: configuration.maximumBodySize, timeLimit: configuration.bodyTimeout,
      followsRedirects: configuration.redirects.followsAll, scheduler: scheduler)
    callTimeout = configuration.callTimeout
    retry = configuration.retry
    wallClock = configuration.wallClock
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
        NetworkError(.notCached, "the client has no cache", request: .init(call.request)))
    }
    guard call.request.isIntercepted, let middleware = call.settings.middleware,
      let client = call.credentialSource
    else { return firstly { try send(makeExchange(call).with(call.settings.credentials)) } }
    return waitForMiddleware({ middleware($0, client) }, of: call).then(on: .inline) {
      middlewareTime in
      call.state.middlewareTime = middlewareTime
      // The middleware may have authenticated the client.
      return try self.send(self.makeExchange(call).withCurrentCredentials())
    }
  }

  /// Returns the performer of the calls over a transport.
  ///
  /// `nil` if the stages perform them, as for a mock.
  func performer(over transport: SelectedTransport) -> (any CallPerformer)? {
    transport.source == .client ? performer : nil
  }

  private func send(_ exchange: Exchange) -> NetworkPromise {
    guard let performer = performer(over: exchange.call.transport) else {
      return pipeline.send(exchange)
    }
    return Pipeline(
      [InterceptorsStage(level: .call), AuthorizationStage()],
      around: { exchange in
        firstly {
          try exchange.checkSessions()
          return performer.perform(exchange)
        }
      }
    ).send(performer.prepare(exchange))
  }

  /// The attributes of each request of the client, such as its decoder.
  var attributes: RequestAttributes { builder.attributes }

  /// Makes the exchange of a call, without credentials.
  private func makeExchange(_ call: Call) throws -> Exchange {
    var request = try wireRequest(
      of: call.request, call.endpoint, baseURL: call.baseURL.get(),
      preProcess: call.settings.preProcessRequest)
    if let prepare = call.options.prepare { request = request.replaced(by: try prepare(request)) }
    call.state.events?.built(request)
    return Exchange(consume request, of: call)
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
    let base = try url.map { url in try baseURLs.value(for: url) { try BaseURL(url) } }
    let built = try builder.build(request, of: defaults.type, against: base) {
      try headers.value(for: defaults.headers.fields) {
        let merged = builder.headers.merging(defaults.headers)
        try merged.validate()
        return merged
      }
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
          $0 - exchange.state.middlewareTime
        }
      },
      InterceptorsStage(level: .call),
      // The following stages run once for all calls that share the exchange.
      SharingStage(sharesAll: configuration.sharesRequests, cookies: cookies),
      // Outside the retries, so that a body is compressed once.
      CompressionStage(scheduler: scheduler),
      RetryStage(
        policy: configuration.retry, budget: configuration.retryBudget, scheduler: scheduler,
        wallClock: configuration.wallClock),
      InterceptorsStage(level: .attempt),
      RedirectStage(policy: configuration.redirects),
      // The following stages run once for each hop. Each hop has its own response in the cache, so that
      // the response of a redirect's target is not stored for the URL of the redirect.
      cache as (any Interceptor)?,
      // Reachability is checked before the interceptors, among which may be a circuit breaker, because
      // a missing network is not a failure of the host.
      configuration.whenUnreachable.map {
        ReachabilityStage(
          reachability: configuration.reachability ?? .shared, policy: $0, scheduler: scheduler)
      },
      InterceptorsStage(level: .origin),
      AuthorizationStage(),
      cookies as (any Interceptor)?,
      DeadlineStage(phase: .attempt, scheduler: scheduler) { _ in configuration.attemptTimeout },
      InterceptorsStage(level: .hop),
      configuration.tracing?.stage,
    ].compactMap { $0 }
  }
}

/// A performer of whole calls, which takes the place of the client's stages.
///
/// A call passes the client's interceptors, and gets its credentials. There are no deadlines, retries,
/// redirects, caches and cookies of the client, and its queue does not limit the number of calls.
package protocol CallPerformer: Sendable {
  /// Returns the exchange that the interceptors receive.
  func prepare(_ exchange: Exchange) -> Exchange

  /// Performs a call, after the interceptors.
  func perform(_ exchange: Exchange) -> NetworkPromise
}

// MARK: Middleware

extension CallRunner {
  /// Waits for the middleware within the time limit of the call, so that a promise that never settles
  /// does not block the queue.
  ///
  /// Stores the request in the offline store if the middleware fails for lack of a network.
  ///
  /// - Returns: A promise of the time that the middleware took.
  private func waitForMiddleware(
    _ middleware: (Request) -> Promise<Void>, of call: Call
  ) -> Promise<Duration> {
    let (scheduler, request) = (scheduler, call.request)
    let (start, limit) = (scheduler.now, request.timeout ?? callTimeout)
    let renewal = RefreshRound(in: call.refresh, of: call.sessions, canSignOut: false)
    var finished = renewal.run { middleware(request) }
    if let limit {
      finished = finished.timeout(limit, scheduler: scheduler) {
        Self.timedOut(request, "the middleware has not called back")
      }
    }
    let middlewareTime = finished.then(on: .inline) {
      let elapsed = scheduler.now - start
      if let limit, elapsed >= limit {
        throw Self.timedOut(request, "the middleware used the whole time limit")
      }
      return elapsed
    }
    guard case .saving(let offlineSaver) = call.offline else { return middlewareTime }
    return offlineSaver.saving(
      middlewareTime, as: UUID().uuidString, baseURL: call.baseURL)
  }

  private static func timedOut(_ request: Request, _ reason: String) -> NetworkError {
    NetworkError(.timedOut(.call), reason, request: .init(request))
  }
}
