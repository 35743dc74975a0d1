/// Waits for all of a number of promises.
///
/// As soon as one is rejected so is the result, and the others are cancelled unless somebody else
/// waits for them. Cancelling the result does the same. Work and memory grow linearly with the number.
///
/// - Parameters:
///   - promises: the promises; none fulfils with an empty array.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
/// - Returns: a promise of all values, in the order of `promises`, rejected with the first error to
///   come. It carries the context of the first of them.
public func when<Value>(
  _ promises: [Promise<Value>], file: StaticString = #fileID, line: UInt = #line
) -> Promise<[Value]> {
  guard !promises.isEmpty else { return .fulfilled([], file: file, line: line) }
  let countdown = Countdown(promises.count)
  return .gathering(promises, at: CallSite(file, line)) { member, result in
    if let error = member.error { return result.settle(rejecting: error, by: .consumer) }
    guard countdown.isLast() else { return false }
    return result.settle(fulfilling: promises.map { $0.fulfilledValue }, by: .upstream)
  }
}
