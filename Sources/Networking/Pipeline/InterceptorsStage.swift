import Promises

/// Runs interceptors that an exchange brings: those that the client had when the call was made.
struct InterceptorsStage: BuiltInStage {
  /// Which of them.
  let interceptors: @Sendable (_ exchange: Exchange) -> [any Interceptor]

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    let interceptors = interceptors(exchange)
    guard !interceptors.isEmpty else { return next(exchange) }
    return Pipeline(interceptors, around: next).send(exchange)
  }
}
