import Dispatch
import Synchronization

/// Counts what is under way, handlers in the contexts that it tracks among it, and tells when there is
/// nothing.
final class ActivityTracker: Sendable {
  private struct State {
    var inFlight = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// A context like `context`, whose handlers count from being sent until they have returned.
  func tracking(_ context: ExecutionContext) -> ExecutionContext {
    if case .custom(let custom) = context.target, let tracked = custom as? TrackedContext,
      tracked.activity === self
    {
      return context
    }
    return ExecutionContext(.custom(TrackedContext(base: context, activity: self)))
  }

  /// Returns when nothing is under way: at once, or when the last handler has returned.
  func waitUntilIdle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.inFlight > 0 { state.waiters.append(continuation) }
        return state.inFlight == 0
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Counts something more as under way, until its ticket ends.
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
  /// Runs tasks so that who waits for this context's handlers waits for them; nil where nobody does.
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
    let ticket = activity.begin()
    // A handler that is dropped unrun drops its ticket with it.
    base.run {
      job()
      ticket.end()
    }
  }

  func adopting(_ explicit: ExecutionContext) -> ExecutionContext {
    activity.tracking(base.combined(with: explicit))
  }
}

/// Runs the steps of tasks, and counts each as under way until it has come to a point where its task waits.
///
/// So a scheduler whose time is turned by hand waits for asynchronous code that can go on, and for none
/// that waits itself: for an answer, for a test, or for that very time.
package final class ActivityExecutor: TaskExecutor {
  /// The one whose tasks here are counted; nil for none.
  @TaskLocal package static var current: ActivityExecutor?

  private let begin: @Sendable () -> ActivityToken?

  init(_ begin: @escaping @Sendable () -> ActivityToken?) {
    self.begin = begin
  }

  /// Makes one for a scheduler; nil where activity is no matter to that.
  ///
  /// - Parameter scheduler: waits for the tasks.
  package convenience init?(for scheduler: any Scheduler) {
    guard scheduler.beginActivity() != nil else { return nil }
    self.init { scheduler.beginActivity() }
  }

  /// Has the tasks of promises made within a closure, and of what these do, counted for a scheduler.
  ///
  /// - Parameters:
  ///   - scheduler: waits for the tasks.
  ///   - body: makes promises.
  /// - Returns: what it returns.
  /// - Throws: what it throws.
  package static func counting<Result>(
    for scheduler: any Scheduler, _ body: () throws -> Result
  ) rethrows -> Result {
    guard let executor = ActivityExecutor(for: scheduler) else { return try body() }
    return try $current.withValue(executor, operation: body)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let ticket = begin()
    let job = UnownedJob(job)
    DispatchQueue.global().async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
      ticket?.end()
    }
  }
}

/// Something under way that a scheduler waits for before it lets time pass.
///
/// It is over with the first call of ``end()``, or when the ticket is released.
public final class ActivityToken: Sendable {
  private let onEnd: @Sendable () -> Void
  private let isOpen = Atomic(true)

  /// Makes a ticket, for a ``Scheduler`` of your own.
  ///
  /// - Parameter onEnd: called once, when what was under way is over, on the thread that ends it.
  public init(onEnd: @escaping @Sendable () -> Void) {
    self.onEnd = onEnd
  }

  /// Tells that it is over; a repeated call does nothing.
  public func end() {
    if isOpen.exchange(false, ordering: .relaxed) { onEnd() }
  }

  deinit {
    end()
  }
}
