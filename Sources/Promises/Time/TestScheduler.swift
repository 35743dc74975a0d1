import Synchronization

/// Time that passes when a test says so, and costs none.
///
/// ```swift
/// let time = TestScheduler()
/// let answer = slow.timeout(.seconds(30), scheduler: time)
/// await time.advance(by: .seconds(30))
/// // `answer` is rejected, and its handlers have run
/// ```
///
/// **Order.** Actions run one after the other in the order of their times, and those of equal times in
/// the order in which they were scheduled, whatever the machine is doing. An action that schedules
/// another within the span being advanced sees it run in that span, at its own time.
///
/// **Handlers.** Between any two actions the scheduler waits until every handler that it set off has
/// returned, on whatever context that runs, and the handlers that those set off in their turn: what
/// a promise that came by this scheduler's time, or one derived from it, has dispatched. So a call of
/// ``advance(by:)`` that returns has left nothing undone. It waits in the same way for whatever has told
/// it of itself by ``beginActivity()``, such as requests whose turn has come in a client's queue, and for a step that is `async` code,
/// until that itself waits for something: for an answer, for the test, or for time to pass. What
/// it cannot know of is a `Task` that a handler starts, a hop to an actor with an executor of its own, such as
/// the main actor, or a hop outside promises.
///
/// Any thread may schedule and cancel. One task at a time should advance.
public final class TestScheduler: Scheduler {
  private struct State {
    var now: Duration = .zero
    var timers = TimerQueue()
  }

  private let state = Mutex(State())
  private let activity = ActivityTracker()

  /// Makes a scheduler whose time is zero.
  public init() {}

  /// How far this scheduler's time has come since it was made.
  public var now: Duration { state.withLock { $0.now } }

  /// The same as ``now``, in the words of a test: how much virtual time has passed.
  public var elapsed: Duration { now }

  /// How many actions are waiting for their time.
  public var scheduledCount: Int { state.withLock { $0.timers.count } }

  /// Has an action run when the time is advanced past its moment.
  ///
  /// - Parameters:
  ///   - delay: how long from ``now``; less than nothing is nothing, and nothing is the next advance,
  ///     be it by zero.
  ///   - action: what to run, at most once, on the thread that advances.
  /// - Returns: a handle to cancel it by.
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> ScheduledAction {
    let id = state.withLock { $0.timers.insert(due: $0.now + max(delay, .zero), action) }
    return ScheduledAction { [weak self] in
      let action = self?.state.withLock { $0.timers.cancel(id) }
      withExtendedLifetime(action) {}
    }
  }

  /// A context like another, whose handlers this scheduler waits for.
  ///
  /// - Parameter context: where the handlers run.
  /// - Returns: a context that does the same and counts what is under way.
  public func context(for context: ExecutionContext) -> ExecutionContext {
    activity.tracking(context)
  }

  /// Keeps this scheduler's time from passing until the ticket ends.
  ///
  /// - Returns: the ticket.
  public func beginActivity() -> ActivityToken? {
    activity.begin()
  }

  /// Lets time pass, and all that is due in it happen.
  ///
  /// - Parameter duration: how much; nothing or less runs what is due now.
  public func advance(by duration: Duration) async {
    await advance(to: now + max(duration, .zero))
  }

  /// Lets time pass up to a moment, and all that is due until then, that moment included, happen.
  ///
  /// - Parameter moment: on this scheduler's ``now``; one in the past runs what is due now.
  public func advance(to moment: Duration) async {
    await activity.waitUntilIdle()
    while let action = next(dueBy: moment) {
      action()
      await activity.waitUntilIdle()
    }
    state.withLock { $0.now = max($0.now, moment) }
  }

  /// Lets time pass until nothing waits for it any more.
  ///
  /// - Parameter limit: how much may pass at the most, for a story that never ends, such as a timer
  ///   that sets itself anew; a year unless said otherwise.
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
