import Promises

/// The stage that cancels the inner stages on timeout, and fails with the phase that timed out.
///
/// The limit includes the body of a stream: the promise is fulfilled when the head arrives, and the
/// deadline continues after that, unless the stream has no foreseeable end.
struct DeadlineStage: BuiltInStage {
  let phase: NetworkError.Phase
  let scheduler: any Scheduler
  /// Returns the limit for an exchange.
  ///
  /// `nil` means no limit.
  let limit: @Sendable (_ exchange: Exchange) -> Duration?

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let limit = limit(exchange) else { return next(exchange) }
    let options = exchange.call.options
    let scheduler = options.deadlineClock ?? scheduler
    // The start of a limit that includes the body.
    var start: Duration?
    if case .stream = options.destination, !options.deadlinesEndWithHead { start = scheduler.now }
    // A separate error, because an inner stage may time out by its own limit.
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
        let remaining = limit - (scheduler.now - start)
        // A head that arrived in the grace period has a body.
        let grace = remaining > .zero ? nil : scheduler.grace
        let timer = scheduler.schedule(atLimit: grace ?? remaining) {
          source.stop(NetworkError(.timedOut(phase), response))
        }
        source.whenFinished { _ in timer.cancel() }
      }
  }

  private func error(for exchange: Exchange) -> NetworkError {
    let detail = exchange.state.currentInterceptor.map {
      "the interceptor \($0.name) has not called back"
    }
    let error = NetworkError(
      TransportFailure(code: .timedOut(phase), detail: detail ?? ""), of: exchange.request)
    // A call ends here. An attempt may be followed by others.
    return phase == .call ? error.after(exchange.state.attempts) : error
  }
}
