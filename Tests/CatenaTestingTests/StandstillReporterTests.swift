import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import CatenaTesting

@Suite(.gated)
struct StandstillReporterTests {
  private let time = TestScheduler()
  private let clock = TestScheduler()
  private let log = Log<String>()

  private func reporter() -> StandstillReporter {
    StandstillReporter(time, clock: clock) { [log] in log.append($0.message) }
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

  @Test func anAdvanceWithoutEndIsReported() async throws {
    let reporter = reporter()
    let running = Task { [time] in
      @Sendable func poll() { _ = time.schedule(after: .seconds(1)) { poll() } }
      poll()
      await time.run(atMost: .seconds(Int64.max / 2))
    }
    while time.advanceInProgress == nil { await Task.yield() }
    await clock.advance(by: .seconds(10))
    while time.advanceInProgress?.actionCount ?? 0 < StandstillReporter.endlessActionCount {
      await Task.yield()
    }
    #expect(log.entries.isEmpty)
    await clock.advance(by: .seconds(10))
    let report = try #require(log.entries.first)
    #expect(report.contains("timers have run: the code makes timers without end"))
    running.cancel()
    await running.value
    #expect(time.advanceInProgress == nil && time.scheduledCount == 1)
    withExtendedLifetime(reporter) {}
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

  // MARK: Awaited promises

  /// Runs a closure in virtual time, with a reporter of the promises that it awaits.
  private func watching(
    _ body: (_ reports: Log<StandstillReporter.Standstill>) async throws -> Void
  ) async throws {
    let reports = Log<StandstillReporter.Standstill>()
    try await withVirtualTime(time) { _ in
      let reporter = StandstillReporter(time, awaiting: .current, clock: clock) {
        reports.append($0)
      }
      try await body(reports)
      reporter.stop()
    }
  }

  @Test func aPromiseThatNothingSettlesIsNamedWithItsSource() async throws {
    try await watching { reports in
      let (source, resolver) = Promise<Int>.pending()
      let chain = source.map { $0 + 1 }
      let (sourceLine, chainLine) = (#line - 2, #line - 1)
      let waiting = Promise { try await chain.value }
      await time.advance(by: .zero)  // until the task awaits the chain
      await clock.advance(by: .seconds(19))
      #expect(reports.entries.isEmpty)
      await clock.advance(by: .seconds(100))
      let report = try #require(reports.entries.first)
      #expect(reports.entries.count == 1 && report.isAwaited)
      let file = "CatenaTestingTests/StandstillReporterTests.swift"
      let lines = report.message.split(separator: "\n")
      #expect(
        report.message.hasPrefix(
          "virtual time has stood still at 0.0 seconds for 10.0 seconds while the test awaits a promise: "
            + "no timer waits, so the time cannot settle it;"))
      #expect(
        lines.dropFirst() == [
          "Promise<Int> is pending", "waits for the step at \(file):\(chainLine)",
          "the resolver made at \(file):\(sourceLine) was never used",
          "virtual time stands at 0.0 seconds; no timer waits",
        ])
      resolver.fulfill(1)
      #expect(try await waiting.value == 2)
    }
  }

  @Test func anAwaitedTimerIsReportedWithTheCallsThatAdvance() async throws {
    try await watching { reports in
      let late = after(.seconds(30)).map { 1 }
      let waiting = Promise { try await late.value }
      await time.advance(by: .zero)
      await clock.advance(by: .seconds(20))
      let report = try #require(reports.entries.first)
      #expect(report.isAwaited && report.message.contains("1 timer waits; call"))
      await time.run()
      #expect(try await waiting.value == 1)
    }
  }

  @Test func aRequestIsNamedByTheCodeThatMadeIt() async throws {
    try await watching { reports in
      let provider = MockProvider<Request>(delay: .seconds(30)) { _ in .text("late") }
      let client = Networking(mockProvider: provider)
      let text = client.request(.get("https://api.example.com/")).toString()
      let waiting = Promise { try await text.value }
      await time.advance(by: .zero)
      await clock.advance(by: .seconds(20))
      let report = try #require(reports.entries.first)
      let lines = report.message.split(separator: "\n").dropFirst()
      #expect(lines.first == "Promise<String> is pending")
      #expect(
        lines.contains {
          $0.hasPrefix("waits for call #")
            && $0.hasSuffix("GET https://api.example.com/, attempt 1")
        })
      #expect(
        lines.suffix(2) == [
          "waits for the first byte of the response",
          "virtual time stands at 0.0 seconds; the next timer is in 30.0 seconds",
        ])
      #expect(!report.message.contains("Networking/"))
      await time.run()
      #expect(try await waiting.value == "late")
    }
  }

  @Test func promisesThatSettleAndTimeThatAdvancesAreNoStandstill() async throws {
    try await watching { reports in
      let late = after(.seconds(100)).map { 1 }
      let waiting = Promise { try await late.value }
      for _ in 0..<9 {
        await time.advance(by: .seconds(1))
        await clock.advance(by: .seconds(10))
      }
      await time.run()
      for _ in 0..<3 {
        let (promise, resolver) = Promise<Int>.pending()
        let waiting = Promise { try await promise.value }
        await time.advance(by: .zero)
        await clock.advance(by: .seconds(10))
        resolver.fulfill(1)
        let value = try await waiting.value
        #expect(value == 1)
      }
      #expect(reports.entries.isEmpty)
      #expect(try await waiting.value == 1)
    }
  }

  // MARK: The trait

  @Test func aStandstillFailsAndEndsTheTest() async throws {
    let (messages, continuation) = AsyncStream<String>.makeStream()
    let (promise, resolver) = Promise<Int>.pending()
    continuation.yield("the time stands still")
    try await withKnownIssue("A standstill fails the test.") {
      try await VirtualTimeTrait.perform({ _ = try await promise.value }, until: messages)
    } matching: { issue in
      issue.comments.contains("the time stands still")
    }
    #expect(promise.isRejected)
    withExtendedLifetime(resolver) {}
  }

  @Test func aStandstillEndsATaskOfTheTestThatIsNotCancelledWithIt() async throws {
    let (messages, continuation) = AsyncStream<String>.makeStream()
    let (promise, resolver) = Promise<Int>.pending()
    try await withVirtualTime { _ in
      try await withKnownIssue("A standstill fails the test.") {
        try await VirtualTimeTrait.perform(
          {
            let task = Task { try await promise.value }
            while AwaitedPromises.current?.numbers.isEmpty != false { await Task.yield() }
            continuation.yield("the time stands still")
            _ = try await task.value
          }, until: messages)
      } matching: { issue in
        issue.comments.contains("the time stands still")
      }
    }
    #expect(promise.isRejected)
    withExtendedLifetime(resolver) {}
  }

  @Test func theErrorOfATestIsPassedOn() async throws {
    let (messages, continuation) = AsyncStream<String>.makeStream()
    await #expect(throws: PromiseError.timedOut) {
      try await VirtualTimeTrait.perform({ throw PromiseError.timedOut }, until: messages)
    }
    try await VirtualTimeTrait.perform({}, until: messages)
    continuation.finish()
  }
}
