/// Combines the elements of a sequence in asynchronous steps that run one at a time.
///
/// - Parameters:
///   - sequence: The sequence. All elements are read before this function returns.
///   - initial: The partial result for the first step. It is the result of an empty sequence.
///   - context: The context for `step` and of the returned promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - step: The closure that starts a step with the partial result of the earlier steps. The next
///     step waits for its promise.
/// - Returns: A promise for the result of the last step. It is rejected with the first error, and
///   no step starts after that.
public func reduce<Elements: Sequence & Sendable, Partial: Sendable>(
  _ sequence: Elements, _ initial: Partial, on context: ExecutionContext,
  file: StaticString = #fileID, line: UInt = #line,
  _ step:
    @escaping @Sendable (_ partial: Partial, _ element: Elements.Element) throws ->
    Promise<Partial>
) -> Promise<Partial> where Elements.Element: Sendable {
  reduce(sequence, initial, stepContext: context, context: context, file, line, step)
}

/// Combines the elements of a sequence in asynchronous steps that run one at a time.
///
/// - Parameters:
///   - sequence: The sequence. All elements are read before this function returns.
///   - initial: The partial result for the first step. It is the result of an empty sequence.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - step: The closure that starts a step with the partial result of the earlier steps. The next
///     step waits for its promise. It runs on its actor or, without one, on the main queue.
/// - Returns: A promise for the result of the last step. It is rejected with the first error, and
///   no step starts after that.
public func reduce<Elements: Sequence & Sendable, Partial: Sendable>(
  _ sequence: Elements, _ initial: Partial,
  file: StaticString = #fileID, line: UInt = #line,
  @_inheritActorContext _ step:
    @escaping @Sendable @isolated(any) (_ partial: Partial, _ element: Elements.Element) throws ->
    Promise<Partial>
) -> Promise<Partial> where Elements.Element: Sendable {
  reduce(
    sequence, initial, stepContext: .isolated(to: step.isolation) ?? .main, context: .main,
    file, line, withoutIsolation(step))
}

/// Implements `reduce`.
///
/// - Parameters:
///   - sequence: The sequence.
///   - initial: The partial result for the first step.
///   - stepContext: The context for `step`.
///   - context: The context of the returned promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
///   - step: The closure that starts a step.
/// - Returns: A promise for the result of the last step.
private func reduce<Elements: Sequence & Sendable, Partial: Sendable>(
  _ sequence: Elements, _ initial: Partial, stepContext: ExecutionContext,
  context: ExecutionContext, _ file: StaticString, _ line: UInt,
  _ step:
    @escaping @Sendable (_ partial: Partial, _ element: Elements.Element) throws ->
    Promise<Partial>
) -> Promise<Partial> where Elements.Element: Sendable {
  var promise = Promise<Partial>(waitingFor: nil, on: context, at: CallSite(file, line))
  promise.fulfill(initial, by: .upstream)
  for element in sequence {
    promise = promise.then(on: stepContext, file: file, line: line) { try step($0, element) }
  }
  return promise
}
