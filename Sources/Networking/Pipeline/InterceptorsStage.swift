import Promises

/// Runs the interceptors that an exchange brings: those that the client had when the call was made.
struct InterceptorsStage: BuiltInStage {
  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard !exchange.interceptors.isEmpty else { return next(exchange) }
    return Pipeline(exchange.interceptors, around: next).send(exchange)
  }
}
