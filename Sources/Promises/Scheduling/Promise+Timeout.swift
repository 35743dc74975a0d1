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
      consumerCameTooLate()
      next.reject(error(), by: .upstream)
      return next
    }
    guard !isDelivered else {
      follow(with: next)
      return next
    }
    // Before the timer is set, which may go off before the reaction is attached.
    claim()
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
