// The overloads of `when` for promises of different types. Two to six promises have an overload each,
// because the type checker cannot infer `$0.2` in a tuple with a parameter pack.

/// Waits for several promises of different types to be fulfilled.
///
/// ```swift
/// let (profile, orders) = try await when(fetch(Profile()), fetch(Orders())).value
/// ```
///
/// As soon as one promise is rejected, the result is rejected too, and the other promises are
/// cancelled unless they have other consumers. Cancelling the result cancels all promises that have
/// no other consumer.
///
/// - Parameters:
///   - first: The first promise.
///   - second: The second promise.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for a tuple of the values. It is rejected with the first error that occurs.
public func when<First: Sendable, Second: Sendable>(
  _ first: Promise<First>, _ second: Promise<Second>, on context: ExecutionContext? = nil,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<(First, Second)> {
  values(of: first, second, on: context, at: CallSite(file, line))
}

/// Waits for three promises to be fulfilled, as ``when(_:_:on:file:line:)``.
///
/// - Parameters:
///   - first: The first promise.
///   - second: The second promise.
///   - third: The third promise.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for a tuple of the values. It is rejected with the first error that occurs.
public func when<First: Sendable, Second: Sendable, Third: Sendable>(
  _ first: Promise<First>, _ second: Promise<Second>, _ third: Promise<Third>,
  on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(First, Second, Third)> {
  values(of: first, second, third, on: context, at: CallSite(file, line))
}

/// Waits for four promises to be fulfilled, as ``when(_:_:on:file:line:)``.
///
/// - Parameters:
///   - first: The first promise.
///   - second: The second promise.
///   - third: The third promise.
///   - fourth: The fourth promise.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for a tuple of the values. It is rejected with the first error that occurs.
public func when<First: Sendable, Second: Sendable, Third: Sendable, Fourth: Sendable>(
  _ first: Promise<First>, _ second: Promise<Second>, _ third: Promise<Third>,
  _ fourth: Promise<Fourth>, on context: ExecutionContext? = nil,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<(First, Second, Third, Fourth)> {
  values(of: first, second, third, fourth, on: context, at: CallSite(file, line))
}

/// Waits for five promises to be fulfilled, as ``when(_:_:on:file:line:)``.
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
/// - Returns: A promise for a tuple of the values. It is rejected with the first error that occurs.
public func when<
  First: Sendable, Second: Sendable, Third: Sendable, Fourth: Sendable, Fifth: Sendable
>(
  _ first: Promise<First>, _ second: Promise<Second>, _ third: Promise<Third>,
  _ fourth: Promise<Fourth>, _ fifth: Promise<Fifth>, on context: ExecutionContext? = nil,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<(First, Second, Third, Fourth, Fifth)> {
  values(of: first, second, third, fourth, fifth, on: context, at: CallSite(file, line))
}

/// Waits for six promises to be fulfilled, as ``when(_:_:on:file:line:)``.
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
/// - Returns: A promise for a tuple of the values. It is rejected with the first error that occurs.
public func when<
  First: Sendable, Second: Sendable, Third: Sendable, Fourth: Sendable, Fifth: Sendable,
  Sixth: Sendable
>(
  _ first: Promise<First>, _ second: Promise<Second>, _ third: Promise<Third>,
  _ fourth: Promise<Fourth>, _ fifth: Promise<Fifth>, _ sixth: Promise<Sixth>,
  on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(First, Second, Third, Fourth, Fifth, Sixth)> {
  values(of: first, second, third, fourth, fifth, sixth, on: context, at: CallSite(file, line))
}

/// Waits for seven or more promises to be fulfilled, as ``when(_:_:on:file:line:)``.
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
/// - Returns: A promise for a tuple of the values. It is rejected with the first error that occurs.
public func when<
  First: Sendable, Second: Sendable, Third: Sendable, Fourth: Sendable, Fifth: Sendable,
  Sixth: Sendable, Seventh: Sendable, each Other: Sendable
>(
  _ first: Promise<First>, _ second: Promise<Second>, _ third: Promise<Third>,
  _ fourth: Promise<Fourth>, _ fifth: Promise<Fifth>, _ sixth: Promise<Sixth>,
  _ seventh: Promise<Seventh>, _ others: repeat Promise<each Other>,
  on context: ExecutionContext? = nil, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(First, Second, Third, Fourth, Fifth, Sixth, Seventh, repeat each Other)> {
  values(
    of: first, second, third, fourth, fifth, sixth, seventh, repeat each others, on: context,
    at: CallSite(file, line))
}
