extension PromiseDiagnostics {
  /// Reports each promise created from now on that is pending for longer than `limit`, once.
  ///
  /// ```swift
  /// PromiseDiagnostics.watchPending(longerThan: .seconds(60))
  /// ```
  ///
  /// The watch covers promises created with a resolver or from a task; all other promises depend on
  /// these. A report has no effect on the promise. Each promise created during the watch costs a
  /// timer.
  ///
  /// - Parameters:
  ///   - limit: The time that a promise may be pending. `nil` ends the watch, also for promises
  ///     created earlier.
  ///   - scheduler: The scheduler that measures the time.
  public static func watchPending(
    longerThan limit: Duration?, scheduler: some Scheduler = .live
  ) {
    setWatch(limit.map { pendingWatch(limit: $0, scheduler: scheduler) })
  }

  private static func pendingWatch(
    limit: Duration, scheduler: some Scheduler
  ) -> PendingWatch {
    { promise, site in
      _ = scheduler.schedule(after: limit) { [weak promise] in
        guard let promise, !promise.isSettled, watch != nil else { return }
        report(.neverSettled(at: site, after: limit))
      }
    }
  }
}
