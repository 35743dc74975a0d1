/// Waits until every one of a number of promises has settled, however it did.
///
/// - Parameters:
///   - promises: the promises; none fulfils with an empty array.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
/// - Returns: a promise of all outcomes, in the order of `promises`, which is never rejected but by a
///   cancellation of its own; that cancels those which nobody else waits for.
public func settled<Value>(
  _ promises: [Promise<Value>], file: StaticString = #fileID, line: UInt = #line
) -> Promise<[Result<Value, any Error>]> {
  guard !promises.isEmpty else { return .fulfilled([], file: file, line: line) }
  let countdown = Countdown(promises.count)
  return .gathering(promises, at: CallSite(file, line)) { _, result in
    countdown.isLast() && result.settle(fulfilling: promises.map { $0.outcome }, by: .upstream)
  }
}

/// Waits until every one of several promises of different types has settled, however it did.
///
/// - Parameters:
///   - first: a promise, whose context the result carries.
///   - second: another.
///   - others: any number of others.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
/// - Returns: a promise of a tuple of the outcomes, which is never rejected but by a cancellation of
///   its own; that cancels those which nobody else waits for.
public func settled<First, Second, each Other>(
  _ first: Promise<First>, _ second: Promise<Second>, _ others: repeat Promise<each Other>,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<
  (Result<First, any Error>, Result<Second, any Error>, repeat Result<each Other, any Error>)
> {
  gather(first, second, repeat each others, at: CallSite(file, line), endsWithFirstError: false) {
    (first.outcome, second.outcome, repeat (each others).outcome)
  }
}
