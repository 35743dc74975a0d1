extension Promise {
  /// Changes the value, right where the promise settles.
  ///
  /// What sets it apart from `then` is the context: a plain change of a value needs no hop, so the
  /// default here is ``ExecutionContext/inline``. The promise that it makes still inherits this one's.
  /// It is quicker to compile, too: `then` has several forms, and a row of five or more whose closures
  /// are bare arithmetic, `.then { $0 + 1 }`, takes the type checker longer than it allows itself.
  ///
  /// - Parameters:
  ///   - context: where `transform` runs.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: makes the new value of the old; runs at most once.
  /// - Returns: a promise of what `transform` returns, rejected with what it throws, or with this
  ///   promise's error.
  @inlinable
  public func map<NewValue>(
    on context: ExecutionContext = .inline, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    then(on: context, file: file, line: line, transform)
  }
}

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
