extension Promise {
  /// Uses the value, and changes nothing about the promise.
  ///
  /// A promise with a `done` handler is wanted: losing its other consumers does not cancel it.
  ///
  /// - Parameters:
  ///   - context: where `handler` runs; the promise's own ``context`` when nil.
  ///   - handler: gets the value; runs exactly once if the promise is fulfilled, else never.
  /// - Returns: this promise, for the next handler.
  @discardableResult
  @inlinable
  public func done(
    on context: ExecutionContext? = nil, _ handler: @escaping @Sendable (_ value: Value) -> Void
  ) -> Promise {
    let context = self.context.adopting(context)
    attach(
      .value,
      Reaction(for: nil) { settled, _ in
        let settled = Promise.from(settled)
        guard settled.error == nil else { return false }
        let value = settled.fulfilledValue
        if context.isInline { handler(value) } else { context.run { handler(value) } }
        return false
      })
    return self
  }

  /// Uses the value on the main actor: the same for a handler marked `{ @MainActor value in … }`.
  ///
  /// - Parameter handler: gets the value, always on the main queue; runs exactly once if the promise
  ///   is fulfilled, else never.
  /// - Returns: this promise, for the next handler.
  @discardableResult
  public func done(
    _ handler: @escaping @MainActor @Sendable (_ value: Value) -> Void
  ) -> Promise {
    done(on: .main) { value in MainActor.assumeIsolated { handler(value) } }
  }
}
