import CatenaSystem
import Dispatch

/// A counter of activities in flight, which resumes its waiters when the count reaches zero.
///
/// Each handler dispatched to a tracked context is an activity.
final class ActivityTracker: Sendable {
  private struct State: ~Copyable {
    var inFlight = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Returns a context that runs handlers in `context` and counts them.
  ///
  /// A handler counts from the time it is enqueued until it returns.
  func tracking(_ context: ExecutionContext) -> ExecutionContext {
    if context.tracker === self { return context }
    return ExecutionContext(.custom(TrackedContext(base: context, activity: self)))
  }

  /// Whether no activity is in flight.
  var isIdle: Bool { state.withLock { $0.inFlight == 0 } }

  /// Suspends until no activity is in flight.
  func waitUntilIdle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.inFlight > 0 { state.waiters.append(continuation) }
        return state.inFlight == 0
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Suspends until the tasks that can run have had turns, and no activity is in flight.
  ///
  /// A task that has just been started is no activity, but soon makes a request or a timer.
  func waitUntilSettled() async {
    await withCheckedContinuation { continuation in
      ExecutorTurns.pass(atLeast: .milliseconds(1), atMost: .milliseconds(20)) {
        continuation.resume()
      }
    }
    await waitUntilIdle()
  }

  /// Adds an activity, which lasts until the returned token ends.
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

/// The tasks of a virtual time that are between two promises which they await.
///
/// A task that is resumed continues on an executor that does not count its jobs, such as the main actor. An
/// activity lasts from the settlement of the promise that it awaits, or from the start of a timer, until it
/// awaits the next promise. If it does not, because it ends or awaits something else, the activity ends after
/// a number of turns of the executors.
final class RunningTasks: Sendable {
  private struct Entry {
    let activity: ActivityToken
    /// Whether the task has continued again since its turns began.
    var isRenewed = false
  }

  private let scheduler: any Scheduler
  private let entries = Mutex<[Int: Entry]>([:])

  init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

  /// The identity of the current task, or `nil` outside of tasks.
  static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  func beginActivity() -> ActivityToken? { scheduler.beginActivity() }

  /// Begins to wait for the current task.
  ///
  /// - Parameter activity: An activity that has begun before. `nil` begins one.
  func taskContinues(during activity: ActivityToken? = nil) {
    guard let task = Self.currentTask else { return }
    let isKnown = entries.withLock { entries in
      entries[task]?.isRenewed = true
      return entries[task] != nil
    }
    if isKnown {
      activity?.end()
    } else if let activity = activity ?? beginActivity() {
      entries.withLock { $0[task] = Entry(activity: activity) }
      giveTurns(to: task, activity)
    }
  }

  /// Ends to wait for a task, which awaits a promise.
  func taskSuspends(_ task: Int?) {
    guard let task else { return }
    entries.withLock { $0.removeValue(forKey: task) }?.activity.end()
  }

  /// Ends an activity after turns of the executors, unless the task continues meanwhile.
  private func giveTurns(to task: Int, _ activity: ActivityToken) {
    ExecutorTurns.pass(atLeast: .milliseconds(10), atMost: .milliseconds(100)) { [weak self] in
      guard let self, entries.withLock({ Self.needsTurns(task, activity, &$0) }) else {
        return activity.end()
      }
      giveTurns(to: task, activity)
    }
  }

  /// Returns whether a task has continued during its turns, and forgets its activity otherwise.
  private static func needsTurns(
    _ task: Int, _ activity: ActivityToken, _ entries: inout [Int: Entry]
  ) -> Bool {
    guard let entry = entries[task], entry.activity === activity else { return false }
    entries[task] = entry.isRenewed ? Entry(activity: activity) : nil
    return entry.isRenewed
  }
}

/// Turns of the executors of Swift's tasks, for tasks whose jobs cannot be counted.
///
/// Neither the main actor nor the global executor reports that it has nothing to run. A job on each of them
/// runs after most jobs that are enqueued by then, also if other tasks occupy all threads of the executor.
enum ExecutorTurns {
  /// Calls a closure after 50 turns of the main queue and the global executor, and a duration, as soon as no
  /// thread of the process has work, or after another duration.
  ///
  /// - Parameters:
  ///   - duration: The duration in which a thread that has been woken begins to run.
  ///   - limit: The duration after which threads with work are not waited for. They may be those of other
  ///     tests.
  ///   - action: The closure. It runs on any thread.
  static func pass(
    atLeast duration: Duration, atMost limit: Duration, _ action: @escaping @Sendable () -> Void
  ) {
    let now = ContinuousClock.now
    pass(50) { waitForThreads(until: now + duration, atMost: now + limit, action) }
  }

  private static func pass(_ count: Int, _ action: @escaping @Sendable () -> Void) {
    guard count > 0 else { return action() }
    DispatchQueue.main.async { Task.detached { pass(count - 1, action) } }
  }

