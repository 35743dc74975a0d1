extension Promise {
  /// Drops the value, for where only the end matters.
  ///
  /// - Parameters:
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of nothing, rejected with this promise's error.
  public func asVoid(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    map(file: file, line: line) { _ in }
  }
}
