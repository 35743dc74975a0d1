public import CCatenaSystem

/// A step of a trace: a call, a timer, a handler of a promise, or the code of a task after an `await`.
///
/// While a trace is recorded, a settled promise keeps the step that has settled it, in place of its upstream.
/// The steps that its handlers make are due to that step.
@usableFromInline
package final class TraceStep: Upstream {
  /// Whether an operation is traced in this process.
  ///
  /// While it is `false`, promises keep no steps.
  @inlinable package static var isUsed: Bool { catena_is_tracing() }

  /// Makes promises keep their steps until ``endUse()``.
  package static func beginUse() {
    catena_use_scopes()
    catena_add_traces(1)
  }

  package static func endUse() { catena_add_traces(-1) }

  package let recorder: any TraceRecorder
  /// The number of the step in its trace.
  ///
  /// Later steps have higher numbers.
  package let number: Int
  /// The numbers of earlier steps that also had to end first, such as those of the members of a `when`.
  package let joined: [Int]

  /// Creates a step.
  ///
  /// - Parameters:
  ///   - recorder: The recorder of the trace.
  ///   - number: The number of the step.
  ///   - joined: The numbers of earlier steps that also had to end first.
  package init(of recorder: any TraceRecorder, number: Int, joined: [Int] = []) {
    (self.recorder, self.number, self.joined) = (recorder, number, joined)
  }

  /// The step that the current code belongs to: the settlement that is delivered, or that of the current task or
  /// handler.
  ///
  /// `nil` in code that no trace can follow.
  @usableFromInline package static var current: TraceStep? {
    isUsed ? Trampoline.step ?? ofScope : nil
  }

  /// The step of the current task or handler.
  static var ofScope: TraceStep? { HandlerScope.current?.step.map { $0.recorder.step(in: $0) } }

  /// Returns this step, with those of the members of a group of promises, up to 100.
  @usableFromInline func joining(_ upstream: (any Upstream)?) -> TraceStep {
    guard let group = upstream as? UpstreamGroup else { return self }
    let steps = group.members.compactMap { ($0 as? any Settleable)?.settlementStep }
    let joined = steps.flatMap { $0.recorder === recorder ? $0.joined + [$0.number] : [] }
      .filter { $0 != number }
    return TraceStep(of: recorder, number: number, joined: Array(joined.prefix(100)))
  }

  /// Runs code whose settlements and handlers are due to this step.
  package func run(_ work: () -> Void) { Trampoline.with(self, work) }

  /// Starts a task whose code belongs to the current step, as that of a handler that runs inline.
  static func startingTask<Result>(_ start: () -> Result) -> Result {
    guard let step = current, let scope = HandlerScope.current else { return start() }
    return HandlerScope.$current.withValue(scope.with(step), operation: start)
  }

  /// Settles a promise with the outcome of one that this step has settled before.
  @inlinable
  static func adopting(_ step: @autoclosure () -> TraceStep?, _ settle: () -> Bool) -> Bool {
    guard isUsed else { return settle() }
    return Trampoline.with(later(step(), current), settle)
  }

  /// Returns the later one of two steps.
  @usableFromInline static func later(_ left: TraceStep?, _ right: TraceStep?) -> TraceStep? {
    guard let left, let right, left.recorder === right.recorder else { return left ?? right }
    return left.number >= right.number ? left : right
  }

  /// Returns an action of a timer that records the timer in the trace of the current code.
  static func timing(at site: CallSite, _ action: @escaping @Sendable () -> Void)
    -> @Sendable () -> Void
  {
    guard let cause = current, !site.isInternal else { return action }
    let end = cause.recorder.timer(at: site, after: cause)
    return { Trampoline.with(end() ?? cause, action) }
  }

  @usableFromInline package func consumerCancelled() {}
  @usableFromInline package var upstreamLinks: UpstreamLinks { .none }
}

