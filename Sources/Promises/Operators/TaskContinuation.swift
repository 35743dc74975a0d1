/// A continuation of a task that awaits a value, for the operations and sequences of the modules.
///
/// In a virtual time, the resumption begins an activity, which lasts until the task awaits the next value. The
/// time therefore does not run past the code between the two. Outside of a virtual time, it is a
/// `CheckedContinuation`.
package struct TaskContinuation<Output: Sendable>: Sendable {
  private typealias Base =
    CheckedContinuation<(output: Output, activity: ActivityToken?, step: TraceStep?), Never>

  private let base: Base
  private let tasks: RunningTasks?
  private let recorder: (any TraceRecorder)?

  /// Suspends the current task until its continuation is resumed.
  ///
  /// - Parameters:
  ///   - actor: The actor of the caller.
  ///   - body: A closure that stores the continuation. It must be resumed exactly once.
  /// - Returns: The output with which the continuation is resumed.
  package static func wait(
    isolation actor: isolated (any Actor)? = #isolation, _ body: (TaskContinuation) -> Void
  ) async -> Output {
    let scope = HandlerScope.innermost
    guard scope?.time != nil || scope?.step != nil else {
      return await withCheckedContinuation(isolation: actor) { (base: Base) in
        body(TaskContinuation(base: base, tasks: nil, recorder: nil))
      }.output
    }
    let (tasks, recorder) = (scope?.time?.runningTasks, scope?.step?.recorder)
    let (output, activity, step) = await withCheckedContinuation(isolation: actor) { (base: Base) in
      recorder?.taskSuspends()
      body(TaskContinuation(base: base, tasks: tasks, recorder: recorder))
      tasks?.taskSuspends(RunningTasks.currentTask)
    }
    tasks?.taskContinues(during: activity)
    if let step { recorder?.taskContinues(with: step) }
    return output
  }

  /// Tells the virtual time of the scope that the current task has received a value without a wait.
  ///
  /// - Parameter step: The step that has settled the value.
  package static func taskContinues(after step: TraceStep? = nil) {
    HandlerScope.ambientTime?.runningTasks.taskContinues()
    guard let step, let own = TraceStep.ofScope, own.recorder === step.recorder,
      step.number > own.number
    else { return }
    own.recorder.taskContinues(with: step)
  }

  /// Resumes the task.
  ///
  /// - Parameter output: The output for the task.
  package func resume(returning output: Output) {
    let step = recorder?.enqueue(at: nil, in: nil, after: TraceStep.current)
    base.resume(returning: (output, tasks?.beginActivity(), step))
  }
}

extension TaskContinuation where Output == Void {
  /// Resumes the task.
  package func resume() { resume(returning: ()) }
}
