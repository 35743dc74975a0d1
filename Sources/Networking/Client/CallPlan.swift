import Foundation
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
        (exchange.timeout ?? configuration.callTimeout).map { $0 - exchange.call.waited }
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
