extension Promise {
  /// Runs a handler once this promise has settled and its settling thread has run all the inline handlers
  /// that this gave rise to, and sent the others on their way.
  ///
  /// The handler is no consumer: this promise may be cancelled for want of others.
  ///
  /// - Parameter handler: runs once, on the thread that settles the promise or, where that has happened,
  ///   on the caller's.
  package func trailing(_ handler: @escaping @Sendable () -> Void) {
    observe([]) { _ in Trampoline.runLast(handler) }
  }
}
