extension Promise {
  /// Makes a value of an error of one type; other errors pass.
  ///
  /// - Parameters:
  ///   - type: the type of the errors it is for.
  ///   - context: where `transform` runs; the promise's own ``context`` when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: makes a value of the error, or throws another; runs at most once.
  /// - Returns: a promise of this one's value, or else of what `transform` returns; rejected with what
  ///   that throws, or with an error of another type.
  @_disfavoredOverload
  public func recover<Failure: Error>(
    _ type: Failure.Type, on context: ExecutionContext? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ error: Failure) throws -> Value
  ) -> Promise {
    recover(CallSite(file, line), on: context, matching: { $0 as? Failure }) { next, error in
      next.settle { try transform(error) }
    }
  }

  /// Goes on with another promise after an error of one type; other errors pass.
  ///
  /// - Parameters:
  ///   - type: the type of the errors it is for.
  ///   - context: where `transform` runs; the promise's own ``context`` when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: starts something else, or throws another error; runs at most once.
  /// - Returns: a promise of this one's value, or else of what the returned promise will be; rejected
  ///   with what `transform` throws, or with an error of another type.
  public func recover<Failure: Error>(
    _ type: Failure.Type, on context: ExecutionContext? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ error: Failure) throws -> Promise
  ) -> Promise {
    recover(CallSite(file, line), on: context, matching: { $0 as? Failure }) { next, error in
      next.follow { try transform(error) }
    }
  }
}
