extension Promise where Value: Sendable {
  /// Replaces an error by a value.
  ///
  /// - Parameters:
  ///   - context: The context for `transform`.
  ///   - policy: The errors to handle. The default excludes cancellations.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that returns a value for the error or throws another error. It runs
  ///     at most once.
  /// - Returns: A promise with this promise's value or the result of `transform`. It is rejected
  ///   with the error that `transform` throws or with an error that `policy` excludes.
  @_disfavoredOverload
  public func recover(
    on context: ExecutionContext, policy: ErrorPolicy = .allErrorsExceptCancellation,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ error: any Error) throws -> Value
  ) -> Promise {
    recover(file, line, on: context, matching: { policy.covers($0) ? $0 : nil }) {
      next, error in next.settle { try transform(error) }
    }
  }

  /// Replaces an error by a value, on the actor in whose code the closure is written.
  ///
  /// As ``recover(on:policy:file:line:_:)-(_,_,_,_,(Error)->Value)``. A closure without isolation runs
  /// in the promise's ``context``.
  ///
  /// - Parameters:
  ///   - policy: The errors to handle. The default excludes cancellations.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that returns a value for the error or throws another error.
  /// - Returns: A promise with this promise's value or the result of `transform`.
  @_disfavoredOverload
  public func recover(
    policy: ErrorPolicy = .allErrorsExceptCancellation,
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ transform:
      @escaping @Sendable @isolated(any) (_ error: any Error) throws -> Value
  ) -> Promise {
    recover(
      on: .isolated(to: transform.isolation) ?? context, policy: policy, file: file, line: line,
      withoutIsolation(transform))
  }

  /// Replaces an error by the outcome of another promise.
  ///
  /// - Parameters:
  ///   - context: The context for `transform`.
  ///   - policy: The errors to handle. The default excludes cancellations.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that starts other work or throws another error. It runs at most
  ///     once.
  /// - Returns: A promise with this promise's value or the outcome of the returned promise. It is
  ///   rejected with the error that `transform` throws or with an error that `policy` excludes.
  public func recover(
    on context: ExecutionContext, policy: ErrorPolicy = .allErrorsExceptCancellation,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ error: any Error) throws -> Promise
  ) -> Promise {
    recover(file, line, on: context, matching: { policy.covers($0) ? $0 : nil }) {
      next, error in next.follow { try transform(error) }
    }
  }

  /// Replaces an error by the outcome of another promise, which is started on the actor in whose code
  /// the closure is written.
  ///
  /// As the variant with a context. A closure without isolation runs in the promise's ``context``.
  ///
  /// - Parameters:
  ///   - policy: The errors to handle. The default excludes cancellations.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - transform: The closure that starts other work or throws another error.
  /// - Returns: A promise with this promise's value or the outcome of the returned promise.
  public func recover(
    policy: ErrorPolicy = .allErrorsExceptCancellation,
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ transform:
      @escaping @Sendable @isolated(any) (_ error: any Error) throws -> Promise
  ) -> Promise {
    recover(
      on: .isolated(to: transform.isolation) ?? context, policy: policy, file: file, line: line,
      withoutIsolation(transform))
  }

  /// Returns a promise that `settle` settles in a context if `match` does not return `nil`.
  ///
  /// All other outcomes are passed on.
  func recover<Matched: Sendable>(
    _ file: StaticString, _ line: UInt, on context: ExecutionContext,
    matching match: @escaping @Sendable (any Error) -> Matched?,
    _ settle: @escaping @Sendable (_ next: Promise, _ error: Matched) -> Bool
  ) -> Promise {
    let context = self.context.resolving(context)
    return derive(at: CallSite(file, line, .recover)) { settled, next in
      guard let error = settled.error, let matched = match(error) else {
        return next.settle(withOutcomeOf: settled)
      }
      return next.settle(on: context) { settle($0, matched) }
    }
  }

  // MARK: Conditional steps

  /// Calls a closure with the outcome, like ``always(on:_:)-(_,(Result<Value,Error>)->Void)`` on the
  /// inline context, but before this method returns if the promise has settled.
  ///
  /// - Parameter body: The closure, which does not add such a closure again.
  /// - Returns: This promise, whose rejection a step after it handles.
  @inlinable
  package func observed(by body: @escaping @Sendable (Result<Value, any Error>) -> Void) -> Promise
  {
    guard isDelivered else { return always(on: .inline, body) }
    body(outcome)
    return self
  }

  /// Adds a step that runs only for some outcomes, such as following a redirect.
  ///
  /// If `step` returns `nil`, the new promise adopts this promise's outcome directly, without an
  /// intermediate promise.
  ///
  /// - Parameters:
  ///   - isNested: Whether the step may add such a step again, any number of times, so that it must not
  ///     run inside this method.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - step: The closure that starts the step or returns `nil` for no step. It runs inline, at
  ///     most once, and only if the new promise has not been cancelled.
  /// - Returns: A promise for the outcome of the step or, without a step, for this promise's
  ///   outcome. It is rejected with the error that `step` throws. It inherits this promise's
  ///   context.
  @inlinable
  package func followed(
    isNested: Bool = false, file: StaticString = #fileID, line: UInt = #line,
    by step: @escaping @Sendable (_ outcome: Result<Value, any Error>) throws -> Promise<Value>?
  ) -> Promise<Value> {
    // Fast path: without a step, a settled promise needs no successor. Only a traced one has an upstream.
    if !isNested, isDelivered, machine.upstream == nil {
      let following = Result { try step(outcome) }
      if case .success(nil) = following { return self }
      noteAdoption()
      let next: Promise = derived(at: CallSite(file, line, .recover))
      if next.follow({ try following.get() ?? self }) { Trampoline.deliver(next) }
      return next
    }
    let next: Promise<Value> = derived(at: CallSite(file, line, .recover))
    attach(
      .everything,
      Reaction(for: next) {
        let (settled, next) = (Promise.from($0), Promise.from($1))
        guard !next.isSettled else { return false }
        do {
          if let following = try step(settled.outcome) { return next.adopt(following) }
          return next.settle(withOutcomeOf: settled)
        } catch {
          return next.settle(rejecting: error, by: .upstream)
        }
      })
    return next
  }
}

/// The errors that a handler receives.
///
/// A cancellation is requested by the program, so most handlers should not treat it as a failure.
public enum ErrorPolicy: Sendable {
  /// All errors except cancellations, as determined by ``Swift/Error/isCancellation``.
  case allErrorsExceptCancellation
  /// All errors.
  case allErrors

  @usableFromInline
  func covers(_ error: any Error) -> Bool { self == .allErrors || !error.isCancellation }
}
