extension Promise where Value: Sendable {
  /// Returns a promise that is rejected if this promise does not settle in time.
  ///
  /// On timeout, the new promise stops being a consumer of this promise, which is cancelled unless
  /// it has other consumers. The timer is cancelled as soon as either promise settles.
  ///
  /// If the timer of the system clock is late by more than 100 ms, as after the process was
  /// suspended, the promise has two more seconds, so that a value that has arrived is not lost.
  ///
  /// - Parameters:
  ///   - duration: The limit, from now. Zero or a negative value rejects immediately, even
  ///     if this promise has settled.
  ///   - scheduler: The scheduler for the timeout.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise with this promise's outcome, or rejected with ``PromiseError/timedOut``
  ///   on timeout.
  public func timeout(
    _ duration: Duration, scheduler: some Scheduler = .live,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    timeout(duration, scheduler: scheduler, file: file, line: line) { PromiseError.timedOut }
  }

  /// Returns a promise that is rejected with a custom error if this promise does not settle in
  /// time.
  ///
  /// The custom error distinguishes this timeout from errors of upstream work.
  ///
  /// - Parameters:
  ///   - duration: The limit, from now. Zero or a negative value rejects immediately, even
  ///     if this promise has settled.
  ///   - scheduler: The scheduler for the timeout.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - error: The closure that creates the error on timeout. It runs at most once, on the
  ///     scheduler's thread or, for a duration of zero or less, on the caller's thread.
  /// - Returns: A promise with this promise's outcome, or rejected with the error on timeout.
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
      forward(to: next)
      return next
    }
    // Called before the timer is set, because the timer may fire before the reaction is attached.
    addConsumer()
    let timer = scheduler.schedule(
      atLimit: duration, TraceStep.timing(at: next.site) { next.reject(error(), by: .consumer) })
    next.onCancel { timer.cancel() }
    // The reaction that settles `next` also cancels the timer: a second reaction on the promise
    // would allocate a list for each timeout.
    attach(
      [],
      Reaction(for: next) { settled, next in
        timer.cancel()
        return Promise.from(next).settle(withOutcomeOf: .from(settled))
      })
    return next
  }

  // MARK: Delay

  /// Delays the value.
  ///
  /// An error is passed on immediately. Cancelling the new promise cancels the timer.
  ///
  /// - Parameters:
  ///   - duration: The delay after this promise is fulfilled. A negative value counts as zero.
  ///   - scheduler: The scheduler for the delay.
  ///   - context: The context of the new promise. `nil` inherits this promise's ``context``.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise with the same value. It is rejected with this promise's error.
  public func delay(
    _ duration: Duration, scheduler: some Scheduler = .live, on context: ExecutionContext? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    then(on: .inline, file: file, line: line) { value in
      after(duration, scheduler: scheduler, file: file, line: line).map { value }
    }
    .on(scheduler.context(for: context ?? self.context), file: file, line: line)
  }
}

extension Scheduler {
  /// Suspends the current task for a duration of this scheduler.
  ///
  /// ```swift
  /// Route(.get, "/report") { _ in
  ///   try await scheduler.sleep(for: .seconds(3))
  ///   return .json([])
  /// }
  /// ```
  ///
  /// With a ``TestScheduler`` the task sleeps until the virtual time is advanced. The thread is not
  /// blocked.
  ///
  /// - Parameters:
  ///   - duration: The duration. Zero or a negative value returns as soon as the scheduler runs its
  ///     due actions.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Throws: `CancellationError` if the task is cancelled before the end, immediately and also if
  ///   it was cancelled before the call. The timer is then cancelled. ``PromiseError/abandoned`` if
  ///   the scheduler is released.
  public func sleep(
    for duration: Duration, file: StaticString = #fileID, line: UInt = #line
  ) async throws {
    try Task.checkCancellation()
    try await after(duration, scheduler: self, on: .inline, file: file, line: line).value
  }
}

/// Returns a promise that is fulfilled after a delay.
///
/// Cancelling the promise cancels the timer.
///
/// - Parameters:
///   - duration: The delay. A negative value counts as zero.
///   - scheduler: The scheduler for the delay.
///   - context: The context of the promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise without a value. It is rejected only if it is cancelled.
public func after(
  _ duration: Duration, scheduler: some Scheduler = .live, on context: ExecutionContext = .main,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<Void> {
  let promise = Promise<Void>(
    waitingFor: nil, on: scheduler.context(for: context), at: CallSite(file, line, .timer))
  // The timer retains the resolver, so that the promise is rejected if the scheduler is released.
  let resolver = Resolver(promise)
  let timer = scheduler.schedule(
    after: duration, TraceStep.timing(at: CallSite(file, line)) { resolver.fulfill(()) })
  resolver.onCancel { timer.cancel() }
  return promise
}
