/// Goes through a sequence with steps that take time, one after the other.
///
/// - Parameters:
///   - sequence: what to go through; its elements are all taken here and now.
///   - initial: what the first step starts from, and the result of none.
///   - context: where `step` runs.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
///   - step: starts a step with what has come of the earlier ones; the next waits for its promise.
/// - Returns: a promise of what the last step has come to, rejected with the first error, after which
///   no step is started.
public func reduce<Elements: Sequence & Sendable, Partial>(
  _ sequence: Elements, _ initial: Partial, on context: ExecutionContext = .main,
  file: StaticString = #fileID, line: UInt = #line,
  _ step:
    @escaping @Sendable (_ partial: Partial, _ element: Elements.Element) throws ->
    Promise<Partial>
) -> Promise<Partial> where Elements.Element: Sendable {
  var promise = Promise.fulfilled(initial, file: file, line: line)
  for element in sequence {
    promise = promise.then(on: context, file: file, line: line) { try step($0, element) }
  }
  return promise
}
