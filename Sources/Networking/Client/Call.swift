import Foundation
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request of a client whose turn has come, with all that was in force when it was made.
final class Call: Sendable {
  private let request: Request
  private let headers: HTTPHeaders
  private let baseURL: URL?
  private let snapshot: NetworkingSettings.Snapshot
  private let plan: CallPlan
  private let transport: any Transport
  private let supplier: TransportSupplier
  private let bodyDestination: BodyDestination
  private let retry: RetryPolicy?
  private let credentialSource: any CredentialSource
  private let offline: OfflineMode?
  /// Taken where the request is made, as it may be sent elsewhere.
  private let refresh = RefreshRound.current
  private let events: CallEvents?

  /// Makes a call.
  ///
  /// - Parameters:
  ///   - request: what to ask for.
  ///   - headers: the endpoint's own header fields.
  ///   - baseURL: the endpoint's own.
  ///   - snapshot: what of the client was in force.
  ///   - plan: what all calls of the client have in common.
  ///   - transport: what performs it.
  ///   - supplier: who says that it is this transport.
  ///   - bodyDestination: what becomes of the body of the response.
  ///   - retry: the endpoint's own policy; nil leaves it to the client.
  ///   - credentialSource: who knows what credentials are in force later.
  ///   - offline: what it has to do with an offline store; nil is nothing.
  ///   - events: tells those who watch; nil when nobody does.
  init(
    request: Request, headers: HTTPHeaders, baseURL: URL?, snapshot: NetworkingSettings.Snapshot,
    plan: CallPlan, transport: any Transport, supplier: TransportSupplier,
    bodyDestination: BodyDestination,
    retry: RetryPolicy?, credentialSource: any CredentialSource, offline: OfflineMode? = nil,
    reportingTo events: CallEvents? = nil
  ) {
    self.request = request
    self.headers = headers
    self.baseURL = baseURL
    self.snapshot = snapshot
    self.plan = plan
    self.transport = transport
    self.supplier = supplier
    self.bodyDestination = bodyDestination
    self.retry = retry
    self.credentialSource = credentialSource
    self.offline = offline
    self.events = events
  }

  /// Waits for the middleware, builds the request and sends it on its way.
  func start() -> NetworkPromise {
    guard let events else { return begin() }
    return events.observing(begin)
  }

  private func begin() -> NetworkPromise {
    guard let middleware = snapshot.settings.middleware else {
      return firstly { try send(after: .zero) }
    }
    return runMiddleware(middleware).then(on: .inline) { middlewareDuration in
      try self.send(after: middlewareDuration)
    }
  }

  /// The middleware's promise, of how long it took; without a network for that, the request is kept as without
  /// one for itself.
  private func runMiddleware(_ middleware: (Request) -> Promise<Void>) -> Promise<Duration> {
    let middlewareDuration = middlewareDelay(for: middleware)
    guard case .saving(var offlineSaver) = offline else { return middlewareDuration }
    offlineSaver.baseURL = snapshot.settings.baseURL() ?? baseURL
    return offlineSaver.saving(middlewareDuration, as: UUID().uuidString)
  }

  /// Waits for the middleware no longer than the call may take, as one that never settled its promise would
  /// keep its turn for ever.
  private func middlewareDelay(for middleware: (Request) -> Promise<Void>) -> Promise<Duration> {
    let scheduler = plan.scheduler
    let start = scheduler.now
    let runMiddleware = middleware(request)
    guard let limit = request.timeout ?? plan.callTimeout else {
      return runMiddleware.then(on: .inline) { Duration.zero }
    }
    let request = request
    return runMiddleware.timeout(limit, scheduler: scheduler) {
      Self.timeoutError(request, "the middleware has not called back")
    }
    .then(on: .inline) {
      let middlewareDuration = scheduler.now - start
      guard middlewareDuration < limit else {
        throw Self.timeoutError(request, "the middleware has taken all of it")
      }
      return middlewareDuration
    }
  }

  private static func timeoutError(_ request: Request, _ reason: String) -> NetworkError {
    NetworkError(.timedOut(.call), reason, request: NetworkError.RequestSummary(request))
  }

