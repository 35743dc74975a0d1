/// Starts a chain with a function that may throw before it has a promise to return.
///
/// Everything that can go wrong then ends in the chain's `fail`.
///
/// - Parameters:
///   - file: where the promise was made, for diagnostics.
///   - line: where the promise was made, for diagnostics.
///   - body: starts the first step; runs once, here and now.
/// - Returns: the promise that `body` returns, or one rejected with what it throws.
public func firstly<Value>(
  file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Promise<Value>
) -> Promise<Value> {
  do {
    return try body()
  } catch {
    return .rejected(error, file: file, line: line)
  }
}
