import Promises

/// Ends what is further in when its time is up, and says which time that was.
///
/// A stream's body counts: its promise is fulfilled at the head, and the deadline goes on from there.
struct DeadlineStage: BuiltInStage {
  let phase: NetworkError.Phase
  let scheduler: any Scheduler
  /// How long an exchange may take from here on; nil is without limit.
  let limit: @Sendable (_ exchange: Exchange) -> Duration?

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let limit = limit(exchange) else { return next(exchange) }
    let start = isStream(exchange) ? scheduler.now : nil
    // An error of its own, as somebody further in may have a limit of its own, which is not this one.
    let responsePromise = next(exchange).timeout(limit, scheduler: scheduler) {
      error(for: exchange)
    }
    guard let start else { return responsePromise }
    return
      responsePromise
      .always(on: .inline) { result in
        guard case .success(let response) = result,
          case .streaming(let streaming) = response.content
        else { return }
        let source = streaming.source
        let timer = scheduler.schedule(after: limit - (scheduler.now - start)) {
          source.stop(NetworkError(.timedOut(phase), response))
        }
        source.whenFinished { _ in timer.cancel() }
      }
  }

  private func isStream(_ exchange: Exchange) -> Bool {
    if case .stream = exchange.call.destination.kind { true } else { false }
  }

  private func error(for exchange: Exchange) -> NetworkError {
    let detail = exchange.state.currentInterceptor.map {
      "the interceptor \($0) has not called back"
    }
    let error = NetworkError(
      TransportFailure(code: .timedOut(phase), detail: detail ?? ""), of: exchange.request)
    // Of a call it is the end, of an attempt there may be more.
    return phase == .call ? error.after(exchange.state.attempts) : error
  }
}
