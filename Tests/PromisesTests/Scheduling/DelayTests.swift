import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DelayTests {
  private let time = TestScheduler()

  @Test func afterIsFulfilledAtItsTime() async {
    let promise = after(.seconds(2), scheduler: time)
    await time.advance(by: .milliseconds(1_999))
    #expect(promise.isPending)
    await time.advance(by: .milliseconds(1))
    #expect(!promise.isPending && !promise.isCancelled)
  }

  @Test(arguments: [Duration.zero, .seconds(-5)])
  func lessThanNothingCountsAsNothing(_ duration: Duration) async {
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

  @Test func theLastConsumerOfAfterStopsTheTimer() {
    let promise = after(.seconds(2), scheduler: time)
    let consumers = [promise.map { 1 }, promise.map { 2 }]
    consumers[0].cancel()
    #expect(time.scheduledCount == 1)
    consumers[1].cancel()
    #expect(time.scheduledCount == 0)
  }

  @Test func delayCountsFromTheFulfilment() async throws {
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
  func anErrorPassesAtOnce(_ moment: Timing, _ outcome: Outcome) async {
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

  @Test func cancellingADelayBeforeItsTimerCancelsUpstream() {
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
