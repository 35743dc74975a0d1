extension Promise {
  /// Makes a value of an error.
  ///
  /// - Parameters:
  ///   - context: where `transform` runs; the promise's own ``context`` when nil.
  ///   - policy: which errors it is for; a cancellation is not among them unless asked for.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: makes a value of the error, or throws another; runs at most once.
  /// - Returns: a promise of this one's value, or else of what `transform` returns; rejected with what
  ///   that throws, or with an error that `policy` leaves out.
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

  /// Goes on with another promise after an error.
  ///
  /// - Parameters:
  ///   - context: where `transform` runs; the promise's own ``context`` when nil.
  ///   - policy: which errors it is for; a cancellation is not among them unless asked for.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: starts something else, or throws another error; runs at most once.
  /// - Returns: a promise of this one's value, or else of what the returned promise will be; rejected
  ///   with what `transform` throws, or with an error that `policy` leaves out.
  public func recover(
    on context: ExecutionContext? = nil, policy: ErrorPolicy = .allErrorsExceptCancellation,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ error: any Error) throws -> Promise
  ) -> Promise {
    recover(CallSite(file, line), on: context, matching: { policy.covers($0) ? $0 : nil }) {
      next, error in next.follow { try transform(error) }
    }
  }

  /// The common part: settles the new promise in the context when `match` makes something of the error.
  func recover<Matched: Sendable>(
    _ site: CallSite, on context: ExecutionContext?,
    matching match: @escaping @Sendable (any Error) -> Matched?,
    _ settle: @escaping @Sendable (_ next: Promise, _ error: Matched) -> Bool
  ) -> Promise {
    let context = self.context.adopting(context)
    return derive(at: site) { settled, next in
      guard let error = settled.error, let matched = match(error) else {
        return next.settle(like: settled)
      }
      return next.settle(on: context) { settle($0, matched) }
    }
  }
}

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

extension Promise {
  /// Makes a value of one particular error; others pass.
  ///
  /// ```swift
  /// load.timeout(.seconds(2)).recover(PromiseError.timedOut) { cached }
  /// ```
  ///
  /// - Parameters:
  ///   - failure: the error it is for.
  ///   - context: where `transform` runs; the promise's own ``context`` when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: makes a value, or throws another error; runs at most once.
  /// - Returns: a promise of this one's value, or else of what `transform` returns; rejected with what
  ///   that throws, or with another error.
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

  /// Goes on with another promise after one particular error; others pass.
  ///
  /// - Parameters:
  ///   - failure: the error it is for.
  ///   - context: where `transform` runs; the promise's own ``context`` when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: starts something else, or throws another error; runs at most once.
  /// - Returns: a promise of this one's value, or else of what the returned promise will be; rejected
  ///   with what `transform` throws, or with another error.
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
