extension Promise {
  /// Passes the value on only after some time; an error passes at once.
  ///
  /// Cancelling the new promise stops the timer.
  ///
  /// - Parameters:
  ///   - duration: how long after this promise's fulfilment; less than nothing is nothing.
  ///   - scheduler: whose time counts.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of the same value, rejected with this promise's error.
  public func delay(
    _ duration: Duration, scheduler: some Scheduler = .live,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    then(on: .inline, file: file, line: line) { value in
      after(duration, scheduler: scheduler, file: file, line: line).map { value }
    }
    .on(scheduler.context(for: context), file: file, line: line)
  }
}

/// A promise that is fulfilled once some time has passed.
///
/// Cancelling it stops the timer.
///
/// - Parameters:
///   - duration: how long; less than nothing is nothing.
///   - scheduler: whose time counts.
///   - file: where the promise was made, for diagnostics.
///   - line: where the promise was made, for diagnostics.
/// - Returns: a promise of nothing, that is never rejected but by a cancellation.
public func after(
  _ duration: Duration, scheduler: some Scheduler = .live,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<Void> {
  let promise = Promise<Void>(
    waitingFor: nil, on: scheduler.context(for: .main), at: CallSite(file, line))
  // The timer holds the resolver, so that the promise does not outlive a scheduler unsettled.
  let resolver = Resolver(promise)
  let timer = scheduler.schedule(after: duration) { resolver.fulfill(()) }
  resolver.onCancel { timer.cancel() }
  return promise
}
