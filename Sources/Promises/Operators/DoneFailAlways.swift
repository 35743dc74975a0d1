import CatenaSystem

extension Promise where Value: Sendable {
  /// Calls a handler with the value and returns a promise with the same outcome.
  ///
  /// The new promise does not wait for the handler. It is a consumer of this promise, also if it is
  /// not used: this promise is not cancelled when it loses its other consumers. Cancelling the new
  /// promise, or the last promise derived from it, withdraws the handler, and cancels this promise
  /// unless it has other consumers.
  ///
  /// A rejection is handled for both promises if it is handled for one of them.
  ///
  /// - Parameters:
  ///   - context: The context for `handler`.
  ///   - handler: The handler of the value. It runs exactly once if the new promise is fulfilled,
  ///     otherwise never.
  /// - Returns: A promise with this promise's outcome and context, for further handlers.
  @discardableResult
  @inlinable
  public func done(
    on context: ExecutionContext, _ handler: @escaping @Sendable (_ value: Value) -> Void
  ) -> Promise {
    let next: Promise = derived(at: site)
    let context = self.context.resolving(context)
    @Sendable func react(_ settled: Promise, _ next: Promise) -> Bool {
      guard next.settle(observing: settled) else { return false }
      guard settled.error == nil else { return true }
      let value = settled.fulfilledValue
      if context.isInline { handler(value) } else { context.handle { handler(value) } }
      return true
    }
    if !reactNow(.value, next, { react($0, $1) }) {
      attach(.value, Reaction(for: next) { react(.from($0), .from($1)) })
    }
    return next
  }

  /// Calls a handler with the value, on the actor in whose code the handler is written, and returns
  /// a promise with the same outcome.
  ///
  /// As ``done(on:_:)``. A handler without isolation runs in the promise's ``context``.
  ///
  /// - Parameter handler: The handler of the value.
  /// - Returns: A promise with this promise's outcome and context, for further handlers.
  @discardableResult
  @inlinable
  public func done(
    @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (_ value: Value) -> Void
  ) -> Promise {
    done(on: .isolated(to: handler.isolation) ?? context, withoutIsolation(handler))
  }

  // MARK: fail

  /// Calls a handler with the error and returns this promise.
  ///
  /// The rejection counts as handled, both for this promise and for the promises from which it is
  /// derived. By default the handler does not run after a cancellation; ``onCancel(on:_:)`` does.
  ///
  /// - Parameters:
  ///   - context: The context for `handler`.
  ///   - policy: The errors to handle. The default excludes cancellations.
  ///   - handler: The handler of the error. It runs exactly once if the promise is rejected with an
  ///     error that `policy` covers, otherwise never.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  @inlinable
  public func fail(
    on context: ExecutionContext, policy: ErrorPolicy = .allErrorsExceptCancellation,
    _ handler: @escaping @Sendable (_ error: any Error) -> Void
  ) -> Promise {
    let context = self.context.resolving(context)
    observe(.rejection) { settled in
      guard let error = settled.error, policy.covers(error) else { return }
      context.handle { handler(error) }
    }
    return self
  }

  /// Calls a handler with the error, on the actor in whose code the handler is written, and returns
  /// this promise.
  ///
  /// As ``fail(on:policy:_:)``. A handler without isolation runs in the promise's ``context``.
  ///
  /// - Parameters:
  ///   - policy: The errors to handle. The default excludes cancellations.
  ///   - handler: The handler of the error.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  @inlinable
  public func fail(
    policy: ErrorPolicy = .allErrorsExceptCancellation,
    @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (_ error: any Error) -> Void
  ) -> Promise {
    fail(on: .isolated(to: handler.isolation) ?? context, policy: policy, withoutIsolation(handler))
  }

