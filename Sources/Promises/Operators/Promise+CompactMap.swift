extension Promise {
  /// Changes the value to one that may be missing.
  ///
  /// - Parameters:
  ///   - context: where `transform` runs.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: makes the new value of the old, or nil; runs at most once.
  /// - Returns: a promise of what `transform` returns, rejected with ``PromiseError/missingValue``
  ///   when that is nil, with what it throws, or with this promise's error.
  public func compactMap<NewValue>(
    on context: ExecutionContext = .inline, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue?
  ) -> Promise<NewValue> {
    map(on: context, file: file, line: line) { value in
      guard let new = try transform(value) else { throw PromiseError.missingValue }
      return new
    }
  }
}
