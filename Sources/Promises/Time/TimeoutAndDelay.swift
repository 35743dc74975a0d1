extension Promise {
  /// Gives up waiting after some time.
  ///
  /// Giving up is leaving as a consumer: the work upstream is cancelled unless somebody else waits
  /// for it. The timer is stopped as soon as there is an outcome.
  ///
  /// - Parameters:
  ///   - duration: how long from now; nothing or less rejects at once, whatever this promise is.
  ///   - scheduler: whose time counts.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise with this one's outcome, if that comes in time, else rejected with
  ///   ``PromiseError/timedOut``.
  public func timeout(
    _ duration: Duration, scheduler: some Scheduler = .live,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    timeout(duration, scheduler: scheduler, file: file, line: line) { PromiseError.timedOut }
  }

  /// Gives up waiting after some time, with an error of one's own, which nothing upstream can have
  /// failed with.
  ///
  /// - Parameters:
  ///   - duration: how long from now; nothing or less rejects at once, whatever this promise is.
  ///   - scheduler: whose time counts.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - error: makes the error, when the time is up; runs on the scheduler's thread, at most once.
  /// - Returns: a promise with this one's outcome, if that comes in time, else rejected with the error.
  package func timeout(
    _ duration: Duration, scheduler: some Scheduler,
    file: StaticString = #fileID, line: UInt = #line,
    error: @escaping @Sendable () -> any Error
  ) -> Promise {
    let next = Promise(
      waitingFor: isSettled ? nil : self, on: scheduler.context(for: context),
      at: CallSite(file, line))
    guard duration > .zero else {
      registerCancelledConsumer()
      next.reject(error(), by: .upstream)
      return next
    }
    guard !isDelivered else {
      follow(with: next)
      return next
    }
    // Before the timer is set, which may go off before the reaction is attached.
    addConsumer()
    let timer = scheduler.schedule(after: duration) { next.reject(error(), by: .consumer) }
    next.onCancel { timer.cancel() }
    // In the one reaction that settles it: a second one on the promise would cost each timeout a list.
    attach(
      [],
      Reaction(for: next) { settled, next in
        timer.cancel()
        return Promise.from(next).settle(like: .from(settled))
      })
    return next
  }
}

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
