import Promises

/// Ends what is further in when its time is up, and says which time that was.
struct DeadlineStage: Interceptor {
  let phase: NetworkError.Phase
  let scheduler: any Scheduler
  /// How long an exchange may take from here on; nil is without limit.
  let limit: @Sendable (_ exchange: Exchange) -> Duration?

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let limit = limit(exchange) else { return next(exchange) }
    return next(exchange)
      .timeout(limit, scheduler: scheduler)
      .recover(PromiseError.timedOut, on: .inline) {
        throw NetworkError(TransportFailure(code: .timedOut(phase)), of: exchange.request)
      }
  }
}
