import Dispatch
package import Promises

/// A list of stages with a transport at its end.
struct Pipeline: Sendable {
  private let run: Interceptor.Next

  /// Makes a pipeline.
  ///
  /// - Parameters:
  ///   - stages: The stages, outermost first.
  ///   - hop: The closure inside the innermost stage. By default, the transport of the call.
  init(_ stages: [any Interceptor], around hop: @escaping Interceptor.Next = { $0.perform() }) {
    // A loop, because `reduce` would add two thunks around each stage.
    var run = hop
    for stage in stages.reversed() {
      let next = run
      if stage is any BuiltInStage {
        run = { stage.intercept($0, next: next) }
      } else {
        run = Self.observed(stage, next)
      }
    }
    self.run = run
  }

  /// Wraps a custom interceptor, and records while it handles the exchange, because it may never
  /// call back.
  ///
  /// A new request that the interceptor passes on keeps the attributes of the original one.
  fileprivate static func observed(
    _ stage: any Interceptor, _ next: @escaping Interceptor.Next
  ) -> Interceptor.Next {
    { exchange in
      let state = exchange.state
      let responseSourceCount = state.events?.responseSourceCount
      state.currentInterceptor = stage
      let responsePromise = stage.intercept(exchange) { inner in
        state.currentInterceptor = nil
        var inner = inner
        inner.request = exchange.request.replaced(by: inner.request)
        return next(inner).observed { _ in state.currentInterceptor = stage }
      }
      return responsePromise.observed { result in
        state.currentInterceptor = nil
        guard let responseSourceCount, case .success = result else { return }
        state.events?.servedLocally(by: stage.name, since: responseSourceCount)
      }
    }
  }

  /// Sends an exchange through all stages.
  func send(_ exchange: Exchange) -> NetworkPromise { run(exchange) }
}

/// A stage of the library, which always calls back, so that the pipeline does not track it.
package protocol BuiltInStage: Interceptor {}

/// The stage that runs the interceptors of a level that the client had when the call was made.
struct InterceptorsStage: BuiltInStage {
  let level: InterceptorLevel

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    // Without a pipeline, because the cast to `BuiltInStage` is slow where it fails.
    var run = next
    for stage in exchange.call.settings.interceptors[level].reversed() {
      run = Pipeline.observed(stage, run)
    }
    return run(exchange)
  }
}

// MARK: Closures of interceptors

/// A step of an interceptor that a closure of the user performs.
///
/// A closure that is isolated to an actor runs on this actor, after the steps that reached the actor
/// before. The remaining stages then continue on a serial queue of the step, in the same order and
/// without occupying the actor or other steps.
package struct InterceptorStep<Argument: Sendable, Output: Sendable>: Sendable {
  /// The closure, if it is synchronous and not isolated, so that it is called directly.
  private let direct: (@Sendable (Argument) throws -> Output)?
  private let begin: @Sendable (_ argument: Argument, _ scheduler: any Scheduler) -> Promise<Output>

  /// Makes a step of a synchronous closure.
  package init(_ closure: IsolatedClosure<Argument, Output>) {
    let exchanges = Self.exchanges(leaving: closure.context)
    direct = closure.unisolated
    begin = { closure.onItsActor($0, awaitedBy: $1, returningOn: exchanges) }
  }

  /// Makes a step of a closure that returns a promise.
  package init(starting closure: IsolatedClosure<Argument, Promise<Output>>) {
    let exchanges = Self.exchanges(leaving: closure.context)
    direct = nil
    begin = { argument, scheduler in
      firstly { try closure.start(argument, awaitedBy: scheduler, returningOn: exchanges) }
    }
  }

  /// Makes a step of an asynchronous closure, which runs in a new task.
  package init(
    asynchronous body: @escaping @Sendable @isolated(any) (Argument) async throws -> Output
  ) {
    direct = nil
    // In this context, a scheduler with virtual time waits for the task.
    begin = { Promise.fulfilled($0).on($1.context(for: .inline)).then(body) }
  }

  /// The context of the exchanges that have left the actor of a closure.
  ///
  /// It is serial, so that exchanges keep the order in which the actor handled them.
  private static func exchanges(leaving actor: ExecutionContext?) -> ExecutionContext {
    actor == nil ? .inline : .queue(DispatchQueue(label: "Catena.InterceptorStep"))
  }

  /// Performs the step, and continues with the result of the closure.
  ///
  /// - Parameters:
  ///   - argument: The argument of the closure.
  ///   - exchange: The exchange, whose client's scheduler waits for the closure.
  ///   - next: A closure that continues. It runs before this method returns if the closure of the user
  ///     is synchronous and not isolated.
  /// - Returns: A promise of the response. Cancelling it cancels the promise or the task of the closure.
  package func perform(
    _ argument: Argument, for exchange: Exchange,
    then next: @escaping @Sendable (_ output: Output) throws -> NetworkPromise
  ) -> NetworkPromise {
    if let direct { return firstly { try next(direct(argument)) } }
    return start(argument, for: exchange).then(on: .inline, next).on(.inline)
  }

  /// Starts the step.
  ///
  /// - Returns: A promise of the result.
  func start(_ argument: Argument, for exchange: Exchange) -> Promise<Output> {
    begin(argument, exchange.call.settings.scheduler)
  }
}
