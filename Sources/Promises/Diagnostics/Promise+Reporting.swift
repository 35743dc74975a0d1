extension Promise {
  /// From deinit, of a rejected promise that nobody took on.
  func reportUnhandled() {
    guard let error, !error.isCancellation, error as? PromiseError != .abandoned else { return }
    PromiseDiagnostics.report(.unhandledRejection(error, at: site))
  }

  /// From deinit, of a pending promise.
  func reportNeverSettled() {
    PromiseDiagnostics.report(.neverSettled(at: site, after: nil))
  }

  /// Rejects for a resolver that was released, unless it had been called; for a handler that was dropped.
  @usableFromInline
  func abandon() {
    var isAbandoned = false
    let isDue = settle(by: .resolver) {
      error = PromiseError.abandoned
      isAbandoned = true
    }
    if isAbandoned { PromiseDiagnostics.report(.abandoned(at: site)) }
    if isDue { Trampoline.deliver(self) }
  }

  @usableFromInline
  func watchIfAsked() {
    guard let watch = PromiseDiagnostics.watch else { return }
    let (site, limit) = (site, watch.limit)
    _ = watch.scheduler.schedule(after: limit) { [weak self] in
      guard let self, !isSettled, PromiseDiagnostics.watch != nil else { return }
      PromiseDiagnostics.report(.neverSettled(at: site, after: limit))
    }
  }
}
