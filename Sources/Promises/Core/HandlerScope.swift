public import CCatenaSystem
import CatenaSystem
import Foundation

/// A value, a mark, a time and a step of a trace that are visible in all tasks started and all handlers attached within
/// an operation.
///
/// The task-local values of a task reach its child tasks, but not a handler that a promise
/// dispatches to a queue. A scope reaches both, at any time and in any context, including handlers
/// attached inside those handlers, and the closures of ``Promise/init(on:file:line:_:)``. It does not
/// reach actions of ``Resolver/onCancel(_:)``.
///
/// It is a class, because most readers of ``current`` need one of its parts.
@usableFromInline
package final class HandlerScope: Sendable {
  /// The value of the scope.
  ///
  /// `nil` if neither this scope nor an outer one has a value.
  package let value: (any Sendable)?
  /// The mark of the operation, which identifies the code that the operation has started.
  ///
  /// `nil` if neither this scope nor an outer one has a mark.
  package let mark: (any Sendable)?
  /// The virtual time of the scope.
  ///
  /// `nil` if neither this scope nor an outer one has one.
  let time: AmbientTime?
  /// The step of the trace that records the operation.
  ///
  /// `nil` if neither this scope nor an outer one is traced.
  package let step: TraceStep?

  /// The innermost scope of the current task.
  ///
  /// `nil` outside all scopes.
  @TaskLocal package static var current: HandlerScope?
  /// Whether any scope has been entered in this process.
  ///
  /// While `false`, ``current`` is not read.
  @inlinable static var isUsed: Bool { catena_uses_scopes() }

  private init(
    value: (any Sendable)?, mark: (any Sendable)?, time: AmbientTime?, step: TraceStep?
  ) {
    (self.value, self.mark, self.time, self.step) = (value, mark, time, step)
  }

  /// The same as ``current``, without reading the task-local value while no scope has been entered.
  package static var innermost: HandlerScope? { isUsed ? current : nil }

  /// The time of the innermost scope.
  ///
  /// `nil` outside all scopes with a time.
  static var ambientTime: AmbientTime? { innermost?.time }

  /// Runs a closure outside of all scopes.
  ///
  /// It makes objects of the whole process, which otherwise keep the scope in which they are used first.
  ///
  /// - Parameter body: The closure.
  /// - Returns: The result of the closure.
  package static func outside<Result>(_ body: () -> Result) -> Result {
    $current.withValue(nil, operation: body)
  }

  /// Runs an operation within this scope.
  ///
  /// - Parameters:
  ///   - isolation: The isolation of the caller. The operation keeps it.
  ///   - operation: The operation that starts tasks and attaches handlers.
  /// - Returns: The result of `operation`.
  /// - Throws: The error that `operation` throws.
  package func run<Result>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
  ) async rethrows -> Result {
    catena_use_scopes()
    return try await Self.$current.withValue(self, operation: operation)
  }

  /// Runs a synchronous operation within this scope.
  ///
  /// - Parameter operation: The operation that starts tasks and attaches handlers.
  /// - Returns: The result of `operation`.
  /// - Throws: The error that `operation` throws.
  package func run<Result>(_ operation: () throws -> Result) rethrows -> Result {
    catena_use_scopes()
    return try Self.$current.withValue(self, operation: operation)
  }

  /// Returns a closure that runs `work` within the scope that is current now.
  ///
  /// - Parameter work: The closure to wrap.
  /// - Returns: The wrapped closure. Outside all scopes, `work` itself.
  @inlinable
  package static func capturing<Result>(
    _ work: @escaping @Sendable () -> Result
  ) -> @Sendable () -> Result {
    isUsed ? capturingCurrent(work) : work
  }

  /// The slow path of `capturing`.
  ///
  /// A generic function of another module would wrap the closure, at the cost of two allocations.
  @usableFromInline
  static func capturingCurrent<Result>(
    _ work: @escaping @Sendable () -> Result
  ) -> @Sendable () -> Result {
    guard let scope = current else { return work }
    return { $current.withValue(scope, operation: work) }
  }

  /// Returns a closure with an argument that runs `work` within the scope that is current now.
  ///
  /// - Parameter work: The closure to wrap.
  /// - Returns: The wrapped closure. Outside all scopes, `work` itself.
  static func capturing<Argument, Result>(
    _ work: @escaping @Sendable (Argument) throws -> Result
  ) -> @Sendable (Argument) throws -> Result {
    guard let scope = innermost else { return work }
    return { argument in try $current.withValue(scope) { try work(argument) } }
  }

  /// Returns a context that runs handlers in `context`, within the scope that is current now.
  ///
  /// If the scope has a time, it waits for the handlers. Inline handlers run without a hop, so it
  /// does not have to wait for them, and the scope itself is their context.
  @usableFromInline
  static func scoped(_ context: ExecutionContext) -> ExecutionContext {
    guard let current else { return context }
    if context.isInline { return ExecutionContext(.custom(current)) }
    let base = current.time?.scheduler.context(for: context) ?? context
    return ExecutionContext(.custom(ScopedContext(base, current)))
  }
}

