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
    let next = Promise(
      waitingFor: isSettled ? nil : self, on: scheduler.context(for: context),
      at: CallSite(file, line))
    guard duration > .zero else {
      consumerCameTooLate()
      next.reject(PromiseError.timedOut, by: .upstream)
      return next
    }
    follow(with: next)
    guard !next.isSettled else { return next }
    let timer = scheduler.schedule(after: duration) {
      next.reject(PromiseError.timedOut, by: .consumer)
    }
    next.observe([]) { _ in timer.cancel() }
    return next
  }
}
