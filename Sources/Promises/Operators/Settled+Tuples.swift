// The overloads of `settled` for promises of different types. Two to six promises have an overload
// each, because the type checker cannot infer `$0.2` in a tuple with a parameter pack.

/// Waits until several promises of different types have settled, fulfilled or rejected.
///
/// Cancelling the result cancels all promises that have no other consumer.
///
/// - Parameters:
///   - first: The first promise.
///   - second: The second promise.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for a tuple of the outcomes. It is rejected only if it is cancelled.
public func settled<First: Sendable, Second: Sendable>(
  _ first: Promise<First>, _ second: Promise<Second>, on context: ExecutionContext? = nil,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<(Result<First, any Error>, Result<Second, any Error>)> {
  outcomes(of: first, second, on: context, at: CallSite(file, line))
}

/// Waits until three promises have settled, as ``settled(_:_:on:file:line:)``.
///
/// - Parameters:
///   - first: The first promise.
///   - second: The second promise.
///   - third: The third promise.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for a tuple of the outcomes. It is rejected only if it is cancelled.
public func settled<First: Sendable, Second: Sendable, Third: Sendable>(
  _ first: Promise<First>, _ second: Promise<Second>, _ third: Promise<Third>,
  on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(Result<First, any Error>, Result<Second, any Error>, Result<Third, any Error>)> {
  outcomes(of: first, second, third, on: context, at: CallSite(file, line))
}

/// Waits until four promises have settled, as ``settled(_:_:on:file:line:)``.
///
/// - Parameters:
///   - first: The first promise.
///   - second: The second promise.
///   - third: The third promise.
///   - fourth: The fourth promise.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for a tuple of the outcomes. It is rejected only if it is cancelled.
public func settled<First: Sendable, Second: Sendable, Third: Sendable, Fourth: Sendable>(
  _ first: Promise<First>, _ second: Promise<Second>, _ third: Promise<Third>,
  _ fourth: Promise<Fourth>, on context: ExecutionContext? = nil,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<
  (
    Result<First, any Error>, Result<Second, any Error>, Result<Third, any Error>,
    Result<Fourth, any Error>
  )
> {
  outcomes(of: first, second, third, fourth, on: context, at: CallSite(file, line))
}

/// Waits until five promises have settled, as ``settled(_:_:on:file:line:)``.
///
/// - Parameters:
///   - first: The first promise.
///   - second: The second promise.
///   - third: The third promise.
///   - fourth: The fourth promise.
///   - fifth: The fifth promise.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for a tuple of the outcomes. It is rejected only if it is cancelled.
public func settled<
  First: Sendable, Second: Sendable, Third: Sendable, Fourth: Sendable, Fifth: Sendable
>(
  _ first: Promise<First>, _ second: Promise<Second>, _ third: Promise<Third>,
  _ fourth: Promise<Fourth>, _ fifth: Promise<Fifth>, on context: ExecutionContext? = nil,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<
  (
    Result<First, any Error>, Result<Second, any Error>, Result<Third, any Error>,
    Result<Fourth, any Error>, Result<Fifth, any Error>
  )
> {
  outcomes(of: first, second, third, fourth, fifth, on: context, at: CallSite(file, line))
}

/// Waits until six promises have settled, as ``settled(_:_:on:file:line:)``.
///
/// - Parameters:
///   - first: The first promise.
///   - second: The second promise.
///   - third: The third promise.
///   - fourth: The fourth promise.
///   - fifth: The fifth promise.
///   - sixth: The sixth promise.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for a tuple of the outcomes. It is rejected only if it is cancelled.
public func settled<
  First: Sendable, Second: Sendable, Third: Sendable, Fourth: Sendable, Fifth: Sendable,
  Sixth: Sendable
>(
  _ first: Promise<First>, _ second: Promise<Second>, _ third: Promise<Third>,
  _ fourth: Promise<Fourth>, _ fifth: Promise<Fifth>, _ sixth: Promise<Sixth>,
  on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line
) -> Promise<
  (
    Result<First, any Error>, Result<Second, any Error>, Result<Third, any Error>,
    Result<Fourth, any Error>, Result<Fifth, any Error>, Result<Sixth, any Error>
  )
> {
  outcomes(of: first, second, third, fourth, fifth, sixth, on: context, at: CallSite(file, line))
}

/// Waits until seven or more promises have settled, as ``settled(_:_:on:file:line:)``.
///
/// - Parameters:
///   - first: The first promise.
///   - second: The second promise.
///   - third: The third promise.
///   - fourth: The fourth promise.
///   - fifth: The fifth promise.
///   - sixth: The sixth promise.
///   - seventh: The seventh promise.
///   - others: Further promises.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for a tuple of the outcomes. It is rejected only if it is cancelled.
public func settled<
  First: Sendable, Second: Sendable, Third: Sendable, Fourth: Sendable, Fifth: Sendable,
  Sixth: Sendable, Seventh: Sendable, each Other: Sendable
>(
  _ first: Promise<First>, _ second: Promise<Second>, _ third: Promise<Third>,
  _ fourth: Promise<Fourth>, _ fifth: Promise<Fifth>, _ sixth: Promise<Sixth>,
  _ seventh: Promise<Seventh>, _ others: repeat Promise<each Other>,
  on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line
) -> Promise<
  (
    Result<First, any Error>, Result<Second, any Error>, Result<Third, any Error>,
    Result<Fourth, any Error>, Result<Fifth, any Error>, Result<Sixth, any Error>,
    Result<Seventh, any Error>, repeat Result<each Other, any Error>
  )
> {
  outcomes(
    of: first, second, third, fourth, fifth, sixth, seventh, repeat each others, on: context,
    at: CallSite(file, line))
}
