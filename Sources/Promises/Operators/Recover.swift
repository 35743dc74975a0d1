extension Promise {
  /// Replaces an error by a value.
  ///
  /// - Parameters:
  ///   - context: The context for `transform`. `nil` uses the promise's ``context``.
  ///   - policy: The errors to handle. The default excludes cancellations.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that returns a value for the error or throws another error. It runs
  ///     at most once.
  /// - Returns: A promise with this promise's value or the result of `transform`. It is rejected
  ///   with the error that `transform` throws or with an error that `policy` excludes.
  @_disfavoredOverload
  public func recover(
    on context: ExecutionContext? = nil, policy: ErrorPolicy = .allErrorsExceptCancellation,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ error: any Error) throws -> Value
  ) -> Promise {
    recover(CallSite(file, line), on: context, matching: { policy.covers($0) ? $0 : nil }) {
      next, error in next.settle { try transform(error) }
    }
  }

  /// Replaces an error by the outcome of another promise.
  ///
  /// - Parameters:
  ///   - context: The context for `transform`. `nil` uses the promise's ``context``.
  ///   - policy: The errors to handle. The default excludes cancellations.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that starts other work or throws another error. It runs at most
  ///     once.
  /// - Returns: A promise with this promise's value or the outcome of the returned promise. It is
  ///   rejected with the error that `transform` throws or with an error that `policy` excludes.
  public func recover(
    on context: ExecutionContext? = nil, policy: ErrorPolicy = .allErrorsExceptCancellation,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ error: any Error) throws -> Promise
  ) -> Promise {
    recover(CallSite(file, line), on: context, matching: { policy.covers($0) ? $0 : nil }) {
      next, error in next.follow { try transform(error) }
    }
  }

  /// Returns a promise that `settle` settles in a context if `match` does not return `nil`.
  ///
  /// All other outcomes are passed on.
  func recover<Matched: Sendable>(
    _ site: CallSite, on context: ExecutionContext?,
    matching match: @escaping @Sendable (any Error) -> Matched?,
    _ settle: @escaping @Sendable (_ next: Promise, _ error: Matched) -> Bool
  ) -> Promise {
    let context = self.context.resolving(context)
    return derive(at: site) { settled, next in
      guard let error = settled.error, let matched = match(error) else {
        return next.settle(withOutcomeOf: settled)
      }
      return next.settle(on: context) { settle($0, matched) }
    }
  }

  // MARK: Errors of one type

  /// Replaces an error of one type by a value.
  ///
  /// Other errors are passed on.
  ///
  /// - Parameters:
  ///   - type: The type of the errors to handle.
  ///   - context: The context for `transform`. `nil` uses the promise's ``context``.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that returns a value for the error or throws another error. It runs
  ///     at most once.
  /// - Returns: A promise with this promise's value or the result of `transform`. It is rejected
  ///   with the error that `transform` throws or with an error of another type.
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

  /// Replaces an error of one type by the outcome of another promise.
  ///
  /// Other errors are passed on.
  ///
  /// - Parameters:
  ///   - type: The type of the errors to handle.
  ///   - context: The context for `transform`. `nil` uses the promise's ``context``.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that starts other work or throws another error. It runs at most
  ///     once.
  /// - Returns: A promise with this promise's value or the outcome of the returned promise. It is
  ///   rejected with the error that `transform` throws or with an error of another type.
  public func recover<Failure: Error>(
    _ type: Failure.Type, on context: ExecutionContext? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ error: Failure) throws -> Promise
  ) -> Promise {
    recover(CallSite(file, line), on: context, matching: { $0 as? Failure }) { next, error in
      next.follow { try transform(error) }
    }
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
  ///   - context: The context for `transform`. `nil` uses the promise's ``context``.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that returns a value or throws another error. It runs at most once.
  /// - Returns: A promise with this promise's value or the result of `transform`. It is rejected
  ///   with the error that `transform` throws or with an error other than `failure`.
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

  /// Replaces one specific error by the outcome of another promise.
  ///
  /// Other errors are passed on.
  ///
  /// - Parameters:
  ///   - failure: The error to handle.
  ///   - context: The context for `transform`. `nil` uses the promise's ``context``.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that starts other work or throws another error. It runs at most
  ///     once.
  /// - Returns: A promise with this promise's value or the outcome of the returned promise. It is
  ///   rejected with the error that `transform` throws or with an error other than `failure`.
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
