import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct RetryTests {
  private let time = TestScheduler()

  /// Records the number and the virtual time of each attempt, and fails until a given attempt.
  private func attempts(
    _ schedule: RetrySchedule, succeedingAt last: Int, _ log: Log<String>
  ) -> Promise<Int> {
    retry(schedule, scheduler: time) { [time] attempt in
      log.append("\(attempt)@\(time.now)")
      return attempt == last ? .fulfilled(attempt) : .rejected(TestError("\(attempt)"))
    }
  }

  @Test func aSuccessfulFirstAttemptIsTheOnlyOne() async throws {
    let log = Log<String>()
    let promise = attempts(.immediate(limit: 5), succeedingAt: 1, log)
    #expect(log.entries == ["1@0.0 seconds"])
    #expect(try await promise.value == 1)
  }

  @Test func attemptsRunAtExactlyTheScheduledTimes() async throws {
    let log = Log<String>()
    let schedule = RetrySchedule.exponential(initial: .seconds(1), jitter: .none, limit: 9)
    let promise = attempts(schedule, succeedingAt: 4, log)
    await time.run()
    #expect(log.entries == ["1@0.0 seconds", "2@1.0 seconds", "3@3.0 seconds", "4@7.0 seconds"])
    #expect(try await promise.value == 4)
    #expect(time.scheduledCount == 0)
  }

  @Test func theLimitCountsRetriesAndTheLastErrorIsTheResult() async {
    let log = Log<String>()
    let promise = attempts(.delayed(.seconds(2), limit: 2), succeedingAt: 0, log)
    await time.run()
    #expect(log.entries == ["1@0.0 seconds", "2@2.0 seconds", "3@4.0 seconds"])
    #expect(await promise.result.failure() == TestError("3"))
  }

  @Test func noAttemptStartsAfterTheScheduleHasCancelledThePromise() {
    let (first, firstResolver) = Promise<Int>.pending()
    let (box, filled) = Promise<Promise<Int>>.pending()
    let log = Log<Int>()
    let schedule = RetrySchedule.custom { _, _ in
      if case .fulfilled(let own) = box.state { own.cancel() }
      return .zero
    }
    let promise = retry(schedule, scheduler: time) { attempt in
      log.append(attempt)
      return attempt == 1 ? first : .fulfilled(attempt)
    }
    filled.fulfill(promise)
    firstResolver.reject(TestError())
    #expect(log.entries == [1])
    #expect(promise.isCancelled)
  }

  @Test func anAttemptThatCancelsThePromiseWhileItStartsIsCancelled() {
    let (first, firstResolver) = Promise<Int>.pending()
    let (second, secondResolver) = Promise<Int>.pending()
    let (box, filled) = Promise<Promise<Int>>.pending()
    let promise = retry(.immediate(limit: 3), scheduler: time) { attempt in
      guard attempt > 1 else { return first }
      if case .fulfilled(let own) = box.state { own.cancel() }
      return second
    }
    filled.fulfill(promise)
    firstResolver.reject(TestError())
    #expect(promise.isCancelled)
    #expect(second.isCancelled)
    secondResolver.fulfill(1)
  }

  @Test func aLimitOfZeroMakesOneAttempt() async {
    let log = Log<String>()
    let promise = attempts(.immediate(limit: 0), succeedingAt: 2, log)
    #expect(await promise.result.failure() == TestError("1"))
    #expect(log.entries.count == 1)
  }

  @Test(arguments: Timing.allCases)
  func theDelayStartsAtTheEndOfAnAttempt(_ timing: Timing) async throws {
    let promise = retry(.delayed(.seconds(1), limit: 3), scheduler: time) { [time] attempt in
      after(.seconds(10), scheduler: time).map {
        if attempt < 3 { throw TestError() }
        return time.now
      }
    }
    await time.run()
    #expect(try await promise.value == .seconds(32))
  }

  @Test func anErrorThatFailsTheConditionEndsTheRetries() async {
    let counter = Counter()
    let promise = retry(.immediate(limit: 9).when { $0 is TestError }) { attempt in
      counter.add()
      return Promise<Int>.rejected(attempt == 1 ? TestError() : PromiseError.cycle)
    }
    #expect(await promise.result.failure() == PromiseError.cycle)
    #expect(counter.value == 2)
  }

  @Test(arguments: Timing.allCases)
  func aCancellationIsNeverRetried(_ timing: Timing) async {
    let counter = Counter()
    let subject = TestPromise(Outcome.cancellation.result, timing)
    let promise = retry(.immediate(limit: 9)) { _ in
      counter.add()
      return subject.promise
    }
    subject.settle()
    #expect(await promise.result.error is CancellationError)
    #expect(counter.value == 1)
  }

  @Test func cancellationDuringAnAttemptCancelsTheAttempt() async {
    let (attempt, resolver) = Promise<Int>.pending()
    let promise = retry(.delayed(.seconds(1), limit: 3), scheduler: time) { _ in attempt }
    promise.cancel()
    #expect(attempt.isCancelled && promise.isCancelled)
    #expect(time.scheduledCount == 0)
    resolver.fulfill(1)
  }

  @Test func aCancelledRetryKeepsASharedAttemptButDoesNotRetryIt() async {
    let (attempt, resolver) = Promise<Int>.pending()
    let other = attempt.map { $0 }
    let counter = Counter()
    let promise = retry(.delayed(.seconds(1), limit: 3), scheduler: time) { _ in
      counter.add()
      return attempt
    }
    promise.cancel()
    #expect(attempt.isPending)
    resolver.reject(TestError("later"))
    #expect(await other.result.failure() == TestError("later"))
    await time.run()
    #expect(counter.value == 1)
    #expect(time.scheduledCount == 0)
  }

  @Test func cancellationDuringTheDelayStopsTheTimer() async {
    let log = Log<String>()
    let promise = attempts(.delayed(.seconds(5), limit: 3), succeedingAt: 3, log)
    await time.advance(by: .seconds(7))
    #expect(time.scheduledCount == 1)
    promise.cancel()
    #expect(time.scheduledCount == 0)
    await time.run()
    #expect(log.entries == ["1@0.0 seconds", "2@5.0 seconds"])
    #expect(promise.isCancelled)
  }

  @Test func theAttemptOfABodyThatCancelsThePromiseIsCancelled() async {
    let (box, filled) = Promise<Promise<Int>>.pending()
    let (attempt, resolver) = Promise<Int>.pending()
    let promise = retry(.delayed(.seconds(1), limit: 3), scheduler: time) { number in
      if number == 1 { throw TestError() }
      box.done(on: .inline) { $0.cancel() }
      return attempt
    }
    filled.fulfill(promise)
    await time.advance(by: .seconds(1))
    #expect(promise.isCancelled && attempt.isCancelled)
    resolver.fulfill(1)
  }

  @Test func aHundredThousandThrowingAttemptsDoNotGrowTheStack() async {
    let log = Log<String>()
    await onThread(stackSize: 512 << 10) {
      retry(.immediate(limit: 100_000)) { attempt -> Promise<Int> in
        if attempt <= 100_000 { throw TestError() }
        return .fulfilled(attempt)
      }
      .always(on: .inline) { log.append("\($0)") }
    }
    #expect(await log.entries(1) == ["success(100001)"])
  }

  @Test func anAttemptThatReturnsTheResultRejectsWithCycle() async {
    let (gate, open) = Promise<Int>.pending()
    let (box, filled) = Promise<Promise<Int>>.pending()
    let promise = retry(.immediate(limit: 3)) { attempt in
      guard attempt > 1, case .fulfilled(let own) = box.state else { return gate }
      return own.map { $0 }
    }
    filled.fulfill(promise)
    open.reject(TestError())
    #expect(!promise.isPending)
    promise.cancel()
    #expect(await promise.result.failure() == PromiseError.cycle)
  }
}
