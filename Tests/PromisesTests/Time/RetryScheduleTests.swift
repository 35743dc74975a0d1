import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct RetryScheduleTests {
  private func delays(
    _ schedule: RetrySchedule, _ count: Int = 6, after error: any Error = TestError()
  ) -> [Duration?] {
    (1...count).map { schedule.delay(beforeRetry: $0, after: error) }
  }

  @Test func immediateNeverWaits() {
    #expect(delays(.immediate(limit: 2), 3) == [.zero, .zero, nil])
  }

  @Test func delayedAlwaysWaitsTheSameTime() {
    #expect(delays(.delayed(.seconds(3), limit: 2), 3) == [.seconds(3), .seconds(3), nil])
  }

  @Test func aNegativeDelayCountsAsZero() {
    #expect(delays(.delayed(.seconds(-3), limit: 1), 1) == [.zero])
    #expect(delays(.custom { _, _ in .seconds(-1) }, 1) == [.zero])
  }

  @Test func exponentialDoublesUpToTheCap() {
    let schedule = RetrySchedule.exponential(
      initial: .seconds(1), cap: .seconds(10), jitter: .none, limit: 6)
    #expect(delays(schedule, 7) == [1, 2, 4, 8, 10, 10].map { .seconds($0) } + [nil])
  }

  @Test func exponentialAcceptsAnotherMultiplier() {
    let schedule = RetrySchedule.exponential(
      initial: .milliseconds(500), multiplier: 3, jitter: .none, limit: 9)
    #expect(delays(schedule, 4) == [500, 1_500, 4_500, 13_500].map { .milliseconds($0) })
  }

  @Test func theDefaultCapIsOneMinute() {
    let schedule = RetrySchedule.exponential(initial: .seconds(40), jitter: .none, limit: 9)
    #expect(delays(schedule, 2) == [.seconds(40), .seconds(60)])
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func exponentialWithoutAnInitialDelayNeverWaits(_ initial: Duration) {
    let schedule = RetrySchedule.exponential(initial: initial, jitter: .none, limit: .max)
    for retry in [1, 2, 1_024, 2_000, .max] {
      #expect(schedule.delay(beforeRetry: retry, after: TestError()) == .zero)
    }
  }

  @Test(arguments: [0, -2, Double.nan, .infinity])
  func anUnusualMultiplierGivesADelayWithinTheCap(_ multiplier: Double) throws {
    let schedule = RetrySchedule.exponential(
      initial: .seconds(1), multiplier: multiplier, jitter: .none, limit: .max)
    for retry in [1, 2, 3, 2_000, 2_001] {
      let delay = try #require(schedule.delay(beforeRetry: retry, after: TestError()))
      #expect((.zero ... .seconds(60)).contains(delay))
    }
  }

  @Test func aConditionReceivesTheRetriesThatAreLeft() {
    let log = Log<Int>()
    let schedule = RetrySchedule.immediate(limit: 3).when { retriesLeft, error in
      log.append(retriesLeft)
      return error is TestError && retriesLeft > 1
    }
    #expect(delays(schedule, 4) == [.zero, .zero, nil, nil])
    #expect(log.entries == [3, 2, 1])
    #expect(delays(schedule, 1, after: PromiseError.cycle) == [nil])
  }

  @Test func conditionsOfBothKindsMustHold() {
    let schedule = RetrySchedule.immediate(limit: .max)
      .when { $0 is TestError }
      .when { retriesLeft, _ in retriesLeft > .max - 1 }
    #expect(delays(schedule, 2) == [.zero, nil])
    #expect(delays(schedule, 1, after: PromiseError.cycle) == [nil])
  }

  @Test func anOverflowingDelayIsTheCap() {
    let schedule = RetrySchedule.exponential(initial: .seconds(1), jitter: .none, limit: .max)
    #expect(schedule.delay(beforeRetry: 100_000, after: TestError()) == .seconds(60))
  }

  @Test(arguments: [
    (RetrySchedule.Jitter.none, [8.0, 8, 8]), (.equal, [4, 6, 8]), (.full, [0, 4, 8]),
  ])
  func jitterSpreadsTheComputedDelay(_ jitter: RetrySchedule.Jitter, _ seconds: [Double]) {
    for (chance, expected) in zip([0, 0.5, 1], seconds) {
      let schedule = RetrySchedule.exponential(initial: .seconds(8), jitter: jitter, limit: 1)
        .randomized { range in
          #expect(range == 0...1)
          return chance
        }
      #expect(delays(schedule, 1) == [.seconds(expected)])
    }
  }

  @Test func jitterIsAppliedAfterTheCap() {
    let schedule = RetrySchedule.exponential(
      initial: .seconds(100), cap: .seconds(10), jitter: .full, limit: 1
    ).randomized { _ in 0.5 }
    #expect(delays(schedule, 1) == [.seconds(5)])
  }

  @Test(arguments: [RetrySchedule.Jitter.equal, .full])
  func randomDelaysStayInRange(_ jitter: RetrySchedule.Jitter) {
    let schedule = RetrySchedule.exponential(initial: .seconds(8), jitter: jitter, limit: 1)
    let least: Duration = if case .full = jitter { .zero } else { .seconds(4) }
    for _ in 0..<1_000 {
      let delay = schedule.delay(beforeRetry: 1, after: TestError())
      #expect(delay.map { $0 >= least && $0 <= .seconds(8) } == true)
    }
  }

  @Test func customReceivesTheRepetitionAndTheError() {
    let log = Log<String>()
    let schedule = RetrySchedule.custom { retryNumber, error in
      log.append("\(retryNumber) \(error)")
      return retryNumber == 3 ? nil : .seconds(retryNumber)
    }
    #expect(delays(schedule, 3) == [.seconds(1), .seconds(2), nil])
    #expect(log.entries == ["1 TestError(test)", "2 TestError(test)", "3 TestError(test)"])
  }

  @Test func allConditionsMustHold() {
    let schedule = RetrySchedule.immediate(limit: 9)
      .when { $0 is TestError }
      .when { $0 as? TestError != TestError("fatal") }
    #expect(delays(schedule, 1) == [.zero])
    #expect(delays(schedule, 1, after: TestError("fatal")) == [nil])
    #expect(delays(schedule, 1, after: PromiseError.cycle) == [nil])
  }

  @Test(arguments: [0, -1])
  func aLimitOfZeroNeverRetries(_ limit: Int) {
    #expect(delays(.immediate(limit: limit), 1) == [nil])
  }

  @Test func aCancellationIsNeverRetried() {
    let schedule = RetrySchedule.immediate(limit: 9).when { _ in true }
    #expect(delays(schedule, 1, after: CancellationError()) == [nil])
  }
}
