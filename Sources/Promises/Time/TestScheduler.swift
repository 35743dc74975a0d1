import Synchronization

/// A scheduler with virtual time, which a test advances explicitly.
///
/// ```swift
/// let time = TestScheduler()
/// let response = slow.timeout(.seconds(30), scheduler: time)
/// await time.advance(by: .seconds(30))
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
/// a response, the test or the virtual time. It does not detect a `Task` started by a handler, a
/// hop to an actor with a custom executor, such as the main actor, or a hop outside promises.
///
/// Any thread may schedule and cancel. Only one task at a time should advance the time.
public final class TestScheduler: Scheduler {
  private struct State {
    var now: Duration = .zero
    var timers = TimerQueue()
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
    let id = state.withLock { $0.timers.insert(due: $0.now + max(delay, .zero), action) }
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
  public func beginActivity() -> ActivityToken? {
    activity.begin()
  }

  /// Advances the time by a duration and runs the actions that become due.
  ///
  /// - Parameter duration: The duration. Zero or a negative value runs the actions that are due
  ///   now.
  public func advance(by duration: Duration) async {
    await advance(to: now + max(duration, .zero))
  }

  /// Advances the time to a point and runs the actions that are due up to and including it.
  ///
  /// - Parameter moment: The point on the scale of ``now``. A point in the past runs the actions
  ///   that are due now.
  public func advance(to moment: Duration) async {
    await activity.waitUntilIdle()
    while let action = next(dueBy: moment) {
      action()
      await activity.waitUntilIdle()
    }
    state.withLock { $0.now = max($0.now, moment) }
  }

  /// Advances the time until no action is scheduled.
  ///
  /// - Parameter limit: The maximum duration, for actions that reschedule themselves without end.
  ///   The default is one year.
  public func run(atMost limit: Duration = .seconds(365 * 24 * 3600)) async {
    let end = now + limit
    await activity.waitUntilIdle()
    while let action = next(dueBy: end) {
      action()
      await activity.waitUntilIdle()
    }
  }

  private func next(dueBy moment: Duration) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard let (due, action) = state.timers.pop(dueBy: max(moment, state.now)) else { return nil }
      state.now = max(state.now, due)
      return action
    }
  }
}
