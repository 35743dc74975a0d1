extension PromiseDiagnostics {
  /// Enables a report for each new promise that is pending for longer than a limit.
  ///
  /// ```swift
  /// PromiseDiagnostics.watchPending(longerThan: .seconds(60))
  /// ```
  ///
  /// Only promises created after this call, with a resolver or from a task, are reported; all other
  /// promises depend on these. Each is reported at most once. A report has no effect on the
  /// promise. Each new promise costs a timer.
  ///
  /// - Parameters:
  ///   - limit: The time that a promise may be pending. `nil` disables these reports, including
  ///     those for promises created earlier.
  ///   - scheduler: The scheduler that measures the time.
  public static func watchPending(
    longerThan limit: Duration?, scheduler: some Scheduler = .live
  ) {
    setCreationObserver(limit.map { pendingReporter(limit: $0, scheduler: scheduler) })
  }

  private static func pendingReporter(
    limit: Duration, scheduler: some Scheduler
  ) -> CreationObserver {
    { promise, site in
      _ = scheduler.schedule(after: limit) { [weak promise] in
        guard let promise, !promise.isSettled, creationObserver != nil else { return }
        report(.neverSettled(at: site, after: limit))
      }
    }
  }
}
