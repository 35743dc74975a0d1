/// Waits until all promises have settled, fulfilled or rejected.
///
/// - Parameters:
///   - promises: The promises. An empty array fulfils the result with an empty array.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for all outcomes, in the order of `promises`. It is rejected only if it is
///   cancelled, which also cancels all promises that have no other consumer.
public func settled<Value: Sendable>(
  _ promises: [Promise<Value>], on context: ExecutionContext? = nil,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<[Result<Value, any Error>]> {
  let countdown = Countdown(promises.count)
  return .gathering(promises, on: context, at: CallSite(file, line), empty: .success([])) {
    _, result in
    countdown.countDown() && result.settle(fulfilling: promises.map { $0.outcome }, by: .upstream)
  }
}

/// Returns a promise for the value of the first promise to be fulfilled.
///
/// The other promises are then cancelled unless they have other consumers. Cancelling the result
/// cancels all promises that have no other consumer.
///
/// - Parameters:
///   - promises: The promises. An empty array rejects the result with ``PromiseError/empty``.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for the first value. It is rejected with an ``AggregateError`` if all
///   promises are rejected.
public func any<Value: Sendable>(
  _ promises: [Promise<Value>], on context: ExecutionContext? = nil,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<Value> {
  let countdown = Countdown(promises.count)
  return .gathering(
    promises, on: context, at: CallSite(file, line), empty: .failure(PromiseError.empty)
  ) { member, result in
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
/// Equivalent to ``any(_:on:file:line:)`` with an array.
///
/// - Parameters:
///   - first: The first promise.
///   - second: The second promise.
///   - others: Further promises.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for the first value. It is rejected with an ``AggregateError`` if all
///   promises are rejected.
public func any<Value: Sendable>(
  _ first: Promise<Value>, _ second: Promise<Value>, _ others: Promise<Value>...,
  on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line
) -> Promise<Value> {
  any([first, second] + others, on: context, file: file, line: line)
}

/// Returns a promise for the outcome of the first promise to settle, fulfilled or rejected.
///
/// The other promises are then cancelled unless they have other consumers. Cancelling the result
/// cancels all promises that have no other consumer.
///
/// - Parameters:
///   - promises: The promises. An empty array rejects the result with ``PromiseError/empty``. If
///     several promises have already settled, the first of them in the array wins.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for the outcome of the first promise to settle.
public func race<Value: Sendable>(
  _ promises: [Promise<Value>], on context: ExecutionContext? = nil,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<Value> {
  .gathering(
    promises, on: context, at: CallSite(file, line), empty: .failure(PromiseError.empty)
  ) { member, result in
    result.settle(withOutcomeOf: member, by: .consumer)
  }
}

/// Returns a promise for the outcome of the first of several promises to settle.
///
/// Equivalent to ``race(_:on:file:line:)`` with an array.
///
/// - Parameters:
///   - first: The first promise.
///   - second: The second promise.
///   - others: Further promises.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for the outcome of the first promise to settle.
public func race<Value: Sendable>(
  _ first: Promise<Value>, _ second: Promise<Value>, _ others: Promise<Value>...,
  on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line
) -> Promise<Value> {
  race([first, second] + others, on: context, file: file, line: line)
}

/// The error of ``any(_:on:file:line:)`` when all promises are rejected.
///
/// Source: ECMA-262, AggregateError.
public struct AggregateError: Error, CustomStringConvertible {
  /// The errors, in the order of the promises.
  ///
  /// Never empty.
  public let errors: [any Error]

  /// A one-line description with the number of errors and the first error.
  public var description: String {
    let first = errors.first.map { ", the first: \($0)" } ?? ""
    return "all \(errors.count) promises were rejected\(first)"
  }
}
