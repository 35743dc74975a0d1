import Dispatch
import Synchronization

/// Counts activities in flight and resumes its waiters when none is left.
///
/// The handlers of tracked contexts count as activities.
final class ActivityTracker: Sendable {
  private struct State {
    var inFlight = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Returns a context that runs handlers in `context` and counts each one from enqueueing until it
  /// returns.
  func tracking(_ context: ExecutionContext) -> ExecutionContext {
    if case .custom(let custom) = context.target, let tracked = custom as? TrackedContext,
      tracked.activity === self
    {
      return context
    }
    return ExecutionContext(.custom(TrackedContext(base: context, activity: self)))
  }

  /// Returns when no activity is in flight: immediately, or when the last one ends.
  func waitUntilIdle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.inFlight > 0 { state.waiters.append(continuation) }
        return state.inFlight == 0
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Counts one more activity until the returned token ends.
  func begin() -> ActivityToken {
    state.withLock { $0.inFlight += 1 }
    return ActivityToken { self.end() }
  }

  private func end() {
    let waiters = state.withLock { state in
      state.inFlight -= 1
      guard state.inFlight == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

extension ExecutionContext {
  /// An executor that counts the jobs of tasks in this context's tracker.
  ///
  /// `nil` for an untracked context.
  var activityExecutor: ActivityExecutor? {
    guard case .custom(let custom) = target, let tracked = custom as? TrackedContext else {
      return nil
    }
    return ActivityExecutor { [activity = tracked.activity] in activity.begin() }
  }
}

private final class TrackedContext: CustomContext {
  let base: ExecutionContext
  let activity: ActivityTracker

  init(base: ExecutionContext, activity: ActivityTracker) {
    self.base = base
    self.activity = activity
  }

  func enqueue(_ job: @escaping Job) {
    let token = activity.begin()
    // A context that drops a handler releases the token with it.
    base.run {
      job()
      token.end()
    }
  }

  func adapting(_ explicit: ExecutionContext) -> ExecutionContext {
    activity.tracking(base.adapting(explicit))
  }
}

/// A task executor that counts each job as an activity from enqueueing until the task suspends or
/// ends.
///
/// A virtual-time scheduler therefore waits for asynchronous code that can run. It does not wait
/// for suspended code, such as code that awaits a response, the test or the virtual time itself.
package final class ActivityExecutor: TaskExecutor {
  /// The executor that counts the tasks started here.
  ///
  /// `nil` counts none.
  @TaskLocal package static var current: ActivityExecutor?

  private let begin: @Sendable () -> ActivityToken?

  init(_ begin: @escaping @Sendable () -> ActivityToken?) {
    self.begin = begin
  }

  /// Creates an executor for a scheduler.
  ///
  /// Returns `nil` if the scheduler does not track activities.
  ///
  /// - Parameter scheduler: The scheduler that waits for the tasks.
  package convenience init?(for scheduler: any Scheduler) {
    guard scheduler.beginActivity() != nil else { return nil }
    self.init { scheduler.beginActivity() }
  }

  /// Runs a closure and counts the tasks of the promises that it creates as activities of a
  /// scheduler.
  ///
  /// The promises that those tasks create are counted too.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler that waits for the tasks.
  ///   - body: The closure that creates promises.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws.
  package static func counting<Result>(
    for scheduler: any Scheduler, _ body: () throws -> Result
  ) rethrows -> Result {
    guard let executor = ActivityExecutor(for: scheduler) else { return try body() }
    return try $current.withValue(executor, operation: body)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let token = begin()
    let job = UnownedJob(job)
    DispatchQueue.global().async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
      token?.end()
    }
  }
}

/// An activity that a scheduler waits for before it advances its time.
///
/// The activity ends at the first call of ``end()`` or when the token is released.
public final class ActivityToken: Sendable {
  private let onEnd: @Sendable () -> Void
  private let isOpen = Atomic(true)

  /// Creates a token, for a custom ``Scheduler``.
  ///
  /// - Parameter onEnd: The closure to call when the activity ends. It runs once, on the thread
  ///   that ends the activity.
  public init(onEnd: @escaping @Sendable () -> Void) {
    self.onEnd = onEnd
  }

  /// Ends the activity.
  ///
  /// Repeated calls have no effect.
  public func end() {
    if isOpen.exchange(false, ordering: .relaxed) { onEnd() }
  }

  deinit {
    end()
  }
}