  private func send(after middlewareDuration: Duration) throws -> NetworkPromise {
    let url = snapshot.settings.baseURL() ?? baseURL
    let processed = try plan.wireRequest(
      of: request, headers: headers, baseURL: url, preProcess: snapshot.settings.preProcessRequest)
    var offline = offline
    if case .saving(var offlineSaver) = offline {
      offlineSaver.baseURL = url
      offline = .saving(offlineSaver)
    }
    let context = CallContext(
      timeout: request.timeout, after: middlewareDuration, credentialSource: credentialSource,
      isIntercepted: request.isIntercepted, refresh: refresh, isShared: request.isShared,
      offline: offline,
      retry: retry, interceptors: snapshot.settings.interceptors,
      hopInterceptors: snapshot.settings.hopInterceptors,
      bodyDestination: bodyDestination, supplier: supplier, over: transport,
      trace: CallTrace(reportingTo: events))
    return plan.pipeline.send(
      Exchange(processed, credentials: snapshot.settings.credentials, of: context))
  }
}

/// What all calls of one client have in common, made once.
final class CallPlan: Sendable {
  /// Makes the wire requests; without a base URL, which each call brings.
  let builder: RequestBuilder
  /// The stages.
  let pipeline: Pipeline
  /// How large a body in memory may become; nil is without limit.
  let maximumBodySize: Int?
  /// How long a call may take whose request does not say so; nil is without limit.
  let callTimeout: Duration?
  /// Whose time counts.
  let scheduler: any Scheduler
  /// Where cookies are kept; nil for nowhere.
  let cookies: HTTPCookieStorage?
  let baseURLs = BaseURLCache()
  let headers: HeaderCache

  init(
    _ configuration: NetworkingConfiguration, _ session: Session, _ scheduler: any Scheduler
  ) {
    builder = RequestBuilder(
      headers: configuration.headers, encoders: configuration.encoders,
      connectTimeout: configuration.connectTimeout, idleTimeout: configuration.idleTimeout)
    pipeline = Pipeline(Self.stages(configuration, session, scheduler))
    maximumBodySize = configuration.maximumBodySize
    callTimeout = configuration.callTimeout
    headers = HeaderCache(configuration.headers)
    cookies = configuration.cookies.storage(of: session)
    self.scheduler = scheduler
  }

  /// What goes into the pipeline for a request.
  ///
  /// - Parameters:
  ///   - request: what is asked.
  ///   - headers: the endpoint's own header fields.
  ///   - url: what a relative path is relative to.
  ///   - preProcess: the client's own hook, ``NetworkingSettings/preProcessRequest``; nil for none.
  /// - Returns: the request as it goes over the wire, without what the stages add.
  /// - Throws: ``NetworkError`` when it cannot be built, and what the hook throws.
  func wireRequest(
    of request: Request, headers: HTTPHeaders, baseURL url: URL?,
    preProcess: ((HTTPRequest) throws -> HTTPRequest)?
  ) throws -> HTTPRequest {
    let base = try url.map { try baseURLs.baseURL($0) }
    let built = try builder.build(request, against: base) {
      try self.headers.headers(with: headers)
    }
    return try preProcess?(built) ?? built
  }

  /// The stages of a call, outermost first: this list is the walk of every request.
  static func stages(
    _ configuration: NetworkingConfiguration, _ session: Session, _ scheduler: any Scheduler
  ) -> [any Interceptor] {
    [
      OfflineStage(retry: configuration.retry),
      DeadlineStage(phase: .call, scheduler: scheduler) { exchange in
        (exchange.timeout ?? configuration.callTimeout).map {
          $0 - exchange.call.middlewareDuration
        }
      },
      InterceptorsStage { $0.call.interceptors },
      // From here on once for all who share the exchange.
      SharingStage(sharesAll: configuration.sharesRequests),
      RetryStage(
        policy: configuration.retry, budget: configuration.retryBudget, scheduler: scheduler,
        wallClock: configuration.wallClock),
      RedirectStage(policy: configuration.redirects),
      // From here on a hop at a time.
      // Before the circuits: that there is no network here is no fault of a host's.
      configuration.whenUnreachable.map {
        ReachabilityInterceptor(
          configuration.reachability ?? .shared, whenUnreachable: $0, scheduler: scheduler)
      },
      configuration.circuitBreaker.map { CircuitStage($0, scheduler: scheduler) },
      AuthorizationStage(),
      configuration.cookies.storage(of: session).map { CookieStage(storage: $0) },
      DeadlineStage(phase: .attempt, scheduler: scheduler) { _ in configuration.attemptTimeout },
      InterceptorsStage { $0.call.hopInterceptors },
    ].compactMap { $0 }
  }
}
