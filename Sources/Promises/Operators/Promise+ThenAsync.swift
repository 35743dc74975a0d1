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
