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
