/// Waits until all promises have settled, fulfilled or rejected.
///
/// - Parameters:
///   - promises: The promises. An empty array fulfils the result with an empty array.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for all outcomes, in the order of `promises`. It is rejected only if it is
///   cancelled, which also cancels all promises that have no other consumer. It has the context of
///   the first promise.
public func settled<Value>(
  _ promises: [Promise<Value>], file: StaticString = #fileID, line: UInt = #line
) -> Promise<[Result<Value, any Error>]> {
  guard !promises.isEmpty else { return .fulfilled([], file: file, line: line) }
  let countdown = Countdown(promises.count)
  return .gathering(promises, at: CallSite(file, line)) { _, result in
    countdown.countDown() && result.settle(fulfilling: promises.map { $0.outcome }, by: .upstream)
  }
}

/// Waits until several promises of different types have settled, fulfilled or rejected.
///
/// - Parameters:
///   - first: The first promise. The result has its context.
///   - second: The second promise.
///   - others: Further promises.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for a tuple of the outcomes. It is rejected only if it is cancelled, which
///   also cancels all promises that have no other consumer.
public func settled<First, Second, each Other>(
  _ first: Promise<First>, _ second: Promise<Second>, _ others: repeat Promise<each Other>,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<
  (Result<First, any Error>, Result<Second, any Error>, repeat Result<each Other, any Error>)
> {
  gather(first, second, repeat each others, at: CallSite(file, line), failsFast: false) {
    (first.outcome, second.outcome, repeat (each others).outcome)
  }
}

/// Returns a promise for the value of the first promise to be fulfilled.
///
/// The other promises are then cancelled unless they have other consumers. Cancelling the result
/// cancels all promises that have no other consumer.
///
/// - Parameters:
///   - promises: The promises. An empty array rejects the result with ``PromiseError/empty``.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for the first value. It is rejected with an ``AggregateError`` if all
///   promises are rejected. It has the context of the first promise in the array.
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

/// Returns a promise for the value of the first of several promises to be fulfilled.
///
/// Equivalent to ``any(_:file:line:)`` with an array.
///
/// - Parameters:
///   - first: The first promise. The result has its context.
///   - second: The second promise.
///   - others: Further promises.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for the first value. It is rejected with an ``AggregateError`` if all
///   promises are rejected.
public func any<Value>(
  _ first: Promise<Value>, _ second: Promise<Value>, _ others: Promise<Value>...,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<Value> {
  any([first, second] + others, file: file, line: line)
}

/// Returns a promise for the outcome of the first promise to settle, fulfilled or rejected.
///
/// The other promises are then cancelled unless they have other consumers. Cancelling the result
/// cancels all promises that have no other consumer.
///
/// - Parameters:
///   - promises: The promises. An empty array rejects the result with ``PromiseError/empty``. If
///     several promises have already settled, the first of them in the array wins.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for the outcome of the first promise to settle. It has the context of the
///   first promise in the array.
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

/// Returns a promise for the outcome of the first of several promises to settle.
///
/// Equivalent to ``race(_:file:line:)`` with an array.
///
/// - Parameters:
///   - first: The first promise. The result has its context.
///   - second: The second promise.
///   - others: Further promises.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for the outcome of the first promise to settle.
public func race<Value>(
  _ first: Promise<Value>, _ second: Promise<Value>, _ others: Promise<Value>...,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<Value> {
  race([first, second] + others, file: file, line: line)
}
