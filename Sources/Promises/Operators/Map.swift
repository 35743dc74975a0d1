extension Promise {
  /// Transforms the value inline, on the thread that settles this promise.
  ///
  /// Unlike `then`, it uses ``ExecutionContext/inline`` by default, because a synchronous
  /// transformation needs no hop. The new promise still inherits this promise's context. `map` also
  /// compiles faster: `then` has several overloads, and the type checker fails with a timeout on a
  /// chain of five or more calls with closures of plain arithmetic, such as `.then { $0 + 1 }`.
  ///
  /// - Parameters:
  ///   - context: The context for `transform`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that transforms the value. It runs at most once.
  /// - Returns: A promise for the result of `transform`. It is rejected with the error that
  ///   `transform` throws or with this promise's error.
  @inlinable
  public func map<NewValue>(
    on context: ExecutionContext = .inline, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    then(on: context, file: file, line: line, transform)
  }

  // MARK: compactMap

  /// Transforms the value and rejects if the result is `nil`.
  ///
  /// - Parameters:
  ///   - context: The context for `transform`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that transforms the value or returns `nil`. It runs at most once.
  /// - Returns: A promise for the result of `transform`. It is rejected with
  ///   ``PromiseError/missingValue`` if the result is `nil`, with the error that `transform`
  ///   throws, or with this promise's error.
  public func compactMap<NewValue>(
    on context: ExecutionContext = .inline, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue?
  ) -> Promise<NewValue> {
    map(on: context, file: file, line: line) { value in
      guard let new = try transform(value) else { throw PromiseError.missingValue }
      return new
    }
  }

  // MARK: asVoid

  /// Discards the value.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise without a value. It is rejected with this promise's error.
  public func asVoid(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    map(file: file, line: line) { _ in }
  }

  // MARK: tap

  /// Performs an action with the value and passes the value on.
  ///
  /// Unlike ``done(on:_:)``, this is a step of the chain: later steps wait for the action and fail
  /// if it throws.
  ///
  /// - Parameters:
  ///   - context: The context for `action`. `nil` uses the promise's ``context``.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - action: The action. It runs at most once.
  /// - Returns: A promise with the same value. It is rejected with the error that `action` throws
  ///   or with this promise's error.
  public func tap(
    on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ action: @escaping @Sendable (_ value: Value) throws -> Void
  ) -> Promise {
    then(on: context, file: file, line: line) { value in
      try action(value)
      return value
    }
  }

  /// Performs an asynchronous action with the value, then passes the value on.
  ///
  /// - Parameters:
  ///   - context: The context for `action`. `nil` uses the promise's ``context``.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - action: The closure that starts the action. It runs at most once.
  /// - Returns: A promise with the same value. It is rejected with the error that `action` throws,
  ///   with the error of its promise, or with this promise's error.
  public func tap<Ignored>(
    on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ action: @escaping @Sendable (_ value: Value) throws -> Promise<Ignored>
  ) -> Promise {
    then(on: context, file: file, line: line) { value in
      try action(value).map(file: file, line: line) { _ in value }
    }
  }

  // MARK: validate

  /// Rejects values that do not meet a condition.
  ///
  /// - Parameters:
  ///   - context: The context for `isAcceptable`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - isAcceptable: The condition. It runs at most once.
  /// - Returns: A promise with the same value. It is rejected with
  ///   ``PromiseError/unacceptableValue`` if `isAcceptable` returns `false`, with the error that
  ///   `isAcceptable` throws, or with this promise's error.
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
