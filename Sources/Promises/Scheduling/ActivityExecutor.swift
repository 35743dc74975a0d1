import Dispatch

/// Runs the steps of tasks, and counts each as under way until it has come to a point where its task waits.
///
/// So a scheduler whose time is turned by hand waits for asynchronous code that can go on, and for none
/// that waits itself: for an answer, for a test, or for that very time.
package final class ActivityExecutor: TaskExecutor {
  /// The one whose tasks here are counted; nil for none.
  @TaskLocal package static var current: ActivityExecutor?

  private let begin: @Sendable () -> ActivityTicket?

  init(_ begin: @escaping @Sendable () -> ActivityTicket?) {
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
