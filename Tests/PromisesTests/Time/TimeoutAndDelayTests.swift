import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct TimeoutTests {
  private let time = TestScheduler()

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func anOutcomeInTimePassesThroughAndStopsTheTimer(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) {
      $0.timeout(.seconds(1), scheduler: time)
    }
    #expect(outcome.matches(result))
    #expect(time.scheduledCount == 0)
  }

  @Test func aLateOutcomeIsATimeout() async {
    let (promise, resolver) = Promise<Int>.pending()
    let limited = promise.timeout(.seconds(2), scheduler: time)
    await time.advance(by: .milliseconds(1_999))
    #expect(limited.isPending)
    await time.advance(by: .milliseconds(1))
    resolver.fulfill(1)
    #expect(await limited.result.failure() == PromiseError.timedOut)
  }

  @Test(arguments: [Duration.zero, .seconds(-1)], Outcome.allCases)
  func aLimitOfZeroRejectsImmediately(_ limit: Duration, _ outcome: Outcome) async {
    let settled = TestPromise(outcome.result, .settled).promise.timeout(limit, scheduler: time)
    #expect(!settled.isPending)
    #expect(await settled.result.failure() == PromiseError.timedOut)
    #expect(time.scheduledCount == 0)
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func aLimitOfZeroCancelsAPendingPromiseUnlessItIsShared(_ limit: Duration) async {
    let (alone, aloneResolver) = Promise<Int>.pending()
    let (shared, sharedResolver) = Promise<Int>.pending()
    let other = shared.map { $0 }
    let limited = [alone, shared].map { $0.timeout(limit, scheduler: time) }
    for promise in limited { #expect(await promise.result.failure() == PromiseError.timedOut) }
    #expect(alone.isCancelled)
    #expect(shared.isPending && other.isPending)
    aloneResolver.fulfill(1)
    sharedResolver.fulfill(1)
  }

  @Test func aTimeoutCancelsAnUnsharedPromise() async {
    let (promise, resolver) = Promise<Int>.pending()
    let stopped = Log<String>()
    resolver.onCancel { stopped.append("work") }
    let limited = promise.timeout(.seconds(1), scheduler: time)
    await time.advance(by: .seconds(1))
    #expect(promise.isCancelled)
    #expect(stopped.entries == ["work"])
    #expect(await limited.result.failure() == PromiseError.timedOut)
  }

  @Test func aTimeoutDoesNotCancelASharedPromise() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let other = promise.map { $0 + 1 }
    let limited = promise.timeout(.seconds(1), scheduler: time)
    await time.advance(by: .seconds(1))
    #expect(await limited.result.failure() == PromiseError.timedOut)
    #expect(promise.isPending)
    resolver.fulfill(1)
    #expect(try await other.value == 2)
  }

  @Test func cancellationStopsTheTimerAndCancelsThePromise() {
    let (promise, resolver) = Promise<Int>.pending()
    let limited = promise.timeout(.seconds(1), scheduler: time)
    #expect(time.scheduledCount == 1)
    limited.cancel()
    #expect(time.scheduledCount == 0)
    #expect(promise.isCancelled)
    resolver.fulfill(1)
  }

  @Test func theShorterOfTwoLimitsApplies() async {
    let (promise, resolver) = Promise<Int>.pending()
    let limited = promise.timeout(.seconds(5), scheduler: time).timeout(
      .seconds(2), scheduler: time)
    let end = limited.recover(PromiseError.timedOut) { [time] in Int(time.now / .seconds(1)) }
    await time.advance(by: .seconds(2))
    guard case .fulfilled(2) = end.state else { return #expect(Bool(false), "\(end.state)") }
    #expect(time.scheduledCount == 0)
    resolver.fulfill(1)
  }

  @Test func handlersOfATimeoutHaveRunWhenTheAdvanceReturns() async {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<String>()
    promise.timeout(.seconds(1), scheduler: time).fail { log.append("\($0)") }
    await time.advance(by: .seconds(1))
    #expect(log.entries == ["the promise did not settle within its time limit"])
    resolver.fulfill(1)
  }
}

@Suite(.gated)
struct DelayTests {
  private let time = TestScheduler()

  @Test func afterIsFulfilledAfterItsDelay() async {
    let promise = after(.seconds(2), scheduler: time)
    await time.advance(by: .milliseconds(1_999))
    #expect(promise.isPending)
    await time.advance(by: .milliseconds(1))
    #expect(!promise.isPending && !promise.isCancelled)
  }

  @Test(arguments: [Duration.zero, .seconds(-5)])
  func aNegativeDelayCountsAsZero(_ duration: Duration) async {
    let promise = after(duration, scheduler: time)
    let delayed = Promise.fulfilled(1).delay(duration, scheduler: time)
    #expect(promise.isPending && delayed.isPending)
    await time.advance(by: .zero)
    #expect(!promise.isPending && !delayed.isPending)
    #expect(time.now == .zero)
  }

  @Test func cancellingAfterStopsTheTimer() {
    let promise = after(.seconds(2), scheduler: time)
    #expect(time.scheduledCount == 1)
    promise.cancel()
    #expect(time.scheduledCount == 0)
    #expect(promise.isCancelled)
  }

  @Test func cancellingTheLastConsumerOfAfterStopsTheTimer() {
    let promise = after(.seconds(2), scheduler: time)
    let consumers = [promise.map { 1 }, promise.map { 2 }]
    consumers[0].cancel()
    #expect(time.scheduledCount == 1)
    consumers[1].cancel()
    #expect(time.scheduledCount == 0)
  }

  @Test func delayStartsAtTheFulfilment() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let delayed = promise.delay(.seconds(3), scheduler: time).then { [time] in ($0, time.now) }
    await time.advance(by: .seconds(10))
    #expect(delayed.isPending)
    resolver.fulfill(1)
    await time.advance(by: .seconds(3))
    let (value, moment) = try await delayed.value
    #expect(value == 1)
    #expect(moment == .seconds(13))
  }

  @Test(arguments: Timing.allCases, Outcome.rejections)
  func anErrorPassesWithoutDelay(_ moment: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, moment) {
      $0.delay(.seconds(3), scheduler: time)
    }
    #expect(outcome.matches(result))
    #expect(time.scheduledCount == 0)
  }

  @Test func cancellingADelayStopsTheTimer() {
    let delayed = Promise.fulfilled(1).delay(.seconds(3), scheduler: time)
    #expect(time.scheduledCount == 1)
    delayed.cancel()
    #expect(time.scheduledCount == 0)
    #expect(delayed.isCancelled)
  }

  @Test func cancellingADelayBeforeItsTimerStartsCancelsUpstream() {
    let (promise, resolver) = Promise<Int>.pending()
    promise.delay(.seconds(3), scheduler: time).cancel()
    #expect(promise.isCancelled)
    #expect(time.scheduledCount == 0)
    resolver.fulfill(1)
  }

  @Test func aDelayedPromiseKeepsItsContext() async throws {
    let queue = LabelledQueue()
    let isThere = Promise.fulfilled(1).on(queue.context)
      .delay(.seconds(1), scheduler: time)
      .then { _ in queue.isCurrent }
    await time.advance(by: .seconds(1))
    #expect(try await isThere.value)
  }
}

/// The function `sleep(for:)` of schedulers.
@Suite(.gated)
struct SleepTests {
  private let time = TestScheduler()

  @Test func aTaskSleepsUntilTheVirtualTimeAdvances() async throws {
    let time = time
    let log = Log<String>()
    try await time.run {
      try await time.sleep(for: .milliseconds(1_500))
      log.append("\(time.now)")
      try await time.sleep(for: .seconds(1))
      log.append("\(time.now)")
    }
    #expect(log.entries == ["1.5 seconds", "2.5 seconds"])
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func aDurationOfZeroTakesNoTime(_ duration: Duration) async throws {
    let time = time
    try await time.run { try await time.sleep(for: duration) }
    #expect(time.now == .zero)
    #expect(time.scheduledCount == 0)
  }

  @Test func aCancelledTaskStopsSleepingAndItsTimer() async {
    let time = time
    let task = Task { try await time.sleep(for: .seconds(5)) }
    while time.scheduledCount == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(time.scheduledCount == 0)
    #expect(time.now == .zero)
  }

  @Test func aTaskThatIsCancelledBeforeDoesNotSleep() async {
    let time = time
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await time.sleep(for: .seconds(5))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(time.scheduledCount == 0)
  }
}