/// A recorder of the steps of a trace, which is thread-safe and calls no other code.
package protocol TraceRecorder: AnyObject, Sendable {
  /// Returns the step of the current code.
  ///
  /// - Parameter scope: The step of the scope.
  /// - Returns: The step of the current task since its last `await`, or that of the scope.
  func step(in scope: TraceStep) -> TraceStep

  /// Records a handler, or the code of a task, that waits for its context.
  ///
  /// - Parameters:
  ///   - site: The place of the promise that the handler settles. `nil` for a task.
  ///   - context: The context of the handler. `nil` for a task.
  ///   - cause: The step that has let it begin. `nil` if it is unknown.
  ///   - scope: The step in which the handler was attached, or the task awaits.
  /// - Returns: The step. `nil` if the trace records no more steps.
  func enqueue(
    at site: CallSite?, in context: ExecutionContext?, after cause: TraceStep?, scope: TraceStep
  ) -> TraceStep?

  /// Begins a timer, which is recorded when it is due.
  ///
  /// - Returns: A closure that ends the timer. It returns `nil` if the trace records no more steps.
  func timer(at site: CallSite, after cause: TraceStep) -> @Sendable () -> TraceStep?

  /// Records that a handler begins.
  func begin(_ step: TraceStep)

  /// Records the end of a step.
  func end(_ step: TraceStep)

  /// Records that the current task of a scope awaits a value.
  func taskSuspends(in scope: TraceStep)

  /// Records that the current task of a scope continues.
  func taskContinues(with step: TraceStep, in scope: TraceStep)
}

extension Promise {
  /// The step that has settled this promise.
  @usableFromInline package var settlementStep: TraceStep? {
    isSettled ? machine.upstream as? TraceStep : nil
  }

  /// Runs a closure when this promise has settled, before all handlers that are attached later.
  ///
  /// The closure is not a consumer, and does not handle a rejection.
  package func whenSettled(_ run: @escaping @Sendable () -> Void) { observe([]) { _ in run() } }

  /// Returns a promise with the same outcome that a step has settled.
  package func settled(by step: TraceStep) -> Promise {
    let next: Promise = derived(at: site)
    attach(
      .everything,
      Reaction(for: next) { settled, next in
        Trampoline.with(step) { Promise.from(next).settle(withOutcomeOf: .from(settled)) }
      })
    return next
  }
}

/// A context that runs handlers in another one, within a scope, and records them in the scope's trace.
final class ScopedContext: CustomContext {
  private let base: ExecutionContext
  private let scope: HandlerScope

  init(_ base: ExecutionContext, _ scope: HandlerScope) {
    self.base = base
    self.scope = scope
  }

  func enqueue(_ job: @escaping Job, at site: CallSite?) { scope.run(job, in: base, at: site) }

  func adapting(_ explicit: ExecutionContext) -> ExecutionContext { base.adapting(explicit) }
}

/// The context of inline handlers within a scope.
extension HandlerScope: CustomContext {
  @usableFromInline package var runsInline: Bool { true }

  @usableFromInline
  package func enqueue(_ job: @escaping Job, at site: CallSite?) { run(job, in: .inline, at: site) }

  @usableFromInline
  package func adapting(_ explicit: ExecutionContext) -> ExecutionContext { explicit }

  /// Runs a handler in a context, within this scope.
  fileprivate func run(_ job: @escaping Job, in base: ExecutionContext, at site: CallSite?) {
    guard TraceStep.isUsed, let origin = step, !base.isInline || site?.kind == .decode else {
      return base.isInline ? enter(job) : base.run { self.enter(job) }
    }
    let cause = TraceStep.current
    let step =
      site?.isInternal == true
      ? nil : origin.recorder.enqueue(at: site, in: base, after: cause, scope: origin)
    let scope = with(step ?? cause ?? origin)
    base.run {
      if let step { step.recorder.begin(step) }
      Trampoline.with(nil) { scope.enter(job) }
      if let step { step.recorder.end(step) }
    }
  }

  /// Runs a job within this scope, which costs little if that is the current one.
  private func enter(_ job: Job) {
    if Self.current === self { job() } else { Self.$current.withValue(self, operation: job) }
  }
}
