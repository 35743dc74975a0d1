/// A closure that starts a step, with the place where it must run.
struct StepStart<Argument: Sendable, Output: Sendable>: Sendable {
  private let body: @Sendable (Argument) throws -> Promise<Output>
  /// The scope of the operator's caller, because later steps start on other threads.
  private let scope = HandlerScope.innermost
  /// The context for the closure.
  ///
  /// `nil` if it runs where it is called.
  private let context: ExecutionContext?
  /// Whether the closure is isolated to the actor of the operator's caller.
  private let isOnCallersActor: Bool

  /// Creates a start that runs on the actor of its closure or, without one, where it is called.
  ///
  /// - Parameters:
  ///   - body: The closure.
  ///   - caller: The actor of the operator's caller.
  init(
    _ body: @escaping @Sendable @isolated(any) (Argument) throws -> Promise<Output>,
    calledFrom caller: (any Actor)?
  ) {
    let actor = body.isolation
    context = .isolated(to: actor)
    isOnCallersActor = actor != nil && actor === caller
    self.body = withoutIsolation(body)
  }

  /// Creates a start that runs in a context.
  ///
  /// - Parameters:
  ///   - context: The context. `nil` and ``ExecutionContext/inline`` run the closure where it is
  ///     called.
  ///   - body: The closure.
  init(
    on context: ExecutionContext?, _ body: @escaping @Sendable (Argument) throws -> Promise<Output>
  ) {
    self.context = context?.isInline == true ? nil : context
    isOnCallersActor = false
    self.body = body
  }

  /// Starts a step.
  ///
  /// - Parameters:
  ///   - argument: The argument of the closure.
  ///   - isCallerWaiting: Whether this is called while the operator's caller waits. The closure then
  ///     runs without a hop if it is isolated to the caller's actor.
  ///   - parent: The context of the promise that causes the step, or of the operator's promise. A
  ///     virtual time that tracks the handlers of this context also tracks the step.
  /// - Returns: The promise of the step, with the context `parent` if it starts with a hop.
  /// - Throws: The error of the closure, if it runs where it is called.
  func callAsFunction(
    _ argument: Argument, isCallerWaiting: Bool, inheriting parent: ExecutionContext
  ) throws -> Promise<Output> {
    guard let context, !(isCallerWaiting && isOnCallersActor) else {
      return try inScope { try body(argument) }
    }
    let start = Promise<Argument>(waitingFor: nil, on: parent, at: CallSite(#fileID, #line))
    start.fulfill(argument, by: .upstream)
    return inScope { start.then(on: context, body) }
  }

  private func inScope(_ work: () throws -> Promise<Output>) rethrows -> Promise<Output> {
    try scope?.run(work) ?? work()
  }
}
