/// A continuation of a task that awaits a value, for the operations and sequences of the modules.
///
/// In a virtual time, the resumption begins an activity, which lasts until the task awaits the next value. The
/// time therefore does not run past the code between the two. It is checked although a check costs an allocation
/// for each wait: the thread sanitizer reports the resumption of an unsafe continuation, which is inlined, as a race.
package struct TaskContinuation<Output: Sendable>: Sendable {
  private typealias Base =
    CheckedContinuation<(output: Output, activity: ActivityToken?, step: TraceStep?), Never>

  private let base: Base
  private let tasks: RunningTasks?
  /// The step of the task before the wait.
  private let step: TraceStep?

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
    let (tasks, scopeStep) = (scope?.time?.runningTasks, scope?.step)
    let (output, activity, step) = await withCheckedContinuation(isolation: actor) { (base: Base) in
      let step = scopeStep.map { $0.recorder.step(in: $0) }
      body(TaskContinuation(base: base, tasks: tasks, step: step))
      if let scopeStep { scopeStep.recorder.taskSuspends(in: scopeStep) }
      tasks?.taskSuspends(RunningTasks.currentTask)
    }
    tasks?.taskContinues(during: activity)
    if let step, let scopeStep { step.recorder.taskContinues(with: step, in: scopeStep) }
    return output
  }

  /// Tells the virtual time of the scope that the current task has received a value without a wait.
  ///
  /// - Parameter step: The step that has settled the value.
  package static func taskContinues(after step: TraceStep? = nil) {
    HandlerScope.ambientTime?.runningTasks.taskContinues()
    guard let step, let scope = HandlerScope.current?.step, scope.recorder === step.recorder,
      step.number > scope.recorder.step(in: scope).number
    else { return }
    step.recorder.taskContinues(with: step, in: scope)
  }

  /// Resumes the task.
  ///
  /// - Parameter output: The output for the task.
  package func resume(returning output: Output) {
    let step = step.flatMap {
      $0.recorder.enqueue(at: nil, in: nil, after: TraceStep.current, scope: $0)
    }
    base.resume(returning: (output, tasks?.beginActivity(), step))
  }
}

extension TaskContinuation where Output == Void {
  /// Resumes the task.
  package func resume() { resume(returning: ()) }
}
