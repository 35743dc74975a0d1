import Promises

/// Runs the interceptors that an exchange brings: those that the client had when the call was made.
struct InterceptorsStage: BuiltInStage {
  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard !exchange.call.interceptors.isEmpty else { return next(exchange) }
    return Pipeline(exchange.call.interceptors, around: next).send(exchange)
  }
}
