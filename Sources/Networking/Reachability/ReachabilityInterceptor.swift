import Promises

/// Holds requests back, or fails them, while there is no way to the internet.
///
/// ```swift
/// let waiting = ReachabilityInterceptor(reachability, whenUnreachable: .wait(atMost: .seconds(30)))
/// let failing = ReachabilityInterceptor(reachability, whenUnreachable: .fail)
/// ```
///
/// A request goes on at once when the status is reachable or not known, and when it needs no internet, as
/// its server is mocked or close by: see ``isLocal(_:)``. One that waits goes on as soon as the network is reachable; it may then fail
/// for any reason of its own, also for want of a network that has gone again. Cancelling it while it waits
/// lets go of everything. An error of this stage is ``NetworkError/Code-swift.enum/notConnectedToInternet``;
/// it is tried again by no ``RetryPolicy``, takes nothing from a ``RetryBudget``, and counts for no attempt, unless
/// the request had been redirected by then.
///
/// ``NetworkingConfiguration/whenUnreachable`` puts one into a client's walk, where the hops go out. In
/// a pipeline of your own put it there too, and no stage that answers without the network, such as a cache, is held
/// up by it. A client whose requests all go by a proxy or a Unix socket needs no way to the internet of
/// this machine's own: leave the stage out there, or say so by `needsInternet`.
public struct ReachabilityInterceptor: Interceptor {
  /// What becomes of a request that cannot reach its server.
  public enum Policy: Sendable, Hashable {
    /// It fails at once.
    case fail
    /// It waits so long at the most, and fails when the network has not come by then.
    case wait(atMost: Duration)
  }

  private let reachability: NetworkReachability
  private let policy: Policy
  private let scheduler: any Scheduler
  private let needsInternet: @Sendable (HTTPRequest) -> Bool

  /// Makes a stage.
  ///
  /// - Parameters:
  ///   - reachability: what tells of the network; it is kept alive.
  ///   - policy: what becomes of a request while the network is unreachable.
  ///   - scheduler: whose time a wait's limit counts in.
  ///   - needsInternet: whether a request's server is on the internet; called once for each request
  ///     that finds the network unreachable, on the thread that sends it. Unless said otherwise, those
  ///     do whose URL is not ``isLocal(_:)``.
  public init(
    _ reachability: NetworkReachability, whenUnreachable policy: Policy,
    scheduler: any Scheduler = .live,
    needsInternet: @escaping @Sendable (_ request: HTTPRequest) -> Bool = { !isLocal($0.url) }
  ) {
    self.reachability = reachability
    self.policy = policy
    self.scheduler = scheduler
    self.needsInternet = needsInternet
  }

  /// Sends an exchange on, now or when the network is there.
  ///
  /// - Parameters:
  ///   - exchange: the request.
  ///   - next: the stages further in.
  /// - Returns: a promise of the answer.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard reachability.status == .unreachable, exchange.call.transport.needsNetwork,
      needsInternet(exchange.request)
    else {
      return next(exchange)
    }
    guard case .wait(let limit) = policy else {
      return .rejected(Self.refusal(of: exchange, nil))
    }
    return reachability.whenReachable()
      .timeout(limit, scheduler: scheduler)
      .recover(PromiseError.timedOut, on: .inline) {
        throw Self.refusal(of: exchange, "none came up within \(limit)")
      }
      // A request outlives the client that made it, so what tells of the network has to as well.
      .then(on: .inline) { [reachability] in withExtendedLifetime(reachability) { next(exchange) } }
  }

  private static func refusal(of exchange: Exchange, _ reason: String?) -> NetworkError {
    let trace = exchange.call.trace
    trace.holdBack(hasSent: exchange.redirects > 0)
    // Of several the stage that counts them says how many.
    return NetworkError(
      .notConnectedToInternet, reason, request: NetworkError.RequestSummary(exchange.request),
      attempts: min(trace.attemptCount, 1))
  }
}
