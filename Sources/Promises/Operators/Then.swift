extension Promise {
  /// Transforms the value with a synchronous closure.
  ///
  /// Source: Promises/A+ 2.2.
  ///
  /// - Parameters:
  ///   - context: The context for `transform`. `nil` uses the promise's ``context``.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that transforms the value. It runs at most once: when this promise
  ///     is fulfilled and the new one has not been cancelled.
  /// - Returns: A promise for the result of `transform`. It is rejected with the error that
  ///   `transform` throws or with this promise's error. It inherits this promise's context.
  @inlinable
  public func then<NewValue>(
    on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    let next: Promise<NewValue> = derived(at: CallSite(file, line))
    let context = self.context.resolving(context)
    @Sendable func react(_ settled: Promise, _ next: Promise<NewValue>) -> Bool {
      if let error = settled.error { return next.settle(rejecting: error, by: .upstream) }
      let value = settled.fulfilledValue
      if context.isInline { return next.settle { try transform(value) } }
      context.run(for: next) {
        if next.settle(with: { try transform(value) }) { Trampoline.deliver(next) }
      }
      return false
    }
    if !reactNow(.everything, next, { react($0, $1) }) {
      attach(.everything, Reaction(for: next) { react(.from($0), .from($1)) })
    }
    return next
  }

  /// Starts an asynchronous step with the value and follows its promise.
  ///
  /// Cancelling the new promise cancels the promise that it currently waits for, unless that
  /// promise has other consumers. This is first the promise on which `then` is called, and later
  /// the promise that `transform` returned.
  ///
  /// Source: Promises/A+ 2.2.7.1, 2.3.2.
  ///
  /// - Parameters:
  ///   - context: The context for `transform`. `nil` uses the promise's ``context``.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that starts the step. It runs at most once: when this promise is
  ///     fulfilled and the new one has not been cancelled.
  /// - Returns: A promise for the outcome of the returned promise. It is rejected with the error
  ///   that `transform` throws or with this promise's error. It inherits this promise's context.
  @inlinable
  public func then<NewValue>(
    on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    let next: Promise<NewValue> = derived(at: CallSite(file, line))
    let context = self.context.resolving(context)
    @Sendable func react(_ settled: Promise, _ next: Promise<NewValue>) -> Bool {
      if let error = settled.error { return next.settle(rejecting: error, by: .upstream) }
      let value = settled.fulfilledValue
      if context.isInline { return next.follow { try transform(value) } }
      context.run(for: next) {
        if next.follow({ try transform(value) }) { Trampoline.deliver(next) }
      }
      return false
    }
    if !reactNow(.everything, next, { react($0, $1) }) {
      attach(.everything, Reaction(for: next) { react(.from($0), .from($1)) })
    }
    return next
  }

  // MARK: Asynchronous closures

  /// Transforms the value with an asynchronous closure, which runs in a task.
  ///
  /// ```swift
  /// login(user).then { session in try await store.open(session) }
  /// ```
  ///
  /// Cancelling the new promise cancels the task if it has started.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task. `nil` uses the current priority.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that transforms the value, in a new task. It runs at most once:
  ///     when this promise is fulfilled and the new one has not been cancelled. It runs on its own
  ///     actor; no ``ExecutionContext`` applies.
  /// - Returns: A promise for the result of `transform`. It is rejected with the error that
  ///   `transform` throws or with this promise's error. It inherits this promise's context.
  public func then<NewValue>(
    priority: TaskPriority? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) async throws -> NewValue
  ) -> Promise<NewValue> {
    let executor = context.activityExecutor
    return then(on: .inline, file: file, line: line) { value in
      Promise<NewValue>(priority: priority, executor: executor, at: CallSite(file, line)) {
        try await transform(value)
      }
    }
  }

  // MARK: Background queue

  /// Transforms the value on ``ExecutionContext/background``, off the main thread.
  ///
  /// The new promise inherits this promise's context, so the next step does not run in the
  /// background.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that transforms the value. It runs at most once.
  /// - Returns: A promise for the result of `transform`. It is rejected with the error that
  ///   `transform` throws or with this promise's error.
  public func thenInBackground<NewValue>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    then(on: .background, file: file, line: line, transform)
  }

  /// Starts an asynchronous step on ``ExecutionContext/background``, off the main thread.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that starts the step. It runs at most once.
  /// - Returns: A promise for the outcome of the returned promise. It is rejected with the error
  ///   that `transform` throws or with this promise's error.
  public func thenInBackground<NewValue>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    then(on: .background, file: file, line: line, transform)
  }

  // MARK: Conditional steps

  /// Adds a step that runs only for some outcomes, such as following a redirect.
  ///
  /// If `step` returns `nil`, the new promise adopts this promise's outcome directly, without an
  /// intermediate promise.
  ///
  /// - Parameters:
  ///   - step: The closure that starts the step or returns `nil` for no step. It runs inline, at
  ///     most once, and only if the new promise has not been cancelled.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise for the outcome of the step or, without a step, for this promise's
  ///   outcome. It is rejected with the error that `step` throws. It inherits this promise's
  ///   context.
  @inlinable
  package func followed(
    by step: @escaping @Sendable (_ outcome: Result<Value, any Error>) throws -> Promise<Value>?,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Value> {
    let next: Promise<Value> = derived(at: CallSite(file, line))
    @Sendable func react(_ settled: Promise, _ next: Promise<Value>) -> Bool {
      guard !next.isSettled else { return false }
      do {
        guard let following = try step(settled.outcome) else {
          return next.settle(withOutcomeOf: settled)
        }
        return next.adopt(following)
      } catch {
        return next.settle(rejecting: error, by: .upstream)
      }
    }
    if !reactNow(.everything, next, { react($0, $1) }) {
      attach(.everything, Reaction(for: next) { react(.from($0), .from($1)) })
    }
    return next
  }
}

/// Starts a chain with a closure that may throw before it returns a promise.
///
/// All errors, including those thrown by `body`, then reach the `fail` of the chain.
///
/// - Parameters:
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - body: The closure that starts the first step. It runs once, before this function returns.
/// - Returns: The promise that `body` returns, or a promise rejected with the error that `body`
///   throws.
public func firstly<Value>(
  file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Promise<Value>
) -> Promise<Value> {
  do {
    return try body()
  } catch {
    return .rejected(error, file: file, line: line)
  }
}
