/// A continuation of a task that awaits a value, for the operations and sequences of the modules.
///
/// In a virtual time, the resumption begins an activity, which lasts until the task awaits the next value. The
/// time therefore does not run past the code between the two. Outside of a virtual time, it is a
/// `CheckedContinuation`.
package struct TaskContinuation<Output: Sendable>: Sendable {
  private typealias Base = CheckedContinuation<(output: Output, activity: ActivityToken?), Never>

  private let base: Base
  private let tasks: RunningTasks?

  /// Suspends the current task until its continuation is resumed.
  ///
  /// - Parameters:
  ///   - actor: The actor of the caller.
  ///   - body: A closure that stores the continuation. It must be resumed exactly once.
  /// - Returns: The output with which the continuation is resumed.
  package static func wait(
    isolation actor: isolated (any Actor)? = #isolation, _ body: (TaskContinuation) -> Void
  ) async -> Output {
    guard let tasks = HandlerScope.ambientTime?.runningTasks else {
      return await withCheckedContinuation(isolation: actor) { (base: Base) in
        body(TaskContinuation(base: base, tasks: nil))
      }.output
    }
    let (output, activity) = await withCheckedContinuation(isolation: actor) { (base: Base) in
      body(TaskContinuation(base: base, tasks: tasks))
      tasks.taskSuspends(RunningTasks.currentTask)
    }
    tasks.taskContinues(during: activity)
    return output
  }

  /// Tells the virtual time of the scope that the current task has received a value without a wait.
  package static func taskContinues() { HandlerScope.ambientTime?.runningTasks.taskContinues() }

  /// Resumes the task.
  ///
  /// - Parameter output: The output for the task.
  package func resume(returning output: Output) {
    base.resume(returning: (output, tasks?.beginActivity()))
  }
}

extension TaskContinuation where Output == Void {
  /// Resumes the task.
  package func resume() { resume(returning: ()) }
}
