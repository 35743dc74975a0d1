import Foundation

/// A closure with the actor to which it is isolated, for callers that are not on this actor.
///
/// A closure without isolation can be called directly, at no cost. So can a closure of the main actor
/// on the main queue. Other closures are dispatched to their actor.
package struct IsolatedClosure<Argument: Sendable, Output: Sendable>: Sendable {
  /// The context of the actor.
  ///
  /// `nil` if the closure has no isolation.
  package let context: ExecutionContext?
  private let body: @Sendable (Argument) throws -> Output

  /// Creates a value for a closure.
  ///
  /// - Parameter body: The closure.
  package init(_ body: @escaping @Sendable @isolated(any) (Argument) throws -> Output) {
    self.init(withoutIsolation(body), in: .isolated(to: body.isolation))
  }

  /// Creates a value for a closure with two arguments.
  ///
  /// - Parameter body: The closure.
  package init<First, Second>(
    _ body: @escaping @Sendable @isolated(any) (First, Second) throws -> Output
  ) where Argument == (First, Second) {
    let unisolated = withoutIsolation(body)
    self.init({ try unisolated($0.0, $0.1) }, in: .isolated(to: body.isolation))
  }

  /// Creates a value for a closure without arguments.
  ///
  /// - Parameter body: The closure.
  package init(_ body: @escaping @Sendable @isolated(any) () throws -> Output)
  where Argument == Void {
    let unisolated = withoutIsolation(body)
    self.init({ _ in try unisolated() }, in: .isolated(to: body.isolation))
  }

  private init(
    _ body: @escaping @Sendable (Argument) throws -> Output, in context: ExecutionContext?
  ) {
    self.context = context
    self.body = body
  }

  /// Returns a closure with the same isolation that calls this one.
  ///
  /// - Parameter caller: The closure that receives the new argument and this closure. It runs where
  ///   this closure must be called.
  /// - Returns: The closure.
  package func called<NewArgument, NewOutput>(
    by caller:
      @escaping @Sendable (NewArgument, @Sendable (Argument) throws -> Output) throws -> NewOutput
  ) -> IsolatedClosure<NewArgument, NewOutput> {
    IsolatedClosure<NewArgument, NewOutput>({ [body] in try caller($0, body) }, in: context)
  }

  /// The closure, if it has no isolation.
  package var unisolated: (@Sendable (Argument) throws -> Output)? { context == nil ? body : nil }

  /// Whether the current thread can call the closure directly.
  package var isCallable: Bool {
    switch context?.target {
    case nil: true
    case .main: ExecutionContext.isOnMainQueue || Thread.isMainThread
    case .inline, .queue, .actor, .custom: false
    }
  }

  /// Calls the closure directly.
  ///
  /// The caller must have checked ``isCallable`` on the same thread, or must run in ``context``.
  ///
  /// - Parameter argument: The argument.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  package func callAsFunction(_ argument: Argument) throws -> Output { try body(argument) }

  /// Calls the closure on its actor.
  ///
  /// Calls for the same actor run in the order of this method's calls. Virtual time does not advance
  /// from this call until the handlers of the promise have run. Tasks of promises that the closure
  /// creates are counted as activities of the scheduler.
  ///
  /// - Parameters:
  ///   - argument: The argument.
  ///   - scheduler: The scheduler that waits for the call. `nil` if none does.
  ///   - returnContext: The context in which the promise settles, so that its inline handlers do not
  ///     occupy the actor. A serial queue keeps the order of the calls.
  /// - Returns: A promise of the result, whose handlers are inline by default. If it is cancelled in
  ///   time, the closure is not called. A closure without isolation runs in the background.
  package func onItsActor(
    _ argument: Argument, awaitedBy scheduler: (any Scheduler)?,
    returningOn returnContext: ExecutionContext = .background
  ) -> Promise<Output> {
    let call = Promise<Output>(waitingFor: nil, on: .inline, at: CallSite(#fileID, #line))
    // Attached first, so that the results of concurrent calls return in the order of the calls, and
    // virtual time does not advance between the call and the return.
    let returned = call.settling(on: returnContext.awaited(by: scheduler))
    (context ?? .background).awaited(by: scheduler).inCurrentScope.run(for: call) { [body] in
      let isSettled = call.settle(with: { try Self.call(body, argument, awaitedBy: scheduler) })
      if isSettled { Trampoline.deliver(call) }
    }
    return returned
  }

  /// Calls the closure on its actor or, without one, before this method returns, and follows the
  /// promise that it returns.
  ///
  /// - Parameters:
  ///   - argument: The argument.
  ///   - scheduler: The scheduler that waits for the call of an isolated closure. `nil` if none does.
  ///   - returnContext: The context in which the promise of an isolated closure settles. `nil` settles
  ///     it with the promise that the closure returns.
  /// - Returns: A promise of the result. Cancelling it cancels the promise that the closure returns.
  /// - Throws: The error of the closure, if it is not isolated.
  package func start<Value: Sendable>(
    _ argument: Argument, awaitedBy scheduler: (any Scheduler)?,
    returningOn returnContext: ExecutionContext? = nil
  ) throws -> Promise<Value> where Output == Promise<Value> {
    guard let context else { return try body(argument) }
    let call = Promise<Value>(waitingFor: nil, on: .inline, at: CallSite(#fileID, #line))
    let returned = returnContext.map { call.settling(on: $0.awaited(by: scheduler)) }
    context.awaited(by: scheduler).inCurrentScope.run(for: call) { [body] in
      let isSettled = call.follow { try Self.call(body, argument, awaitedBy: scheduler) }
      if isSettled { Trampoline.deliver(call) }
    }
    return returned ?? call
  }

  private static func call(
    _ body: @Sendable (Argument) throws -> Output, _ argument: Argument,
    awaitedBy scheduler: (any Scheduler)?
  ) throws -> Output {
    guard let scheduler else { return try body(argument) }
    return try ActivityExecutor.counting(for: scheduler) { try body(argument) }
  }
}

extension IsolatedClosure where Output == Void {
  /// Calls the closure, which must not throw, without waiting for it.
  ///
  /// Calls for the same context run in the order of this method's calls.
  ///
  /// - Parameters:
  ///   - argument: The argument.
  ///   - fallback: The context of a closure without isolation. `nil` calls it before this method
  ///     returns.
  ///   - scheduler: The scheduler that waits for the call. `nil` if none does.
  package func run(
    _ argument: Argument, on fallback: ExecutionContext? = nil,
    awaitedBy scheduler: (any Scheduler)? = nil
  ) {
    guard let context = context ?? fallback else {
      try? body(argument)
      return
    }
    context.awaited(by: scheduler).run { [body] in try? body(argument) }
  }
}

extension ExecutionContext {
  /// Returns this context with a scheduler that waits for its handlers, if there is one.
  fileprivate func awaited(by scheduler: (any Scheduler)?) -> ExecutionContext {
    scheduler?.context(for: self) ?? self
  }
}

extension Promise where Value: Sendable {
  /// Returns a promise of the same outcome that settles in a context.
  fileprivate func settling(on context: ExecutionContext) -> Promise {
    let context = self.context.resolving(context)
    return derive(at: CallSite(#fileID, #line)) { settled, next in
      guard !next.isSettled else { return false }
      return next.settle(on: context) { $0.settle(withOutcomeOf: settled) }
    }
  }
}
