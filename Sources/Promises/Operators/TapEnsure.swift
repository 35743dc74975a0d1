extension Promise where Value: Sendable {
  /// Performs an action with the value and passes the value on.
  ///
  /// Unlike ``done(on:_:)``, this is a step of the chain: later steps wait for the action and fail
  /// if it throws.
  ///
  /// - Parameters:
  ///   - context: The context for `action`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - action: The action. It runs at most once.
  /// - Returns: A promise with the same value. It is rejected with the error that `action` throws
  ///   or with this promise's error.
  public func tap(
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    _ action: @escaping @Sendable (_ value: Value) throws -> Void
  ) -> Promise {
    transformed(on: context, at: CallSite(file, line, .tap)) { value in
      try action(value)
      return value
    }
  }

  /// Performs an action with the value, on the actor in whose code the action is written, and passes
  /// the value on.
  ///
  /// As ``tap(on:file:line:_:)-(_,_,_,(Value)->Void)``. An action without isolation runs in the
  /// promise's ``context``.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - action: The action. It runs at most once.
  /// - Returns: A promise with the same value. It is rejected with the error that `action` throws
  ///   or with this promise's error.
  public func tap(
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ action:
      @escaping @Sendable @isolated(any) (_ value: Value) throws -> Void
  ) -> Promise {
    tap(
      on: .isolated(to: action.isolation) ?? context, file: file, line: line,
      withoutIsolation(action))
  }

  /// Performs an asynchronous action with the value, then passes the value on.
  ///
  /// - Parameters:
  ///   - context: The context for `action`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - action: The closure that starts the action. It runs at most once.
  /// - Returns: A promise with the same value. It is rejected with the error that `action` throws,
  ///   with the error of its promise, or with this promise's error.
  public func tap<Ignored: Sendable>(
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    _ action: @escaping @Sendable (_ value: Value) throws -> Promise<Ignored>
  ) -> Promise {
    then(on: context, file: file, line: line) { value in
      try action(value).map(file: file, line: line) { _ in value }
    }
  }

  /// Performs an asynchronous action with the value, which starts on the actor in whose code the
  /// closure is written, then passes the value on.
  ///
  /// As ``tap(on:file:line:_:)-(_,_,_,(Value)->Promise<Ignored>)``. A closure without isolation runs
  /// in the promise's ``context``.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - action: The closure that starts the action. It runs at most once.
  /// - Returns: A promise with the same value. It is rejected with the error that `action` throws,
  ///   with the error of its promise, or with this promise's error.
  public func tap<Ignored: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ action:
      @escaping @Sendable @isolated(any) (_ value: Value) throws -> Promise<Ignored>
  ) -> Promise {
    tap(
      on: .isolated(to: action.isolation) ?? context, file: file, line: line,
      withoutIsolation(action))
  }

  // MARK: ensure

  /// Performs an action after this promise has settled in any way, and then passes the outcome on.
  ///
  /// Unlike ``always(on:_:)-(_,()->Void)``, this is a step of the chain: later steps wait for the
  /// action. It is intended for the release of resources.
  ///
  /// ```swift
  /// open(file).then { file in read(file) }.ensure { try close(file) }.done { text in show(text) }
  /// ```
  ///
  /// Source: ECMA-262, Promise.prototype.finally. Unlike there, an error of the action does not
  /// replace an earlier error, which is usually its cause.
  ///
  /// - Parameters:
  ///   - context: The context for `action`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - action: The action. It runs exactly once, even if the new promise is cancelled before this
  ///     promise settles.
  /// - Returns: A promise with this promise's outcome. If this promise is fulfilled and `action`
  ///   throws, it is rejected with this error.
  public func ensure(
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    _ action: @escaping @Sendable () throws -> Void
  ) -> Promise {
    ensure(at: CallSite(file, line, .ensure), on: context) { settled, next in
      do {
        try action()
      } catch  where settled.error == nil {
        return next.settle(rejecting: error, by: .upstream)
      } catch {}
      return next.settle(withOutcomeOf: settled)
    }
  }

  /// Performs an action after this promise has settled in any way, on the actor in whose code the
  /// action is written, and then passes the outcome on.
  ///
  /// As ``ensure(on:file:line:_:)-(_,_,_,()->Void)``. An action without isolation runs in the
  /// promise's ``context``.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - action: The action. It runs exactly once.
  /// - Returns: A promise with this promise's outcome. If this promise is fulfilled and `action`
  ///   throws, it is rejected with this error.
  public func ensure(
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ action: @escaping @Sendable @isolated(any) () throws -> Void
  ) -> Promise {
    ensure(
      on: .isolated(to: action.isolation) ?? context, file: file, line: line,
      withoutIsolation(action))
  }

  /// Performs an asynchronous action after this promise has settled in any way, waits for it, and then
  /// passes the outcome on.
  ///
  /// As ``ensure(on:file:line:_:)-(_,_,_,()->Void)``. Cancelling the new promise does not cancel the
  /// action.
  ///
  /// - Parameters:
  ///   - context: The context for `action`.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - action: The closure that starts the action. It runs exactly once.
  /// - Returns: A promise with this promise's outcome. If this promise is fulfilled and `action`
  ///   throws or its promise is rejected, it is rejected with this error. It is rejected with
  ///   ``PromiseError/cycle`` if the action's promise waits for it.
  public func ensure<Ignored: Sendable>(
    on context: ExecutionContext, file: StaticString = #fileID, line: UInt = #line,
    _ action: @escaping @Sendable () throws -> Promise<Ignored>
  ) -> Promise {
    ensure(at: CallSite(file, line, .ensure), on: context) { settled, next in
      let finished = firstly(file: file, line: line, action)
      finished.attach(
        .everything,
        Reaction(for: nil) { finished, _ in
          let error = settled.error ?? Promise<Ignored>.from(finished).error
          let needsDelivery =
            if let error {
              next.settle(rejecting: error, by: .upstream)
            } else {
              next.settle(withOutcomeOf: settled)
            }
          if needsDelivery { Trampoline.deliver(next) }
          return false
        })
      if !finished.isSettled {
        let action = UncancellableUpstream(finished)
        next.wait(for: action)
        if next.isInCycle(through: action) { next.rejectCycle(through: action) }
      }
      return false
    }
  }

  /// Performs an asynchronous action after this promise has settled in any way, which starts on the
  /// actor in whose code the closure is written, waits for it, and then passes the outcome on.
  ///
  /// As ``ensure(on:file:line:_:)-(_,_,_,()->Promise<Ignored>)``. A closure without isolation runs in
  /// the promise's ``context``.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - action: The closure that starts the action. It runs exactly once.
  /// - Returns: A promise with this promise's outcome. If this promise is fulfilled and `action`
  ///   throws or its promise is rejected, it is rejected with this error.
  public func ensure<Ignored: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ action:
      @escaping @Sendable @isolated(any) () throws -> Promise<Ignored>
  ) -> Promise {
    ensure(
      on: .isolated(to: action.isolation) ?? context, file: file, line: line,
      withoutIsolation(action))
  }

  /// Runs `finish` in a context after this promise has settled, and delivers the new promise.
  ///
  /// - Parameters:
  ///   - site: The source location of the new promise.
  ///   - context: The context for `finish`.
  ///   - finish: The closure that settles the new promise. It returns whether the new promise must be
  ///     delivered.
  /// - Returns: The new promise.
  private func ensure(
    at site: CallSite, on context: ExecutionContext,
    _ finish: @escaping @Sendable (_ settled: Promise, _ next: Promise) -> Bool
  ) -> Promise {
    let next: Promise = derived(at: site)
    let context = self.context.resolving(context)
    // Without a dependent, because the reaction of a cancelled promise is removed.
    attach(
      .everything,
      Reaction(for: nil) { settled, _ in
        let settled = Promise.from(settled)
        context.handle(for: next) {
          if finish(settled, next) { Trampoline.deliver(next, in: context) }
        }
        return false
      })
    return next
  }
}
