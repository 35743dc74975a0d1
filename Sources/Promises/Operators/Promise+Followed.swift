extension Promise {
  /// Another step behind this one where the outcome asks for one, as a redirect does; else the outcome as
  /// it is, without a promise between.
  ///
  /// - Parameters:
  ///   - step: starts the step, right where this promise settles; nil when there is none. It runs at most
  ///     once, unless the new promise has been cancelled.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of what the step's will be, or of this one's outcome; rejected with what `step`
  ///   throws. It inherits this promise's context.
  @inlinable
  package func followed(
    by step: @escaping @Sendable (_ outcome: Result<Value, any Error>) throws -> Promise<Value>?,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Value> {
    let next: Promise<Value> = derived(at: CallSite(file, line))
    @Sendable func react(_ settled: Promise, _ next: Promise<Value>) -> Bool {
      guard !next.isSettled else { return false }
      do {
        guard let following = try step(settled.outcome) else {
          return next.settle(like: settled)
        }
        return next.adopt(following)
      } catch {
        return next.settle(rejecting: error, by: .upstream)
      }
    }
    if !reactNow(.everything, next, { react($0, $1) }) {
      attach(.everything, Reaction(for: next) { react(.from($0), .from($1)) })
    }
    return next
  }
}
