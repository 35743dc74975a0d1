import TestGate
import TestSupport
import Testing

@testable import Promises

@Suite(.gated)
struct LiveSchedulerTests {
  private let scheduler: LiveScheduler = .live
  /// A separate scheduler, because other tests could set the timer of a shared one to an earlier
  /// time.
  private static let own = LiveScheduler()

  @Test func anActionNeverRunsEarly() async {
    let log = Log<Duration>()
    let start = scheduler.now
    _ = scheduler.schedule(after: .milliseconds(2)) { [scheduler] in log.append(scheduler.now) }
    let end = await log.entries(1)[0]
    #expect(end - start >= .milliseconds(2))
  }

  @Test func actionsRunInTimeOrder() async {
    let log = Log<Int>()
    let start = scheduler.now
    _ = scheduler.schedule(after: .milliseconds(60)) { log.append(3) }
    _ = scheduler.schedule(after: .milliseconds(1)) { log.append(1) }
    _ = scheduler.schedule(after: .milliseconds(30)) { log.append(2) }
    // If this thread was suspended between the calls, the times of the actions are in another
    // order.
    let isInTime = scheduler.now - start < .milliseconds(29)
    let order = await log.entries(3)
    #expect(isInTime ? order == [1, 2, 3] : order.sorted() == [1, 2, 3])
  }

  @Test func zeroAndNegativeDelaysRunSoon() async {
    let log = Log<String>()
    _ = scheduler.schedule(after: .zero) { log.append("zero") }
    #expect(await log.entries(1) == ["zero"])
    _ = scheduler.schedule(after: .seconds(-1)) { log.append("negative") }
    #expect(await log.entries(2) == ["zero", "negative"])
  }

  @Test func anEarlierActionRunsBeforeTheOneThatTheTimerIsSetFor() async {
    let log = Log<String>()
    let far = scheduler.schedule(after: .seconds(3_600)) { log.append("far") }
    _ = scheduler.schedule(after: .milliseconds(1)) { log.append("near") }
    #expect(await log.entries(1) == ["near"])
    far.cancel()
  }

  @Test func aCancelledActionNeverRunsAndIsReleased() async {
    let log = Log<String>()
    let live = InstanceCounter()
    let handle: ScheduledAction
    do {
      let token = live.token()
      handle = scheduler.schedule(after: .seconds(3_600)) {
        withExtendedLifetime(token) { log.append("cancelled") }
      }
    }
    handle.cancel()
    handle.cancel()
    #expect(live.liveCount == 0)
    _ = scheduler.schedule(after: .milliseconds(1)) { log.append("later") }
    #expect(await log.entries(1) == ["later"])
  }

  @Test func anActionCanScheduleAnother() async {
    let log = Log<Int>()
    @Sendable func again(_ number: Int) {
      log.append(number)
      if number < 5 { _ = scheduler.schedule(after: .zero) { again(number + 1) } }
    }
    again(0)
    #expect(await log.entries(6) == [0, 1, 2, 3, 4, 5])
  }

  @Test func timeIsMonotonic() {
    var last = scheduler.now
    for _ in 0..<1_000 {
      let now = scheduler.now
      #expect(now >= last)
      last = now
    }
  }

  @Test func anUnreachableTimeIsAccepted() async {
    let scheduler = Self.own
    let handles = [Duration.seconds(Int64.max), .seconds(1_000_000_000_000)].map { forever in
      scheduler.schedule(after: forever) {}
    }
    let log = Log<String>()
    _ = scheduler.schedule(after: .milliseconds(1)) { log.append("near") }
    #expect(await log.entries(1) == ["near"])
    for handle in handles { handle.cancel() }
  }

  @Test func virtualTimeIsNeverLate() async {
    #expect(LiveScheduler.system.grace == .seconds(2))
    #expect(TestScheduler().grace == nil)
    await withVirtualTime { time in
      let scheduler = LiveScheduler.live
      #expect(scheduler.grace == nil)
      let log = Log<Duration>()
      for scheduler in [scheduler, time] as [any Scheduler] {
        _ = scheduler.schedule(atLimit: .seconds(1)) { log.append(time.now) }
      }
      await time.advance(by: .seconds(600))
      #expect(log.entries == [.seconds(1), .seconds(1)])
    }
  }

  @Test func promisesUseTheLiveSchedulerByDefault() async throws {
    try await after(.milliseconds(1)).value
    #expect(try await Promise.fulfilled(1).delay(.milliseconds(1)).value == 1)
    let (never, resolver) = Promise<Int>.pending()
    let late = never.timeout(.milliseconds(1))
    #expect(await late.result.failure() == PromiseError.timedOut)
    #expect(never.isCancelled)
    resolver.fulfill(1)
  }
}
