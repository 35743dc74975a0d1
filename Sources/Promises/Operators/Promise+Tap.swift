extension Promise {
  /// Does something with the value on its way, and passes the value on when that is done.
  ///
  /// Unlike ``done(on:_:)`` it is a step of the chain: what follows waits for it, and fails with it.
  ///
  /// - Parameters:
  ///   - context: where `action` runs; the promise's own ``context`` when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - action: gets the value; runs at most once.
  /// - Returns: a promise of the same value, rejected with what `action` throws, or with this
  ///   promise's error.
  public func tap(
    on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ action: @escaping @Sendable (_ value: Value) throws -> Void
  ) -> Promise {
    then(on: context, file: file, line: line) { value in
      try action(value)
      return value
    }
  }

  /// Does something with the value that takes time, and passes the value on when that is done.
  ///
  /// - Parameters:
  ///   - context: where `action` runs; the promise's own ``context`` when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - action: starts something with the value; runs at most once.
  /// - Returns: a promise of the same value, rejected with what `action` throws or its promise is
  ///   rejected with, or with this promise's error.
  public func tap<Ignored>(
    on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ action: @escaping @Sendable (_ value: Value) throws -> Promise<Ignored>
  ) -> Promise {
    then(on: context, file: file, line: line) { value in
      try action(value).map(file: file, line: line) { _ in value }
    }
  }
}
