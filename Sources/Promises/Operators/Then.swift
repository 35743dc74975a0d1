extension Promise {
  /// The next step, which has its value at once.
  ///
  /// Source: Promises/A+ 2.2.
  ///
  /// - Parameters:
  ///   - context: where `transform` runs; the promise's own ``context`` when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: makes the new value of the old; runs at most once, when this promise is
  ///     fulfilled and the new one has not been cancelled.
  /// - Returns: a promise of what `transform` returns, rejected with what it throws, or with this
  ///   promise's error. It inherits this promise's context.
  @inlinable
  public func then<NewValue>(
    on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    let next: Promise<NewValue> = derived(at: CallSite(file, line))
    let context = self.context.adopting(context)
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

  /// The next step, which takes time: another promise.
  ///
  /// The new promise follows the one returned. Cancelling it cancels whichever of the two it is
  /// waiting for at that moment, if nobody else is.
  ///
  /// Source: Promises/A+ 2.2.7.1, 2.3.2.
  ///
  /// - Parameters:
  ///   - context: where `transform` runs; the promise's own ``context`` when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: starts the next step with the value; runs at most once, when this promise is
  ///     fulfilled and the new one has not been cancelled.
  /// - Returns: a promise of what the returned promise will be, rejected with what `transform`
  ///   throws, or with this promise's error. It inherits this promise's context.
  @inlinable
  public func then<NewValue>(
    on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    let next: Promise<NewValue> = derived(at: CallSite(file, line))
    let context = self.context.adopting(context)
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
}

extension Promise {
  /// The next step, which is asynchronous code.
  ///
  /// ```swift
  /// login(user).then { session in try await store.open(session) }
  /// ```
  ///
  /// Cancelling the new promise cancels the task, when it has begun.
  ///
  /// - Parameters:
  ///   - priority: the task's priority; the current one when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: makes the new value of the old, in a task of its own; runs at most once, when this
  ///     promise is fulfilled and the new one has not been cancelled. Where it runs is for its actor
  ///     to say; no ``ExecutionContext`` applies.
  /// - Returns: a promise of what `transform` returns, rejected with what it throws, or with this
  ///   promise's error. It inherits this promise's context.
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
}

extension Promise {
  /// The next step, off the main thread: `then` on ``ExecutionContext/background``.
  ///
  /// The promise that it makes inherits this one's context, so the step after it is back there.
  ///
  /// - Parameters:
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: makes the new value of the old; runs at most once.
  /// - Returns: a promise of what `transform` returns, rejected with what it throws, or with this
  ///   promise's error.
  public func thenInBackground<NewValue>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    then(on: .background, file: file, line: line, transform)
  }

  /// The next step, off the main thread, that ends in a promise: `then` on
  /// ``ExecutionContext/background``.
  ///
  /// - Parameters:
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: starts the next step with the value; runs at most once.
  /// - Returns: a promise that follows the one returned, rejected with what `transform` throws, or
  ///   with this promise's error.
  public func thenInBackground<NewValue>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    then(on: .background, file: file, line: line, transform)
  }
}

extension Promise {
  /// Another step behind this one where the outcome asks for one, as a redirect does; else the outcome as
  /// it is, without a promise between.
  ///
  /// - Parameters:
  ///   - step: starts the step, right where this promise settles; nil when there is none. It runs at most
  ///     once, unless the new promise has been cancelled.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of what the step's will be, or of this one's outcome; rejected with what `step`
  ///   throws. It inherits this promise's context.
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
          return next.settle(like: settled)
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

/// Starts a chain with a function that may throw before it has a promise to return.
///
/// Everything that can go wrong then ends in the chain's `fail`.
///
/// - Parameters:
///   - file: where the promise was made, for diagnostics.
///   - line: where the promise was made, for diagnostics.
///   - body: starts the first step; runs once, here and now.
/// - Returns: the promise that `body` returns, or one rejected with what it throws.
public func firstly<Value>(
  file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Promise<Value>
) -> Promise<Value> {
  do {
    return try body()
  } catch {
    return .rejected(error, file: file, line: line)
  }
}
