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

extension Promise {
  /// Looks at the error, and changes nothing about the promise.
  ///
  /// It counts as handling the rejection, of this promise and of those that it was derived from.
  ///
  /// - Parameters:
  ///   - context: where `handler` runs; the promise's own ``context`` when nil.
  ///   - policy: which errors it is for; a cancellation is not among them unless asked for.
  ///   - handler: gets the error; runs exactly once if the promise is rejected with such an error.
  /// - Returns: this promise, for the next handler.
  @discardableResult
  @inlinable
  public func fail(
    on context: ExecutionContext? = nil, policy: ErrorPolicy = .allErrorsExceptCancellation,
    _ handler: @escaping @Sendable (_ error: any Error) -> Void
  ) -> Promise {
    let context = self.context.adopting(context)
    observe(.rejection) { settled in
      guard let error = settled.error, policy.covers(error) else { return }
      context.run { handler(error) }
    }
    return self
  }

  /// Looks at the error on the main actor: the same for a handler marked `{ @MainActor error in … }`.
  ///
  /// - Parameters:
  ///   - policy: which errors it is for; a cancellation is not among them unless asked for.
  ///   - handler: gets the error, always on the main queue; runs exactly once if the promise is
  ///     rejected with such an error.
  /// - Returns: this promise, for the next handler.
  @discardableResult
  public func fail(
    policy: ErrorPolicy = .allErrorsExceptCancellation,
    _ handler: @escaping @MainActor @Sendable (_ error: any Error) -> Void
  ) -> Promise {
    fail(on: .main, policy: policy) { error in MainActor.assumeIsolated { handler(error) } }
  }
}

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
