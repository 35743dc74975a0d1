extension Promise where Value: Sendable {
  /// Transforms the value in a context.
  ///
  /// The same as ``then(on:file:line:_:)-(_,_,_,(Value)->NewValue)``.
  ///
  /// - Parameters:
  ///   - context: The context for `transform`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that transforms the value. It runs at most once.
  /// - Returns: A promise for the result of `transform`. It is rejected with the error that
  ///   `transform` throws or with this promise's error.
  @inlinable
  public func map<NewValue: Sendable>(
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    transformed(on: context, at: CallSite(file, line, .map), transform)
  }

  /// Transforms the value inline, on the thread that settles this promise.
  ///
  /// Unlike `then`, it uses ``ExecutionContext/inline`` by default, because a synchronous
  /// transformation needs no hop. The new promise still inherits this promise's context. A closure
  /// that is written in the code of an actor runs on this actor instead.
  ///
  /// `map` also compiles faster: `then` has several overloads, and the type checker fails with a
  /// timeout on a chain of five or more calls with closures of plain arithmetic, such as
  /// `.then { $0 + 1 }`.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that transforms the value. It runs at most once.
  /// - Returns: A promise for the result of `transform`. It is rejected with the error that
  ///   `transform` throws or with this promise's error.
  @inlinable
  public func map<NewValue: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ transform:
      @escaping @Sendable @isolated(any) (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    map(
      on: .isolated(to: transform.isolation) ?? .inline, file: file, line: line,
      withoutIsolation(transform))
  }

  /// Transforms the value inline or, if it needs much time, in a context.
  ///
  /// - Parameters:
  ///   - context: The context for `transform` for a value that needs much time.
  ///   - needsContext: A condition, which runs inline before `transform`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that transforms the value. It runs at most once: when this promise
  ///     is fulfilled and the new one has not been cancelled.
  /// - Returns: A promise for the result of `transform`. It is rejected with the error that
  ///   `transform` throws or with this promise's error.
  @inlinable
  package func map<NewValue: Sendable>(
    on context: ExecutionContext, if needsContext: @escaping @Sendable (_ value: Value) -> Bool,
    file: StaticString, line: UInt,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    let next: Promise<NewValue> = derived(at: CallSite(file, line, .decode))
    let (inline, context) = (self.context.resolving(.inline), self.context.resolving(context))
    @Sendable func react(_ settled: Promise, _ next: Promise<NewValue>) -> Bool {
      if let error = settled.error { return next.settle(rejecting: error, by: .upstream) }
      let value = settled.fulfilledValue
      let context = needsContext(value) ? context : inline
      if context.isInline { return next.settle { try transform(value) } }
      context.handle(for: next) {
        if next.settle(with: { try transform(value) }) { Trampoline.deliver(next, in: context) }
      }
      return false
    }
    if !reactNow(.everything, next, { react($0, $1) }) {
      attach(.everything, Reaction(for: next) { react(.from($0), .from($1)) })
    }
    return next
  }

  /// Reads a property of the value inline or, in the code of an actor, on this actor.
  ///
  /// ```swift
  /// let title = networking.request(.board(id: 7)).decode(Board.self).map(\.title)
  /// ```
  ///
  /// Code of an actor can therefore read properties that belong to the actor, such as those of a type
  /// in a module whose default isolation is the main actor.
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the property.
  ///   - isolation: The actor of the caller.
  ///   - file: The source file, for diagnostics.
  ///   - line: The source line, for diagnostics.
  /// - Returns: A promise for the property. It is rejected with this promise's error.
  public func map<NewValue: Sendable>(
    _ keyPath: sending KeyPath<Value, NewValue>, isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<NewValue> {
    // `nonisolated(unsafe)` because the caller cannot use `keyPath` any more, and it is used once.
    nonisolated(unsafe) let keyPath = keyPath
    return map(on: .isolated(to: isolation) ?? .inline, file: file, line: line) { value in
      value[keyPath: keyPath]
    }
  }

  /// Transforms the value on the caller's actor, with a closure that need not be `Sendable`.
  ///
  /// - Parameters:
  ///   - isolation: The actor of the caller.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that transforms the value. It runs at most once, on the actor.
  /// - Returns: A promise for the result of `transform`. It is rejected with the error that
  ///   `transform` throws or with this promise's error.
  package func map<NewValue>(
    isolation: isolated any Actor, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    // `nonisolated(unsafe)` because `transform` is protected by the actor: it is created there and runs
    // there only.
    nonisolated(unsafe) let transform = transform
    let context = self.context.resolving(.isolated(to: isolation) ?? .inline)
    return derive(at: CallSite(file, line, .map)) { settled, next in
      if let error = settled.error { return next.settle(rejecting: error, by: .upstream) }
      let value = settled.fulfilledValue
      return next.settle(on: context) { next in next.settle { try transform(value) } }
    }
  }

  /// Discards the value.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise without a value. It is rejected with this promise's error.
  public func asVoid(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    map(file: file, line: line) { _ in }
  }

  /// Turns an error into a value, so that the next step receives both outcomes.
  ///
  /// ```swift
  /// networking.request(.report).asResult().map { result in Report(result) }
  /// ```
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the result of this promise. It is rejected only with a cancellation.
  public func asResult(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Result<Value, any Error>> {
    derive(at: CallSite(file, line, .map)) { settled, next in
      if let error = settled.error, error.isCancellation {
        return next.settle(rejecting: error, by: .upstream)
      }
      return next.settle { settled.outcome }
    }
  }

  // MARK: compactMap

  /// Transforms the value in a context and rejects if the result is `nil`.
  ///
  /// - Parameters:
  ///   - context: The context for `transform`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that transforms the value or returns `nil`. It runs at most once.
  /// - Returns: A promise for the result of `transform`. It is rejected with
  ///   ``PromiseError/missingValue`` if the result is `nil`, with the error that `transform`
  ///   throws, or with this promise's error.
  public func compactMap<NewValue: Sendable>(
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue?
  ) -> Promise<NewValue> {
    map(on: context, file: file, line: line) { value in
      guard let new = try transform(value) else { throw PromiseError.missingValue }
      return new
    }
  }

  /// Transforms the value inline, or on the actor in whose code the closure is written, and rejects if
  /// the result is `nil`.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that transforms the value or returns `nil`. It runs at most once.
  /// - Returns: A promise as for ``compactMap(on:file:line:_:)``.
  public func compactMap<NewValue: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ transform:
      @escaping @Sendable @isolated(any) (_ value: Value) throws -> NewValue?
  ) -> Promise<NewValue> {
    compactMap(
      on: .isolated(to: transform.isolation) ?? .inline, file: file, line: line,
      withoutIsolation(transform))
  }

  // MARK: validate

  /// Rejects values that do not meet a condition, which runs in a context.
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
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    where isAcceptable: @escaping @Sendable (_ value: Value) throws -> Bool
  ) -> Promise {
    map(on: context, file: file, line: line) { value in
      guard try isAcceptable(value) else { throw PromiseError.unacceptableValue }
      return value
    }
  }

  /// Rejects values that do not meet a condition, which runs inline or on the actor in whose code it
  /// is written.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - isAcceptable: The condition. It runs at most once.
  /// - Returns: A promise as for ``validate(on:file:line:where:)``.
  public func validate(
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext where isAcceptable:
      @escaping @Sendable @isolated(any) (_ value: Value) throws -> Bool
  ) -> Promise {
    validate(
      on: .isolated(to: isAcceptable.isolation) ?? .inline, file: file, line: line,
      where: withoutIsolation(isAcceptable))
  }
}
