import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct TestSchedulerTests {
  private let time = TestScheduler()
  private let log = Log<String>()

  private func schedule(_ name: String, after delay: Duration) {
    _ = time.schedule(after: delay) { [log, time] in log.append("\(name)@\(time.now)") }
  }

  @Test func actionsRunInTimeOrderAtTheirTimes() async {
    schedule("c", after: .seconds(3))
    schedule("a", after: .seconds(1))
    schedule("b", after: .seconds(2))
    await time.advance(by: .seconds(2))
    #expect(log.entries == ["a@1.0 seconds", "b@2.0 seconds"])
    #expect(time.now == .seconds(2))
    await time.advance(to: .seconds(10))
    #expect(log.entries.last == "c@3.0 seconds")
    #expect(time.elapsed == .seconds(10))
  }

  @Test func actionsOfEqualTimesRunInSchedulingOrder() async {
    let numbers = Log<Int>()
    for number in 0..<100 { _ = time.schedule(after: .seconds(1)) { numbers.append(number) } }
    await time.run()
    #expect(numbers.entries == Array(0..<100))
  }

  @Test func nothingRunsUntilTimeIsAdvanced() async {
    schedule("now", after: .zero)
    schedule("past", after: .seconds(-1))
    #expect(log.entries.isEmpty)
    await time.advance(by: .zero)
    #expect(log.entries == ["now@0.0 seconds", "past@0.0 seconds"])
  }

  @Test func anActionScheduledByAnotherRunsAtItsTimeInTheSameAdvance() async {
    _ = time.schedule(after: .seconds(1)) { [self] in
      schedule("inner", after: .seconds(1))
      schedule("atOnce", after: .zero)
    }
    schedule("between", after: .milliseconds(1_500))
    await time.advance(by: .seconds(3))
    #expect(log.entries == ["atOnce@1.0 seconds", "between@1.5 seconds", "inner@2.0 seconds"])
  }

  @Test func aNegativeAdvanceRunsDueActionsAndKeepsTheTime() async {
    await time.advance(to: .seconds(5))
    schedule("due", after: .zero)
    await time.advance(to: .seconds(1))
    await time.advance(by: .seconds(-3))
    #expect(log.entries == ["due@5.0 seconds"])
    #expect(time.now == .seconds(5))
  }

  @Test func runStopsAtTheLastAction() async {
    schedule("first", after: .seconds(1))
    schedule("last", after: .seconds(3_600))
    await time.run()
    #expect(log.entries.count == 2)
    #expect(time.now == .seconds(3_600))
  }

  @Test func anEndlessScheduleStopsAtTheLimit() async {
    let ticks = Counter()
    @Sendable func tick() {
      ticks.add()
      _ = time.schedule(after: .seconds(1), tick)
    }
    _ = time.schedule(after: .seconds(1), tick)
    await time.run(atMost: .seconds(10))
    #expect(ticks.value == 10)
    #expect(time.now == .seconds(10))
    #expect(time.scheduledCount == 1)
  }

  @Test func aCancelledActionNeverRunsAndIsReleased() async {
    let live = InstanceCounter()
    let handle: ScheduledAction
    do {
      let token = live.token()
      handle = time.schedule(after: .seconds(1)) { [log] in
        withExtendedLifetime(token) { log.append("cancelled") }
      }
    }
    #expect(time.scheduledCount == 1)
    handle.cancel()
    handle.cancel()
    #expect(time.scheduledCount == 0)
    #expect(live.liveCount == 0)
    schedule("kept", after: .seconds(2))
    await time.run()
    #expect(log.entries == ["kept@2.0 seconds"])
  }

  @Test func anActionCanCancelALaterOne() async {
    let later = time.schedule(after: .seconds(2)) { [log] in log.append("later") }
    _ = time.schedule(after: .seconds(1)) { later.cancel() }
    await time.run()
    #expect(log.entries.isEmpty)
    #expect(time.now == .seconds(1))
  }

  @Test func timeDoesNotAdvanceDuringAnActivity() async {
    let ticket = time.beginActivity()
    async let advanced: Void = time.advance(by: .seconds(1))
    schedule("in time", after: .seconds(1))
    ticket?.end()
    ticket?.end()
    await advanced
    #expect(log.entries == ["in time@1.0 seconds"])
  }

  @Test func aReleasedTokenEndsItsActivity() async {
    _ = time.beginActivity()
    await time.advance(by: .seconds(1))
    #expect(time.now == .seconds(1))
  }
}

/// `advance` returns after all handlers that it triggered have returned.
@Suite(.gated)
struct TestSchedulerHandlerTests {
  private static let contexts: [ExecutionContext] = [
    .main, .inline, .background, LabelledQueue().context,
  ]

  @Test(arguments: contexts.indices)
  func advanceWaitsForHandlersInEveryContext(_ index: Int) async {
    let time = TestScheduler()
    let log = Log<String>()
    after(.seconds(1), scheduler: time)
      .on(Self.contexts[index])
      .done { log.append("done") }
      .then { log.append("then") }
      .thenInBackground { log.append("background") }
      .always { _ in log.append("always") }
    await time.advance(by: .seconds(1))
    #expect(log.entries.sorted() == ["always", "background", "done", "then"])
  }

  @Test(arguments: contexts.indices)
  func advanceWaitsForHandlersWithAnExplicitContext(_ index: Int) async {
    let time = TestScheduler()
    let log = Log<String>()
    let context = Self.contexts[index]
    after(.seconds(1), scheduler: time)
      .then(on: context) { log.append("a") }
      .then(on: .background) {
        // Work that is not a handler is counted only in a context of the scheduler.
        Promise(on: time.context(for: context)) { log.append("b") }
      }
      .always(on: context) { _ in log.append("c") }
    await time.advance(by: .seconds(1))
    #expect(log.entries == ["a", "b", "c"])
  }

  @Test func advanceWaitsForMainActorHandlers() async {
    let time = TestScheduler()
    let log = Log<String>()
    after(.seconds(1), scheduler: time)
      .done { @MainActor _ in log.append("done") }
      .always { @MainActor _ in log.append("always") }
    await time.advance(by: .seconds(1))
    #expect(log.entries == ["done", "always"])
  }

  @Test func handlersOfAnActionRunBeforeTheNextAction() async {
    let time = TestScheduler()
    let log = Log<String>()
    for second in 1...5 {
      after(.seconds(second), scheduler: time)
        .thenInBackground { log.append("first \(second)") }
        .done { log.append("second \(second) \(time.now)") }
    }
    await time.advance(by: .seconds(5))
    let expected = (1...5).flatMap { ["first \($0)", "second \($0) \($0).0 seconds"] }
    #expect(log.entries == expected)
  }

  @Test func actionsScheduledByHandlersRunInTheSameAdvance() async {
    let time = TestScheduler()
    let promise = after(.seconds(1), scheduler: time)
      .thenInBackground { after(.seconds(1), scheduler: time) }
      .then { time.now }
    await time.advance(by: .seconds(2))
    guard case .fulfilled(.seconds(2)) = promise.state else {
      return #expect(Bool(false), "\(promise.state)")
    }
  }

  @Test func aDiscardedHandlerDoesNotBlockTheAdvance() async {
    let time = TestScheduler()
    let promise = after(.seconds(1), scheduler: time).then(on: .custom { _ in }) { 1 }
    await time.advance(by: .seconds(1))
    #expect(await promise.result.failure() == PromiseError.abandoned)
  }
}
