extension Promise {
  /// Calls a handler with the value and returns this promise.
  ///
  /// A `done` handler remains a consumer until the promise settles, so the promise is not cancelled
  /// when it loses its other consumers.
  ///
  /// - Parameters:
  ///   - context: The context for `handler`. `nil` uses the promise's ``context``.
  ///   - handler: The handler of the value. It runs exactly once if the promise is fulfilled,
  ///     otherwise never.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  @inlinable
  public func done(
    on context: ExecutionContext? = nil, _ handler: @escaping @Sendable (_ value: Value) -> Void
  ) -> Promise {
    let context = self.context.resolving(context)
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

  /// Calls a handler marked `{ @MainActor value in ... }` with the value and returns this promise.
  ///
  /// - Parameter handler: The handler of the value. It runs on the main queue, exactly once if the
  ///   promise is fulfilled, otherwise never.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  public func done(
    _ handler: @escaping @MainActor @Sendable (_ value: Value) -> Void
  ) -> Promise {
    done(on: .main) { value in MainActor.assumeIsolated { handler(value) } }
  }

  // MARK: fail

  /// Calls a handler with the error and returns this promise.
  ///
  /// The rejection counts as handled, both for this promise and for the promises from which it is
  /// derived.
  ///
  /// - Parameters:
  ///   - context: The context for `handler`. `nil` uses the promise's ``context``.
  ///   - policy: The errors to handle. The default excludes cancellations.
  ///   - handler: The handler of the error. It runs exactly once if the promise is rejected with an
  ///     error that `policy` covers, otherwise never.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  @inlinable
  public func fail(
    on context: ExecutionContext? = nil, policy: ErrorPolicy = .allErrorsExceptCancellation,
    _ handler: @escaping @Sendable (_ error: any Error) -> Void
  ) -> Promise {
    let context = self.context.resolving(context)
    observe(.rejection) { settled in
      guard let error = settled.error, policy.covers(error) else { return }
      context.run { handler(error) }
    }
    return self
  }

  /// Calls a handler marked `{ @MainActor error in ... }` with the error and returns this promise.
  ///
  /// - Parameters:
  ///   - policy: The errors to handle. The default excludes cancellations.
  ///   - handler: The handler of the error. It runs on the main queue, exactly once if the promise
  ///     is rejected with an error that `policy` covers, otherwise never.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  public func fail(
    policy: ErrorPolicy = .allErrorsExceptCancellation,
    _ handler: @escaping @MainActor @Sendable (_ error: any Error) -> Void
  ) -> Promise {
    fail(on: .main, policy: policy) { error in MainActor.assumeIsolated { handler(error) } }
  }

  // MARK: always

  /// Calls a handler with the outcome, including a cancellation, and returns this promise.
  ///
  /// A rejection counts as handled.
  ///
  /// - Parameters:
  ///   - context: The context for `handler`. `nil` uses the promise's ``context``.
  ///   - handler: The handler of the outcome. It runs exactly once.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  @inlinable
  public func always(
    on context: ExecutionContext? = nil,
    _ handler: @escaping @Sendable (_ result: Result<Value, any Error>) -> Void
  ) -> Promise {
    let context = self.context.resolving(context)
    // Avoids the closure that a dispatch to a context needs.
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

  /// Calls a handler marked `{ @MainActor result in ... }` with the outcome and returns this
  /// promise.
  ///
  /// - Parameter handler: The handler of the outcome. It runs on the main queue, exactly once.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  public func always(
    _ handler: @escaping @MainActor @Sendable (_ result: Result<Value, any Error>) -> Void
  ) -> Promise {
    always(on: .main) { result in MainActor.assumeIsolated { handler(result) } }
  }
}
