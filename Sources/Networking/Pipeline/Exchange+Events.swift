extension Exchange {
  /// Tells those who watch; nil when nobody does.
  var events: CallEvents? { call.trace.events }

  /// Performs the hop.
  func perform() -> NetworkPromise {
    call.transport.perform(
      request, call.delivery,
      telling: events?.begin(request, attempt: call.trace.attemptCount, hop: redirects + 1))
  }

  /// An interceptor sends the request again, at once.
  func resending(after result: Result<Response, any Error>) {
    guard let events else { return }
    let number = call.trace.attemptCount
    let failed = FailedAttempt(number: number, request: request, result: result)
    events.add(
      .retrying(
        after: .zero, because: NetworkEvent.Failure(failed.error), attempt: number + 1))
  }
}
