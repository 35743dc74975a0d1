extension Promise {
  /// The next step, which has its value at once.
  ///
  /// Source: Promises/A+ 2.2.
  ///
  /// - Parameters:
  ///   - context: where `transform` runs; the promise's own ``context`` when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: makes the new value of the old; runs at most once, when this promise is
  ///     fulfilled and the new one has not been cancelled.
  /// - Returns: a promise of what `transform` returns, rejected with what it throws, or with this
  ///   promise's error. It inherits this promise's context.
  @inlinable
  public func then<NewValue>(
    on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> NewValue
  ) -> Promise<NewValue> {
    let next: Promise<NewValue> = derived(at: CallSite(file, line))
    let context = self.context.adopting(context)
    @Sendable func react(_ settled: Promise, _ next: Promise<NewValue>) -> Bool {
      if let error = settled.error { return next.settle(rejecting: error, by: .upstream) }
      let value = settled.fulfilledValue
      if context.isInline { return next.settle { try transform(value) } }
      context.run(for: next) {
        if next.settle(with: { try transform(value) }) { Trampoline.deliver(next) }
      }
      return false
    }
    if !reactNow(.everything, next, { react($0, $1) }) {
      attach(.everything, Reaction(for: next) { react(.from($0), .from($1)) })
    }
    return next
  }

  /// The next step, which takes time: another promise.
  ///
  /// The new promise follows the one returned. Cancelling it cancels whichever of the two it is
  /// waiting for at that moment, if nobody else is.
  ///
  /// Source: Promises/A+ 2.2.7.1, 2.3.2.
  ///
  /// - Parameters:
  ///   - context: where `transform` runs; the promise's own ``context`` when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  ///   - transform: starts the next step with the value; runs at most once, when this promise is
  ///     fulfilled and the new one has not been cancelled.
  /// - Returns: a promise of what the returned promise will be, rejected with what `transform`
  ///   throws, or with this promise's error. It inherits this promise's context.
  @inlinable
  public func then<NewValue>(
    on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (_ value: Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    let next: Promise<NewValue> = derived(at: CallSite(file, line))
    let context = self.context.adopting(context)
    @Sendable func react(_ settled: Promise, _ next: Promise<NewValue>) -> Bool {
      if let error = settled.error { return next.settle(rejecting: error, by: .upstream) }
      let value = settled.fulfilledValue
      if context.isInline { return next.follow { try transform(value) } }
      context.run(for: next) {
        if next.follow({ try transform(value) }) { Trampoline.deliver(next) }
      }
      return false
    }
    if !reactNow(.everything, next, { react($0, $1) }) {
      attach(.everything, Reaction(for: next) { react(.from($0), .from($1)) })
    }
    return next
  }
}
