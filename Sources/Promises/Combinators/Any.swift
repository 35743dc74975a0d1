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
    guard countdown.isLast() else { return false }
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
