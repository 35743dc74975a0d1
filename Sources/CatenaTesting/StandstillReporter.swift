#if canImport(Testing)
  import CatenaSystem
  import Foundation
  import Promises

  /// A watch over the virtual time of a test, which reports a standstill, and an advance without end.
  ///
  /// A test that awaits a promise without advancing the time, or a promise that nothing settles, or that
  /// runs code until it makes no more timers although it polls, would otherwise hang without a message.
  final class StandstillReporter: Sendable {
    /// A message about a test that does not get on.
    struct Standstill: Sendable {
      /// Whether a task awaits a promise or an advance without end, so that the test cannot continue.
      let isAwaited: Bool
      let message: String
    }

    /// The default of the real time without a change after which a standstill is reported.
    static let defaultLimit = Duration.seconds(10)

    /// The number of actions from which an advance that lasts longer than the limit counts as one without end.
    static let endlessActionCount = 10_000

    /// The state of the test at one check.
    private struct Observation {
      let elapsed: Duration
      let timerCount: Int
      /// The numbers of the waits in ``AwaitedPromises``.
      let awaited: Set<Int>

      /// `nil` if a handler is in progress.
      init?(_ time: TestScheduler, _ awaited: AwaitedPromises?) {
        guard time.isIdle else { return nil }
        elapsed = time.elapsed
        timerCount = time.scheduledCount
        self.awaited = awaited?.numbers ?? []
      }
    }

    private let time: TestScheduler
    private let awaited: AwaitedPromises?
    private let clock: any Scheduler
    private let limit: Duration
    private let report: @Sendable (_ standstill: Standstill) -> Void
    private let timer = Mutex<ScheduledAction?>(nil)

    /// Starts to watch a scheduler.
    ///
    /// - Parameters:
    ///   - time: The scheduler of the test.
    ///   - awaited: The promises that the test awaits. `nil` if they are unknown.
    ///   - clock: The clock for the limit.
    ///   - limit: The time on the clock without a change after which a standstill is reported.
    ///   - report: Called on the thread of the clock: at most once while no promise is awaited, and
    ///     at most once for awaited promises. The watch then ends.
    init(
      _ time: TestScheduler, awaiting awaited: AwaitedPromises? = nil, clock: any Scheduler,
      limit: Duration = defaultLimit,
      _ report: @escaping @Sendable (_ standstill: Standstill) -> Void
    ) {
      self.time = time
      self.awaited = awaited
      self.clock = clock
      self.limit = limit
      self.report = report
      check(after: nil, hasReported: false)
    }

    /// Returns the report about an advance without end.
    ///
    /// - Parameter last: The number of the advance that was in progress at the last check.
    /// - Returns: The report. `nil` if no such advance is in progress.
    private func endlessAdvance(since last: Int?) -> Standstill? {
      guard let advance = time.advanceInProgress, advance.number == last,
        advance.actionCount >= Self.endlessActionCount
      else { return nil }
      return Standstill(
        isAwaited: true,
        message:
          "virtual time has been advanced to \(time.elapsed.rounded) for \(limit.rounded) of real time by one call, and "
          + "\(advance.actionCount) timers have run: the code makes timers without end, such as a task that "
          + "polls or a stream that connects again; call `advance(by:)`, or pass `run(atMost:)` a limit"
      )
    }

    /// Stops watching.
    func stop() {
      timer.withLock { $0.take() }?.cancel()
    }

    private func check(after last: Observation?, advance: Int? = nil, hasReported: Bool) {
      let current = Observation(time, awaited)
      let standstill =
        endlessAdvance(since: advance) ?? current.flatMap { compare(last, with: $0) }
      let advance = time.advanceInProgress?.number
      if let standstill, standstill.isAwaited || !hasReported { report(standstill) }
      if standstill?.isAwaited == true { return }
      let next = clock.schedule(after: limit) { [weak self] in
        self?.check(
          after: current, advance: advance, hasReported: hasReported || standstill != nil)
      }
      timer.withLock { $0 = next }
    }

    private func compare(_ last: Observation?, with current: Observation) -> Standstill? {
      guard let last, last.elapsed == current.elapsed else { return nil }
      let awaited = current.awaited.intersection(last.awaited)
      let timers = last.timerCount > 0 ? current.timerCount : 0
      guard !awaited.isEmpty || timers > 0 else { return nil }
      return Standstill(
        isAwaited: !awaited.isEmpty,
        message: message(awaited.sorted(), timers, current.elapsed))
    }

    private func message(_ waits: [Int], _ timers: Int, _ elapsed: Duration) -> String {
      let time = "virtual time has stood still at \(elapsed.rounded) for \(limit.rounded)"
      let number = timers == 1 ? "1 timer waits" : "\(timers) timers wait"
      guard let first = waits.first else {
        return "\(time) while \(number); if the test waits for one of them, "
          + "call `await Test.virtualTime.run()` or `advance(by:)` first"
      }
      let others = waits.count > 1 ? " and \(waits.count - 1) more" : ""
      let explanation = awaited?.explanation(of: first).map { "\n\($0)" } ?? ""
      let cause =
        timers > 0
        ? "\(number); call `await Test.virtualTime.run()` or `advance(by:)` before awaiting, or "
          + "await in `Test.virtualTime.run { ... }`"
        : "no timer waits, so the time cannot settle it; a response, a call of its resolver or "
          + "another event is missing"
      return "\(time) while the test awaits a promise\(others): \(cause)\(explanation)"
    }
  }
#endif
