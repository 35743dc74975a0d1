extension Promise {
  /// Lets only values pass that meet a condition.
  ///
  /// - Parameters:
  ///   - context: where `isAcceptable` runs.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - isAcceptable: looks at the value; runs at most once.
  /// - Returns: a promise of the same value, rejected with ``PromiseError/unacceptableValue`` when
  ///   `isAcceptable` returned false, with what it throws, or with this promise's error.
  public func validate(
    on context: ExecutionContext = .inline, file: StaticString = #fileID, line: UInt = #line,
    where isAcceptable: @escaping @Sendable (_ value: Value) throws -> Bool
  ) -> Promise {
    map(on: context, file: file, line: line) { value in
      guard try isAcceptable(value) else { throw PromiseError.unacceptableValue }
      return value
    }
  }
}