  /// Waits until no thread has work, without turns, which would be work.
  private static func waitForThreads(
    until end: ContinuousClock.Instant, atMost limit: ContinuousClock.Instant,
    _ action: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
      let now = ContinuousClock.now
      if now >= end, now >= limit || !RunnableThreads.exist { return action() }
      waitForThreads(until: end, atMost: limit, action)
    }
  }
}

extension ExecutionContext {
  /// An executor that counts the jobs of tasks in this context's tracker.
  ///
  /// `nil` for an untracked context.
  var activityExecutor: ActivityExecutor? {
    tracker.map { tracker in ActivityExecutor { tracker.begin() } }
  }

  /// The tracker of this context.
  ///
  /// `nil` for an untracked context.
  var tracker: ActivityTracker? {
    if case .custom(let custom) = target { (custom as? TrackedContext)?.activity } else { nil }
  }
}

package final class TrackedContext: CustomContext {
  package let base: ExecutionContext
  let activity: ActivityTracker

  init(base: ExecutionContext, activity: ActivityTracker) {
    self.base = base
    self.activity = activity
  }

  package func enqueue(_ job: @escaping Job, at site: CallSite?) {
    let token = activity.begin()
    // A context that drops a handler releases the token with it.
    base.run {
      job()
      token.end()
    }
  }

  package func adapting(_ explicit: ExecutionContext) -> ExecutionContext {
    activity.tracking(base.adapting(explicit))
  }
}

/// A task executor that counts each job as an activity.
///
/// A job lasts from the time it is enqueued until the task suspends or ends.
///
/// A virtual-time scheduler therefore waits for asynchronous code that can run. It does not wait
/// for suspended code, which may itself await a response, the test or the virtual time.
package final class ActivityExecutor: Sendable {
  /// The executor for tasks that promises start in the current task.
  ///
  /// `nil` does not count them.
  @TaskLocal package static var current: ActivityExecutor?

  /// Begins an activity.
  package let begin: @Sendable () -> ActivityToken?
  /// Whether the activity of a job includes the jobs that it enqueues on the main actor.
  let includesMainActorJobs: Bool

  init(
    includingMainActorJobs includesMainActorJobs: Bool = false,
    _ begin: @escaping @Sendable () -> ActivityToken?
  ) {
    self.includesMainActorJobs = includesMainActorJobs
    self.begin = begin
  }

  /// Returns the executor for a task whose closure is isolated to an actor.
  ///
  /// Code on the main actor does not run on the executor of its task. For a closure of the main actor,
  /// the activity of a job therefore continues on the main actor: it includes the code that the job
  /// resumes there, until this code suspends.
  ///
  /// - Parameter actor: The actor of the closure.
  /// - Returns: This executor, or one that includes the code on the main actor.
  func counting(on actor: (any Actor)?) -> ActivityExecutor {
    guard actor === MainActor.shared else { return self }
    return ActivityExecutor(includingMainActorJobs: true, begin)
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

  /// Runs a closure whose promises count their tasks as activities of a scheduler.
  ///
  /// This includes promises that those tasks create.
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

  /// Runs a closure whose promises also count the jobs of their tasks on an actor.
  ///
  /// - Parameters:
  ///   - actor: The actor to which the tasks hop.
  ///   - body: The closure that creates promises.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws.
  package static func counting<Result>(
    on actor: (any Actor)?, _ body: () throws -> Result
  ) rethrows -> Result {
    guard actor != nil, let current else { return try body() }
    return try $current.withValue(current.counting(on: actor), operation: body)
  }

  /// Starts a task whose jobs an executor counts.
  ///
  /// Virtual time over asynchronous code requires task executors. Without it there is no executor, and
  /// the task starts on all systems.
  ///
  /// - Parameters:
  ///   - executor: The executor. `nil` does not count the jobs.
  ///   - priority: The priority of the task. `nil` uses the current priority.
  ///   - operation: The work of the task.
  /// - Returns: The task.
  package static func startTask(
    countedBy executor: ActivityExecutor?, priority: TaskPriority? = nil,
    operation: sending @escaping @isolated(any) () async -> Void
  ) -> Task<Void, Never> {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      return Task(executorPreference: executor, priority: priority, operation: operation)
    }
    precondition(
      executor == nil,
      "virtual time over async code requires macOS 15, iOS 18, tvOS 18, watchOS 11 or visionOS 2")
    return Task(priority: priority, operation: operation)
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ActivityExecutor: TaskExecutor {
  package func enqueue(_ job: consuming ExecutorJob) {
    let token = begin()
    let job = UnownedJob(job)
    DispatchQueue.global().async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
      if self.includesMainActorJobs {
        // The main queue runs this block after the jobs that the job has enqueued on the main actor.
        DispatchQueue.main.async { token?.end() }
      } else {
        token?.end()
      }
    }
  }
}