extension HandlerScope {
  /// Creates a scope with a value, and the rest of the current scope.
  ///
  /// - Parameter value: The value to make visible.
  package convenience init(_ value: some Sendable) {
    let outer = Self.current
    self.init(value: value, mark: outer?.mark, time: outer?.time, step: outer?.step)
  }

  /// Creates a scope with a mark, and the rest of the current scope.
  ///
  /// - Parameter mark: The mark to make visible.
  package convenience init(mark: some Sendable) {
    let outer = Self.current
    self.init(value: outer?.value, mark: mark, time: outer?.time, step: outer?.step)
  }

  /// Creates a scope with a time, and the rest of the current scope.
  ///
  /// - Parameter time: The time to make visible.
  convenience init(time: AmbientTime) {
    let outer = Self.current
    self.init(value: outer?.value, mark: outer?.mark, time: time, step: outer?.step)
  }

  /// Creates a scope with the first step of a trace, and the rest of the current scope.
  ///
  /// - Parameter step: The step.
  package convenience init(step: TraceStep) {
    let outer = Self.current
    self.init(value: outer?.value, mark: outer?.mark, time: outer?.time, step: step)
  }

  /// Returns the scope with another step.
  func with(_ step: TraceStep?) -> HandlerScope {
    step === self.step ? self : HandlerScope(value: value, mark: mark, time: time, step: step)
  }
}

/// The virtual time of a ``HandlerScope``.
struct AmbientTime: Sendable {
  /// The scheduler that takes the place of the system clock.
  let scheduler: any Scheduler
  /// The date at the start of the scope, which advances with the virtual time.
  let wallClock: @Sendable () -> Date
  /// The executor that counts the jobs of tasks as activities of the scheduler.
  ///
  /// `nil` if the scheduler does not track activities.
  let executor: ActivityExecutor?
  /// The promises that tasks of the scope await.
  let awaited = AwaitedPromises()
  /// The tasks of the scope that the time waits for.
  let runningTasks: RunningTasks

  init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
    let (date, start) = (Date(), scheduler.now)
    wallClock = { date + (scheduler.now - start) / .seconds(1) }
    runningTasks = RunningTasks(scheduler)
    executor = ActivityExecutor(for: scheduler)
  }
}

/// The pending promises that tasks of a virtual time await, for reports about a standstill.
package final class AwaitedPromises: Sendable {
  private struct State: ~Copyable {
    var promises: [Int: any Settleable & Upstream] = [:]
    var addedCount = 0
  }

  private let state = Mutex(State())

  /// The promises of the innermost virtual time.
  ///
  /// `nil` outside of `withVirtualTime`.
  package static var current: AwaitedPromises? { HandlerScope.ambientTime?.awaited }

  /// The numbers that identify the waits of the tasks.
  package var numbers: Set<Int> { state.withLock { Set($0.promises.keys) } }

  /// Returns the ``Promise/explanation`` of the promise that a task awaits.
  ///
  /// - Parameter number: The number of the wait.
  /// - Returns: The explanation. `nil` if the task no longer waits.
  package func explanation(of number: Int) -> String? {
    state.withLock { $0.promises[number] }.map { PromiseDiagnostics.explanation(of: $0) }
  }

  /// Cancels the awaited promises, so that the tasks continue.
  package func cancelAll() {
    for promise in state.withLock({ $0.promises.values.map { $0 } }) { promise.cancel() }
  }

  /// Adds a promise that the current task begins to await.
  ///
  /// - Parameter promise: The promise.
  /// - Returns: The number for ``remove(_:)``.
  func add(_ promise: any Settleable & Upstream) -> Int {
    state.withLock { state in
      state.addedCount += 1
      state.promises[state.addedCount] = promise
      return state.addedCount
    }
  }

  /// Removes a promise that a task no longer awaits.
  func remove(_ number: Int) {
    let promise = state.withLock { $0.promises.removeValue(forKey: number) }
    withExtendedLifetime(promise) {}
  }
}
