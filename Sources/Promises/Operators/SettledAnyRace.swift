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
    countdown.countDown() && result.settle(fulfilling: promises.map { $0.outcome }, by: .upstream)
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

/// Takes the first of a number of promises to be fulfilled.
///
/// The others are then cancelled unless somebody else waits for them. Cancelling the result does the
/// same for all of them.
///
/// - Parameters:
///   - promises: the promises; none rejects with ``PromiseError/empty``.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
/// - Returns: a promise of the first value, rejected with an ``AggregateError`` when every one of them
///   has been rejected. It carries the context of the first of them.
public func any<Value>(
  _ promises: [Promise<Value>], file: StaticString = #fileID, line: UInt = #line
) -> Promise<Value> {
  guard !promises.isEmpty else { return .rejected(PromiseError.empty, file: file, line: line) }
  let countdown = Countdown(promises.count)
  return .gathering(promises, at: CallSite(file, line)) { member, result in
    if member.error == nil {
      return result.settle(fulfilling: member.fulfilledValue, by: .consumer)
    }
    guard countdown.countDown() else { return false }
    let errors = promises.compactMap(\.error)
    return result.settle(rejecting: AggregateError(errors: errors), by: .upstream)
  }
}

/// Takes the first to be fulfilled of several promises: the same as for an array of them.
///
/// - Parameters:
///   - first: a promise, whose context the result carries.
///   - second: another.
///   - others: any number of others.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
/// - Returns: the promise that the array would give.
public func any<Value>(
  _ first: Promise<Value>, _ second: Promise<Value>, _ others: Promise<Value>...,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<Value> {
  any([first, second] + others, file: file, line: line)
}

/// Takes the first of a number of promises to settle, fulfilled or rejected.
///
/// The others are then cancelled unless somebody else waits for them. Cancelling the result does the
/// same for all of them.
///
/// - Parameters:
///   - promises: the promises; none rejects with ``PromiseError/empty``. Of several that have settled
///     already the first in the array wins.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
/// - Returns: a promise with the outcome of the first to settle. It carries the context of the first
///   of them.
public func race<Value>(
  _ promises: [Promise<Value>], file: StaticString = #fileID, line: UInt = #line
) -> Promise<Value> {
  guard !promises.isEmpty else { return .rejected(PromiseError.empty, file: file, line: line) }
  return .gathering(promises, at: CallSite(file, line)) { member, result in
    result.settle(by: .consumer) {
      if let error = member.error {
        result.error = error
      } else {
        result.slot.fill(with: member.fulfilledValue)
      }
    }
  }
}

/// Takes the first to settle of several promises: the same as for an array of them.
///
/// - Parameters:
///   - first: a promise, whose context the result carries.
///   - second: another.
///   - others: any number of others.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
/// - Returns: the promise that the array would give.
public func race<Value>(
  _ first: Promise<Value>, _ second: Promise<Value>, _ others: Promise<Value>...,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<Value> {
  race([first, second] + others, file: file, line: line)
}
