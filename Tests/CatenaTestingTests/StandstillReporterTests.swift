import Promises
import TestSupport
import Testing

@testable import CatenaTesting

@Suite(.timeLimit(.minutes(10)))
struct StandstillReporterTests {
  private let time = TestScheduler()
  private let clock = TestScheduler()
  private let log = Log<String>()

  private func reporter() -> StandstillReporter {
    StandstillReporter(time, clock: clock) { [log] in log.append($0) }
  }

  @Test func timeThatStandsStillIsReportedOnce() async {
    let reporter = reporter()
    let timer = time.schedule(after: .seconds(1)) {}
    await clock.advance(by: .seconds(19))
    #expect(log.entries.isEmpty)
    await clock.advance(by: .seconds(100))
    #expect(log.entries.count == 1)
    #expect(log.entries.first?.contains("1 timer waits") == true)
    withExtendedLifetime((reporter, timer)) {}
  }

  @Test func timeThatAdvancesOrHasNoTimersIsNotReported() async {
    let reporter = reporter()
    await clock.advance(by: .seconds(100))
    let timer = time.schedule(after: .seconds(100)) {}
    for _ in 0..<10 {
      await clock.advance(by: .seconds(10))
      await time.advance(by: .seconds(1))
    }
    #expect(log.entries.isEmpty)
    withExtendedLifetime((reporter, timer)) {}
  }

  @Test func aStoppedReporterIsSilent() async {
    let reporter = reporter()
    let timer = time.schedule(after: .seconds(1)) {}
    await clock.advance(by: .seconds(10))
    reporter.stop()
    await clock.advance(by: .seconds(100))
    #expect(log.entries.isEmpty)
    #expect(clock.scheduledCount == 0)
    withExtendedLifetime(timer) {}
  }
}
