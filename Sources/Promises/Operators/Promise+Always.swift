extension Promise {
  /// Does something whatever the outcome, a cancellation included, and changes nothing about it.
  ///
  /// It counts as handling a rejection.
  ///
  /// - Parameters:
  ///   - context: where `handler` runs; the promise's own ``context`` when nil.
  ///   - handler: gets the outcome; runs exactly once.
  /// - Returns: this promise, for the next handler.
  @discardableResult
  @inlinable
  public func always(
    on context: ExecutionContext? = nil,
    _ handler: @escaping @Sendable (_ result: Result<Value, any Error>) -> Void
  ) -> Promise {
    let context = self.context.adopting(context)
    // Without the closure that a context takes along.
    if context.isInline {
      observe(.rejection) { settled in handler(settled.outcome) }
      return self
    }
    observe(.rejection) { settled in
      let outcome = settled.outcome
      context.run { handler(outcome) }
    }
    return self
  }

  /// Does something on the main actor whatever the outcome: the same for a handler marked
  /// `{ @MainActor result in … }`.
  ///
  /// - Parameter handler: gets the outcome, always on the main queue; runs exactly once.
  /// - Returns: this promise, for the next handler.
  @discardableResult
  public func always(
    _ handler: @escaping @MainActor @Sendable (_ result: Result<Value, any Error>) -> Void
  ) -> Promise {
    always(on: .main) { result in MainActor.assumeIsolated { handler(result) } }
  }
}
