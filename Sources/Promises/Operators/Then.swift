extension Promise where Value: Sendable {
  /// Transforms the value with a synchronous closure.
  ///
  /// Source: Promises/A+ 2.2.
  ///
  /// - Parameters:
  ///   - context: The context for `transform`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that transforms the value. It runs at most once: when this promise
  ///     is fulfilled and the new one has not been cancelled.
  /// - Returns: A promise for the result of `transform`. It is rejected with the error that
  ///   `transform` throws or with this promise's error. It inherits this promise's context.
  @inlinable
  public func then<NewValue: Sendable>(
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    transformed(on: context, at: CallSite(file, line, .then), transform)
  }

  /// Implements `then` with a synchronous closure.
  @inlinable
  func transformed<NewValue: Sendable>(
    on context: ExecutionContext, at site: CallSite,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    let next: Promise<NewValue> = derived(at: site)
    let context = self.context.resolving(context)
    @Sendable func react(_ settled: Promise, _ next: Promise<NewValue>) -> Bool {
      if let error = settled.error { return next.settle(rejecting: error, by: .upstream) }
      let value = settled.fulfilledValue
      if context.isInline { return next.settle { try transform(value) } }
      context.handle(for: next) {
        if next.settle(with: { try transform(value) }) { Trampoline.deliver(next, in: context) }
      }
      return false
    }
    if !reactNow(.everything, next, { react($0, $1) }) {
      attach(.everything, Reaction(for: next) { react(.from($0), .from($1)) })
    }
    return next
  }

  /// Transforms the value with a synchronous closure, on the actor in whose code it is written.
  ///
  /// As ``then(on:file:line:_:)-(_,_,_,(Value)->NewValue)``. A closure without isolation runs in the
  /// promise's ``context``.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that transforms the value. It runs at most once.
  /// - Returns: A promise for the result of `transform`. It inherits this promise's context.
  @inlinable
  public func then<NewValue: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ transform:
      @escaping @Sendable @isolated(any) (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    then(
      on: .isolated(to: transform.isolation) ?? context, file: file, line: line,
      withoutIsolation(transform))
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
  ///   - context: The context for `transform`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that starts the step. It runs at most once: when this promise is
  ///     fulfilled and the new one has not been cancelled.
  /// - Returns: A promise for the outcome of the returned promise. It is rejected with the error
  ///   that `transform` throws or with this promise's error. It inherits this promise's context.
  @inlinable
  public func then<NewValue: Sendable>(
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    let next: Promise<NewValue> = derived(at: CallSite(file, line, .then))
    let context = self.context.resolving(context)
    @Sendable func react(_ settled: Promise, _ next: Promise<NewValue>) -> Bool {
      if let error = settled.error { return next.settle(rejecting: error, by: .upstream) }
      let value = settled.fulfilledValue
      if context.isInline { return next.follow { try transform(value) } }
      context.handle(for: next) {
        if next.follow({ try transform(value) }) { Trampoline.deliver(next, in: context) }
      }
      return false
    }
    if !reactNow(.everything, next, { react($0, $1) }) {
      attach(.everything, Reaction(for: next) { react(.from($0), .from($1)) })
    }
    return next
  }

  /// Starts an asynchronous step with the value, on the actor in whose code the closure is written,
  /// and follows its promise.
  ///
  /// As ``then(on:file:line:_:)-(_,_,_,(Value)->Promise<NewValue>)``. A closure without isolation runs
  /// in the promise's ``context``.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that starts the step. It runs at most once.
  /// - Returns: A promise for the outcome of the returned promise. It inherits this promise's
  ///   context.
  @inlinable
  public func then<NewValue: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ transform:
      @escaping @Sendable @isolated(any) (_ value: Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    then(
      on: .isolated(to: transform.isolation) ?? context, file: file, line: line,
      withoutIsolation(transform))
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
  public func then<NewValue: Sendable>(
    priority: TaskPriority? = nil, file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ transform:
      @escaping @Sendable @isolated(any) (_ value: Value) async throws -> NewValue
  ) -> Promise<NewValue> {
    let executor = context.activityExecutor
    return then(on: .inline, file: file, line: line) { value in
      Promise<NewValue>(
        priority: priority, executor: executor, isolation: transform.isolation,
        at: CallSite(file, line, .task)
      ) {
        try await transform(value)
      }
    }
  }

  // MARK: Actions

  /// Performs an action with the value, as a step without a result.
  ///
  /// As ``then(on:file:line:_:)-(_,_,_,(Value)->NewValue)``. To pass the value on, use `tap`.
  ///
  /// - Parameters:
  ///   - context: The context for `action`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - action: The action. It runs at most once.
  /// - Returns: A promise without a value. It is rejected with the error that `action` throws or with
  ///   this promise's error.
  @inlinable
  public func then(
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    _ action: @escaping @Sendable (_ value: Value) throws -> Void
  ) -> Promise<Void> {
    transformed(on: context, at: CallSite(file, line, .then), action)
  }

  /// Performs an action with the value, as a step without a result, on the actor in whose code the
  /// action is written or, without isolation, in the promise's ``context``.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - action: The action. It runs at most once.
  /// - Returns: A promise without a value. It is rejected with the error that `action` throws or with
  ///   this promise's error.
  @inlinable
  public func then(
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ action:
      @escaping @Sendable @isolated(any) (_ value: Value) throws -> Void
  ) -> Promise<Void> {
    transformed(
      on: .isolated(to: action.isolation) ?? context, at: CallSite(file, line, .then),
      withoutIsolation(action))
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
  public func thenInBackground<NewValue: Sendable>(
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
  public func thenInBackground<NewValue: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    then(on: .background, file: file, line: line, transform)
  }

  /// Performs an action with the value on ``ExecutionContext/background``, as a step without a result.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - action: The action. It runs at most once.
  /// - Returns: A promise without a value. It is rejected with the error that `action` throws or with
  ///   this promise's error.
  public func thenInBackground(
    file: StaticString = #fileID, line: UInt = #line,
    _ action: @escaping @Sendable (_ value: Value) throws -> Void
  ) -> Promise<Void> {
    transformed(on: .background, at: CallSite(file, line, .then), action)
  }
}
