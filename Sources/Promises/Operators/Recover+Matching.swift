// The variants of `recover` for errors of one type and for one specific error.

extension Promise where Value: Sendable {
  /// Replaces an error of one type by a value.
  ///
  /// Other errors are passed on.
  ///
  /// - Parameters:
  ///   - type: The type of the errors to handle.
  ///   - context: The context for `transform`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that returns a value for the error or throws another error. It runs
  ///     at most once.
  /// - Returns: A promise with this promise's value or the result of `transform`. It is rejected
  ///   with the error that `transform` throws or with an error of another type.
  @_disfavoredOverload
  public func recover<Failure: Error>(
    _ type: Failure.Type, on context: ExecutionContext,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ error: Failure) throws -> Value
  ) -> Promise {
    recover(file, line, on: context, matching: { $0 as? Failure }) { next, error in
      next.settle { try transform(error) }
    }
  }

  /// Replaces an error of one type by a value, on the actor in whose code the closure is written or,
  /// without isolation, in the promise's ``context``.
  ///
  /// - Parameters:
  ///   - type: The type of the errors to handle. Other errors are passed on.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that returns a value for the error or throws another error.
  /// - Returns: A promise with this promise's value or the result of `transform`.
  @_disfavoredOverload
  public func recover<Failure: Error>(
    _ type: Failure.Type, file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ transform:
      @escaping @Sendable @isolated(any) (_ error: Failure) throws -> Value
  ) -> Promise {
    recover(
      type, on: .isolated(to: transform.isolation) ?? context, file: file, line: line,
      withoutIsolation(transform))
  }

  /// Replaces an error of one type by the outcome of another promise.
  ///
  /// Other errors are passed on.
  ///
  /// - Parameters:
  ///   - type: The type of the errors to handle.
  ///   - context: The context for `transform`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that starts other work or throws another error. It runs at most
  ///     once.
  /// - Returns: A promise with this promise's value or the outcome of the returned promise. It is
  ///   rejected with the error that `transform` throws or with an error of another type.
  public func recover<Failure: Error>(
    _ type: Failure.Type, on context: ExecutionContext,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ error: Failure) throws -> Promise
  ) -> Promise {
    recover(file, line, on: context, matching: { $0 as? Failure }) { next, error in
      next.follow { try transform(error) }
    }
  }

  /// Replaces an error of one type by the outcome of another promise, which is started on the actor in
  /// whose code the closure is written or, without isolation, in the promise's ``context``.
  ///
  /// - Parameters:
  ///   - type: The type of the errors to handle. Other errors are passed on.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that starts other work or throws another error.
  /// - Returns: A promise with this promise's value or the outcome of the returned promise.
  public func recover<Failure: Error>(
    _ type: Failure.Type, file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ transform:
      @escaping @Sendable @isolated(any) (_ error: Failure) throws -> Promise
  ) -> Promise {
    recover(
      type, on: .isolated(to: transform.isolation) ?? context, file: file, line: line,
      withoutIsolation(transform))
  }

  // MARK: One specific error

  /// Replaces one specific error by a value.
  ///
  /// Other errors are passed on.
  ///
  /// ```swift
  /// load.timeout(.seconds(2)).recover(PromiseError.timedOut) { cached }
  /// ```
  ///
  /// - Parameters:
  ///   - failure: The error to handle.
  ///   - context: The context for `transform`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that returns a value or throws another error. It runs at most once.
  /// - Returns: A promise with this promise's value or the result of `transform`. It is rejected
  ///   with the error that `transform` throws or with an error other than `failure`.
  @_disfavoredOverload
  public func recover<Failure: Error & Equatable>(
    _ failure: Failure, on context: ExecutionContext,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable () throws -> Value
  ) -> Promise {
    recover(file, line, on: context, matching: { $0 as? Failure == failure ? () : nil }) {
      next, _ in next.settle { try transform() }
    }
  }

  /// Replaces one specific error by a value, on the actor in whose code the closure is written or,
  /// without isolation, in the promise's ``context``.
  ///
  /// - Parameters:
  ///   - failure: The error to handle. Other errors are passed on.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that returns a value or throws another error.
  /// - Returns: A promise with this promise's value or the result of `transform`.
  @_disfavoredOverload
  public func recover<Failure: Error & Equatable>(
    _ failure: Failure, file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ transform: @escaping @Sendable @isolated(any) () throws -> Value
  ) -> Promise {
    recover(
      failure, on: .isolated(to: transform.isolation) ?? context, file: file, line: line,
      withoutIsolation(transform))
  }

  /// Replaces one specific error by the outcome of another promise.
  ///
  /// Other errors are passed on.
  ///
  /// - Parameters:
  ///   - failure: The error to handle.
  ///   - context: The context for `transform`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that starts other work or throws another error. It runs at most
  ///     once.
  /// - Returns: A promise with this promise's value or the outcome of the returned promise. It is
  ///   rejected with the error that `transform` throws or with an error other than `failure`.
  public func recover<Failure: Error & Equatable>(
    _ failure: Failure, on context: ExecutionContext,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable () throws -> Promise
  ) -> Promise {
    recover(file, line, on: context, matching: { $0 as? Failure == failure ? () : nil }) {
      next, _ in next.follow { try transform() }
    }
  }

  /// Replaces one specific error by the outcome of another promise, which is started on the actor in
  /// whose code the closure is written or, without isolation, in the promise's ``context``.
  ///
  /// - Parameters:
  ///   - failure: The error to handle. Other errors are passed on.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that starts other work or throws another error.
  /// - Returns: A promise with this promise's value or the outcome of the returned promise.
  public func recover<Failure: Error & Equatable>(
    _ failure: Failure, file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ transform: @escaping @Sendable @isolated(any) () throws -> Promise
  ) -> Promise {
    recover(
      failure, on: .isolated(to: transform.isolation) ?? context, file: file, line: line,
      withoutIsolation(transform))
  }
}
