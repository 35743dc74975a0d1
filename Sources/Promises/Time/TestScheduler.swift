import CatenaSystem

/// A scheduler with virtual time, which a test advances explicitly.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let response = slow.timeout(.seconds(30), scheduler: scheduler)
/// await scheduler.advance(by: .seconds(30))
/// // `response` is rejected, and its handlers have run
/// ```
///
/// **Order.** Actions run one at a time in the order of their due times. Actions that are due at
/// the same time run in the order of scheduling, independent of the load of the machine. If an
/// action schedules another one within the span of the current advance, that action runs during the
/// same advance, at its due time.
///
/// **Handlers.** Between two actions, the scheduler waits until all handlers that it has triggered
/// have returned, on any context. These are the handlers of promises that this scheduler settles
/// and of promises derived from them. When ``advance(by:)`` returns, all these handlers have run.
/// The scheduler also waits for activities registered by ``beginActivity()``, such as the next
/// requests of a client's queue, and for each `async` step until it suspends, for example to await
/// a response, the test or the virtual time. ``run(file:line:_:)`` runs `async` code of a test so that
/// it is detected.
///
/// **Tasks.** The scheduler does not count the jobs of a `Task`. In the scope of
/// ``withVirtualTime(_:isolation:_:)``, tasks that have just been started get some turns before the time
/// is advanced, and a task whose awaited promise settles, or which receives an element of a client's sequence, has at least 10 ms of real
/// time to await the next one, or to make a timer; on Linux up to 100 ms, as long as threads of the process have work. The scheduler does not detect longer computations of a task, nor work started outside
/// promises and tasks. It does not detect an `async` step while the step runs on an actor with a
/// custom executor, unless this is the main actor and the step is written in main-actor code.
///
/// **Systems.** Virtual time over `async` code requires task executors: macOS 15, iOS 18, tvOS 18,
/// watchOS 11, visionOS 2, or Linux. On earlier systems, an `async` step or an asynchronous body with
/// virtual time stops the program with a message. Handlers and timers have no such requirement.
///
/// ``withVirtualTime(_:isolation:_:)`` makes a scheduler the default of the code under test.
///
/// Any thread may schedule and cancel. Only one task at a time should advance the time.
public final class TestScheduler: Scheduler, CustomDebugStringConvertible {
  private struct State: ~Copyable {
    var now: Duration = .zero
    var timers = TimerQueue()
    /// Resolved when an action is scheduled.
    var waiter: Resolver<Void>?
    /// The number of calls that have advanced the time.
    var advanceCount = 0
    /// The call in progress.
    var advance: Advance?
  }

  /// A call that advances the time.
  package struct Advance: Sendable {
    /// The number of the call, from 1.
    package let number: Int
    /// The task that makes the call, on which the actions run.
    fileprivate let task: Int?
    /// The number of actions that it has run.
    package fileprivate(set) var actionCount = 0
  }

  private let state = Mutex(State())
  private let activity = ActivityTracker()

  /// Creates a scheduler with the time zero.
  public init() {}

  /// The virtual time since the creation of this scheduler.
  public var now: Duration { state.withLock { $0.now } }

  /// The elapsed virtual time.
  ///
  /// Equal to ``now``.
  public var elapsed: Duration { now }

  /// The number of actions that have not run and have not been cancelled.
  public var scheduledCount: Int { state.withLock { $0.timers.count } }

  /// The call in progress that advances the time.
  package var advanceInProgress: Advance? { state.withLock { $0.advance } }

  /// The time and that of the next action, as in the last line of ``Promise/explanation``.
  public var debugDescription: String {
    let (now, due, isAdvancing) = state.withLock { ($0.now, $0.timers.nextDue, $0.advance != nil) }
    return "virtual time \(isAdvancing ? "advances from" : "stands at") \(now.rounded); "
      + (due.map { "the next timer is in \(($0 - now).rounded)" } ?? "no timer waits")
  }

  /// Whether no handler or other activity that this scheduler waits for is in progress.
  package var isIdle: Bool { activity.isIdle }

