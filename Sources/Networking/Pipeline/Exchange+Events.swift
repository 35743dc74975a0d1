extension Exchange {
  /// Tells those who watch; nil when nobody does.
  var events: CallEvents? { trace.events }

  /// Performs the hop.
  func perform() -> NetworkPromise {
    transport.perform(
      request, delivery,
      telling: events?.begin(request, attempt: trace.attemptCount, hop: redirects + 1))
  }

  /// An interceptor sends the request again, at once.
  func resending(after result: Result<Response, any Error>) {
    guard let events else { return }
    let number = trace.attemptCount
    let failed = FailedAttempt(number: number, request: request, result: result)
    events.add(
      .retrying(
        after: .zero, because: NetworkEvent.Failure(failed.error), attempt: number + 1))
  }
}
