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