  /// Runs an action when the time advances to its due time.
  ///
  /// - Parameters:
  ///   - delay: The delay from ``now``. A negative value counts as zero. Zero means the next
  ///     advance, even by zero.
  ///   - action: The closure to run, at most once, on the thread that advances the time.
  /// - Returns: A handle to cancel the action.
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> ScheduledAction {
    let (id, waiter, advance) = state.withLock { state in
      let id = state.timers.insert(due: state.now + max(delay, .zero), action)
      return (id, state.waiter.take(), state.advance)
    }
    waiter?.fulfill(())
    // A task awaits the timer next, unless an action has made it.
    if let runningTasks, advance == nil || advance?.task != RunningTasks.currentTask {
      runningTasks.taskContinues()
    }
    return ScheduledAction { [weak self] in
      let action = self?.state.withLock { $0.timers.cancel(id) }
      withExtendedLifetime(action) {}
    }
  }

  /// Returns a context whose handlers this scheduler waits for.
  ///
  /// - Parameter context: The context that runs the handlers.
  /// - Returns: A context that runs handlers in `context` and counts them as activities.
  public func context(for context: ExecutionContext) -> ExecutionContext {
    activity.tracking(context)
  }

  /// Prevents this scheduler's time from advancing until the returned token ends.
  ///
  /// - Returns: The token.
  public func beginActivity() -> ActivityToken? { activity.begin() }

  /// Advances the time by a duration and runs the actions that become due.
  ///
  /// - Parameter duration: The duration. Zero or a negative value runs the actions that are due
  ///   now.
  public func advance(by duration: Duration) async { await advance(to: now + max(duration, .zero)) }

  /// Advances the time to a point and runs the actions that are due up to and including it.
  ///
  /// - Parameter moment: The point on the scale of ``now``. A point in the past runs the actions
  ///   that are due now. If the calling task is cancelled, the time does not advance to it.
  public func advance(to moment: Duration) async {
    guard await runActions(dueBy: moment) else { return }
    state.withLock { $0.now = max($0.now, moment) }
  }

  /// Advances the time until no action is scheduled, or the calling task is cancelled.
  ///
  /// For code that makes timers without end, such as a task that polls or a stream that connects again, pass a
  /// limit, or call ``advance(by:)``.
  ///
  /// - Parameter limit: The maximum duration. The default is one year.
  public func run(atMost limit: Duration = .seconds(365 * 24 * 3600)) async {
    _ = await runActions(dueBy: now + limit)
  }

  /// Runs the actions that are due up to and including a point of time.
  ///
  /// - Returns: Whether all of them have run. `false` if the calling task is cancelled.
  private func runActions(dueBy moment: Duration) async -> Bool {
    beginAdvance()
    defer { state.withLock { $0.advance = nil } }
    await waitForTasks()
    while !Task.isCancelled {
      guard let action = next(dueBy: moment) else { return true }
      action()
      await activity.waitUntilIdle()
    }
    return false
  }

  private func beginAdvance() {
    state.withLock { state in
      state.advanceCount += 1
      state.advance = Advance(number: state.advanceCount, task: RunningTasks.currentTask)
    }
  }

