import Promises

/// Virtual time that tells a test what has been scheduled, so that it can wait for that.
package final class RecordingScheduler: Scheduler {
  package let time = TestScheduler()
  private let log = Log<Duration>()

  private let onSchedule: @Sendable (Duration) -> Void

  /// - Parameter onSchedule: told of each delay asked for, once it can be waited for.
  package init(onSchedule: @escaping @Sendable (_ delay: Duration) -> Void = { _ in }) {
    self.onSchedule = onSchedule
  }

  package var now: Duration { time.now }

  /// The delays asked for, in order, once there are at least `count`.
  package func scheduled(_ count: Int) async -> [Duration] {
    await log.entries(count)
  }

  package func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> ScheduledAction {
    let scheduled = time.schedule(after: delay, action)
    log.append(delay)
    onSchedule(delay)
    return scheduled
  }

  package func context(for context: ExecutionContext) -> ExecutionContext {
    time.context(for: context)
  }

  package func beginActivity() -> ActivityToken? {
    time.beginActivity()
  }
}
