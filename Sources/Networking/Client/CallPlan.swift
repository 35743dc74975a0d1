import Promises

/// What all calls of one client have in common, made once.
final class CallPlan: Sendable {
  /// Makes the wire requests; without a base URL, which each call brings.
  let builder: RequestBuilder
  /// The stages.
  let pipeline: Pipeline
  /// How large a body in memory may become; nil is without limit.
  let maximumBodySize: Int?
  /// Whose time counts.
  let scheduler: any Scheduler
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
    headers = HeaderCache(configuration.headers)
    self.scheduler = scheduler
  }

  /// The stages of a call, outermost first: this list is the walk of every request.
  static func stages(
    _ configuration: NetworkingConfiguration, _ session: Session, _ scheduler: any Scheduler
  ) -> [any Interceptor] {
    [
      OfflineStage(retry: configuration.retry),
      DeadlineStage(phase: .call, scheduler: scheduler) { $0.timeout ?? configuration.callTimeout },
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