  /// Runs an asynchronous operation, and advances the time whenever the operation waits for it.
  ///
  /// ```swift
  /// let stats = try await Test.virtualTime.run { try await client.stats() }
  /// ```
  ///
  /// The time stands still while the operation and the promises that it creates make progress. It
  /// advances to the next action when they wait. It does not advance beyond the end of the operation.
  ///
  /// - Parameters:
  ///   - file: The source file, for diagnostics.
  ///   - line: The source line, for diagnostics.
  ///   - operation: The operation. It runs on the actor in whose code it is written. If the calling
  ///     task is cancelled, the operation is cancelled too.
  /// - Returns: The result of the operation.
  /// - Throws: The error of the operation, or `CancellationError` if the calling task is cancelled.
  public func run<Result: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ operation:
      @escaping @Sendable @isolated(any) () async throws -> Result
  ) async throws -> Result {
    let promise = ActivityExecutor.counting(for: self) {
      Promise<Result>(
        priority: nil, executor: nil, isolation: operation.isolation, at: CallSite(file, line),
        operation)
    }
    beginAdvance()
    defer { state.withLock { $0.advance = nil } }
    await waitForTasks()
    while promise.isPending, !Task.isCancelled {
      if let action = next(dueBy: .seconds(Int64.max)) {
        action()
      } else {
        await nextAction(orEndOf: promise)
      }
      await activity.waitUntilIdle()
    }
    return try await promise.value
  }

  /// The tasks of the current scope, if its time is that of this scheduler.
  private var runningTasks: RunningTasks? {
    guard let time = HandlerScope.ambientTime, time.scheduler as? TestScheduler === self else {
      return nil
    }
    return time.runningTasks
  }

  /// Waits until the tasks of the scope, apart from the calling one, have had turns, and no activity is in
  /// flight.
  private func waitForTasks() async {
    guard let runningTasks else { return await activity.waitUntilIdle() }
    runningTasks.taskSuspends(RunningTasks.currentTask)
    await activity.waitUntilSettled()
  }

  /// Waits until an action is scheduled, or until a promise is settled.
  private func nextAction<Value: Sendable>(orEndOf promise: Promise<Value>) async {
    let (change, resolver) = Promise<Void>.pending(on: .inline)
    let isScheduled = state.withLock { state in
      guard state.timers.count == 0 else { return true }
      state.waiter = resolver
      return false
    }
    guard !isScheduled else { return resolver.fulfill(()) }
    promise.always(on: .inline) { _ in resolver.fulfill(()) }
    _ = await change.makeAwaiter().wait()
  }

  private func next(dueBy moment: Duration) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard let (due, action) = state.timers.pop(dueBy: max(moment, state.now)) else { return nil }
      state.now = max(state.now, due)
      state.advance?.actionCount += 1
      return action
    }
  }
}

extension TestScheduler {
  /// The scheduler of the innermost ``withVirtualTime(_:isolation:_:)`` of the current task or
  /// handler.
  ///
  /// `nil` outside of its operation.
  public static var current: TestScheduler? {
    HandlerScope.ambientTime?.scheduler as? TestScheduler
  }
}

/// Runs an operation in which a virtual time takes the place of the system clock.
///
/// Use it to test code that cannot receive a scheduler, because it creates its own promises and
/// clients:
///
/// ```swift
/// try await withVirtualTime { scheduler in
///   let text = after(.seconds(30)).map { "late" }    // no `scheduler:`
///   await scheduler.advance(by: .seconds(30))
///   #expect(try await text.value == "late")
/// }
/// ```
///
/// - **Extent.** ``Scheduler/live``, the default of all parameters for a scheduler, is on the virtual
///   time in the operation, in its tasks and task groups, in the promise handlers that these attach,
///   and in the closures of `Promise(on:)` and `firstly(on:)`. It stays on the system clock in a
///   detached task and in a block that is dispatched to a queue directly. Objects that were created
///   before keep their scheduler.
/// - **Waiting.** ``TestScheduler/advance(by:)`` waits for all these promise handlers and closures, and
///   for the tasks of promises such as `Promise { try await ... }` until they suspend. It does not wait
///   for a `Task`.
/// - **Nesting.** An inner scope takes precedence.
///
/// - Parameters:
///   - scheduler: The scheduler.
///   - isolation: The isolation of the caller, which the operation keeps.
///   - operation: The code to run. It receives the scheduler, and advances the time.
/// - Returns: The result of the operation.
/// - Throws: The error of the operation.
public func withVirtualTime<Result>(
  _ scheduler: TestScheduler = TestScheduler(), isolation: isolated (any Actor)? = #isolation,
  _ operation: (_ scheduler: TestScheduler) async throws -> Result
) async rethrows -> Result {
  try await HandlerScope(time: AmbientTime(scheduler)).run { try await operation(scheduler) }
}
