extension Promise {
  /// Makes a value of one particular error; others pass.
  ///
  /// ```swift
  /// load.timeout(.seconds(2)).recover(PromiseError.timedOut) { cached }
  /// ```
  ///
  /// - Parameters:
  ///   - failure: the error it is for.
  ///   - context: where `transform` runs; the promise's own ``context`` when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: makes a value, or throws another error; runs at most once.
  /// - Returns: a promise of this one's value, or else of what `transform` returns; rejected with what
  ///   that throws, or with another error.
  @_disfavoredOverload
  public func recover<Failure: Error & Equatable>(
    _ failure: Failure, on context: ExecutionContext? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable () throws -> Value
  ) -> Promise {
    recover(CallSite(file, line), on: context, matching: { $0 as? Failure == failure ? () : nil }) {
      next, _ in next.settle { try transform() }
    }
  }

  /// Goes on with another promise after one particular error; others pass.
  ///
  /// - Parameters:
  ///   - failure: the error it is for.
  ///   - context: where `transform` runs; the promise's own ``context`` when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: starts something else, or throws another error; runs at most once.
  /// - Returns: a promise of this one's value, or else of what the returned promise will be; rejected
  ///   with what `transform` throws, or with another error.
  public func recover<Failure: Error & Equatable>(
    _ failure: Failure, on context: ExecutionContext? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable () throws -> Promise
  ) -> Promise {
    recover(CallSite(file, line), on: context, matching: { $0 as? Failure == failure ? () : nil }) {
      next, _ in next.follow { try transform() }
    }
  }
}
