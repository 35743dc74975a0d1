#if canImport(Testing)
  import Foundation
  import Promises
  import Synchronization

  /// A watch over the virtual time of a test, which reports once if it stands still while timers wait.
  ///
  /// A test that awaits a promise without advancing the time would otherwise hang without a word.
  final class StandstillReporter: Sendable {
    /// The real time without a change after which the standstill is reported.
    static let limit = Duration.seconds(10)

    private let time: TestScheduler
    private let clock: any Scheduler
    private let report: @Sendable (_ message: String) -> Void
    private let timer = Mutex<ScheduledAction?>(nil)

    /// Starts to watch a scheduler.
    ///
    /// - Parameters:
    ///   - time: The scheduler of the test.
    ///   - clock: The clock for the limit.
    ///   - report: Called at most once, on the thread of the clock.
    init(
      _ time: TestScheduler, clock: any Scheduler,
      _ report: @escaping @Sendable (_ message: String) -> Void
    ) {
      self.time = time
      self.clock = clock
      self.report = report
      check(after: nil)
    }

    /// Stops watching.
    func stop() {
      timer.withLock { $0.take() }?.cancel()
    }

    private func check(after last: Duration?) {
      let (elapsed, count) = (time.elapsed, time.scheduledCount)
      if elapsed == last, count > 0 {
        return report(
          "virtual time has stood still at \(elapsed) for \(Self.limit) while "
            + "\(count == 1 ? "1 timer waits" : "\(count) timers wait"); if the test awaits one of them, "
            + "call `await Test.virtualTime.run()` or `advance(by:)` first")
      }
      let next = clock.schedule(after: Self.limit) { [weak self] in
        self?.check(after: count > 0 ? elapsed : nil)
      }
      timer.withLock { $0 = next }
    }
  }
#endif