  /// Calls a handler with an error of one type and returns this promise.
  ///
  /// ```swift
  /// order.fail(ShopError.self) { error in show(error.hint) }.fail { error in report(error) }
  /// ```
  ///
  /// A rejection with another error does not count as handled.
  ///
  /// - Parameters:
  ///   - type: The type of the errors to handle.
  ///   - context: The context for `handler`.
  ///   - policy: The errors of this type to handle. The default excludes values that represent a
  ///     cancellation, unless `type` is `CancellationError`.
  ///   - handler: The handler of the error. It runs exactly once if the promise is rejected with such
  ///     an error, otherwise never.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  public func fail<Failure: Error>(
    _ type: Failure.Type, on context: ExecutionContext,
    policy: ErrorPolicy = .allErrorsExceptCancellation,
    _ handler: @escaping @Sendable (_ error: Failure) -> Void
  ) -> Promise {
    let context = self.context.resolving(context)
    let policy = type == CancellationError.self ? .allErrors : policy
    observe([]) { settled in
      guard let error = settled.error as? Failure, policy.covers(error) else { return }
      settled.isHandled.store(true, ordering: .relaxed)
      context.handle { handler(error) }
    }
    return self
  }

  /// Calls a handler with an error of one type, on the actor in whose code the handler is written, and
  /// returns this promise.
  ///
  /// As ``fail(_:on:policy:_:)``. A handler without isolation runs in the promise's ``context``.
  ///
  /// - Parameters:
  ///   - type: The type of the errors to handle.
  ///   - policy: The errors of this type to handle.
  ///   - handler: The handler of the error.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  public func fail<Failure: Error>(
    _ type: Failure.Type, policy: ErrorPolicy = .allErrorsExceptCancellation,
    @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (_ error: Failure) -> Void
  ) -> Promise {
    fail(
      type, on: .isolated(to: handler.isolation) ?? context, policy: policy,
      withoutIsolation(handler))
  }

  // MARK: onCancel

  /// Calls a handler when the promise is rejected by a cancellation, and returns this promise.
  ///
  /// ```swift
  /// boards.done { boards in show(boards) }.fail { error in show(error) }.onCancel { hide() }
  /// ```
  ///
  /// It complements ``fail(on:policy:_:)``, whose handler does not run then. Handlers of both run in the
  /// order in which they were attached. A cancellation is an error whose ``Swift/Error/isCancellation``
  /// is `true`: that of ``cancel()``, or one with which the promise was rejected.
  ///
  /// The handler is not a consumer: it does not prevent the cancellation of this promise, and cancelling
  /// promises that are derived from this one does not withdraw it. A rejection with another error does
  /// not count as handled.
  ///
  /// - Parameters:
  ///   - context: The context for `handler`.
  ///   - handler: The handler. It runs exactly once if the promise is rejected by a cancellation,
  ///     otherwise never.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  public func onCancel(
    on context: ExecutionContext, _ handler: @escaping @Sendable () -> Void
  ) -> Promise {
    let context = self.context.resolving(context)
    observe([]) { settled in
      if settled.error?.isCancellation == true { context.handle(handler) }
    }
    return self
  }

  /// Calls a handler when the promise is rejected by a cancellation, on the actor in whose code the
  /// handler is written, and returns this promise.
  ///
  /// As ``onCancel(on:_:)``. A handler without isolation runs in the promise's ``context``.
  ///
  /// - Parameter handler: The handler.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  public func onCancel(
    @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) () -> Void
  ) -> Promise {
    onCancel(on: .isolated(to: handler.isolation) ?? context, withoutIsolation(handler))
  }

  // MARK: always

  /// Calls a handler with the outcome, including a cancellation, and returns this promise.
  ///
  /// A rejection counts as handled.
  ///
  /// - Parameters:
  ///   - context: The context for `handler`.
  ///   - handler: The handler of the outcome. It runs exactly once.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  @inlinable
  public func always(
    on context: ExecutionContext,
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
      context.handle { handler(outcome) }
    }
    return self
  }

  /// Calls a handler with the outcome, on the actor in whose code the handler is written, and returns
  /// this promise.
  ///
  /// As ``always(on:_:)-(_,(Result<Value,Error>)->Void)``. A handler without isolation runs in the
  /// promise's ``context``.
  ///
  /// - Parameter handler: The handler of the outcome.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  @inlinable
  public func always(
    @_inheritActorContext _ handler:
      @escaping @Sendable @isolated(any) (_ result: Result<Value, any Error>) -> Void
  ) -> Promise {
    always(on: .isolated(to: handler.isolation) ?? context, withoutIsolation(handler))
  }

  /// Calls a handler when the promise has settled in any way, and returns this promise.
  ///
  /// ```swift
  /// boards.done { boards in show(boards) }.always { spinner.stop() }
  /// ```
  ///
  /// A rejection counts as handled.
  ///
  /// - Parameters:
  ///   - context: The context for `handler`.
  ///   - handler: The handler. It runs exactly once.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  public func always(
    on context: ExecutionContext, _ handler: @escaping @Sendable () -> Void
  ) -> Promise {
    let context = self.context.resolving(context)
    observe(.rejection) { _ in context.handle(handler) }
    return self
  }

  /// Calls a handler when the promise has settled in any way, on the actor in whose code the handler
  /// is written, and returns this promise.
  ///
  /// A rejection counts as handled. A handler without isolation runs in the promise's ``context``.
  ///
  /// - Parameter handler: The handler. It runs exactly once.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  public func always(
    @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) () -> Void
  ) -> Promise {
    always(on: .isolated(to: handler.isolation) ?? context, withoutIsolation(handler))
  }
}
