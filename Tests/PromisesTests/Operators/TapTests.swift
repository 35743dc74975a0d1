import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TapTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func tapPassesTheOutcomeOn(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<Int>()
    let result = await apply(to: outcome.result, timing) { promise in
      promise.tap { log.append($0) }
    }
    #expect(outcome.matches(result))
    #expect(log.entries == (outcome == .success ? [7] : []))
  }

  @Test(arguments: Timing.allCases)
  func whatTapThrowsRejects(_ timing: Timing) async {
    let result = await apply(to: .success(1), timing) { promise in
      promise.tap { _ in throw TestError("tap") }
    }
    #expect(result.failure() == TestError("tap"))
  }

  @Test func theChainWaitsForATapsPromise() async throws {
    let (saving, saved) = Promise<String>.pending()
    let promise = Promise.fulfilled(7).tap(on: .inline) { _ in saving }
    #expect(promise.isPending)
    saved.fulfill("ignored")
    #expect(try await promise.value == 7)
  }

  @Test(arguments: Timing.allCases, Outcome.rejections)
  func aTapsRejectedPromiseRejects(_ timing: Timing, _ inner: Outcome) async {
    let subject = TestPromise(inner.result, timing)
    let result = await apply(to: .success(1), timing) { promise in
      let next = promise.tap { _ in subject.promise }
      subject.settle()
      return next
    }
    #expect(inner.matches(result))
  }

  @Test(arguments: Outcome.rejections)
  func aTapWithAPromiseIsSkippedAfterARejection(_ outcome: Outcome) async {
    let log = Log<Int>()
    let result = await apply(to: outcome.result, .eventual) { promise in
      promise.tap { value -> Promise<Void> in
        log.append(value)
        return .fulfilled(())
      }
    }
    #expect(outcome.matches(result))
    #expect(log.entries.isEmpty)
  }

  @Test func cancellingCancelsTheTapsPromise() {
    let (saving, saved) = Promise<Void>.pending()
    let promise = Promise.fulfilled(7).tap(on: .inline) { _ in saving }
    promise.cancel()
    #expect(saving.isCancelled)
    saved.fulfill(())
  }

  @Test func tapRunsInTheContextItNames() async {
    let queue = LabelledQueue()
    let log = Log<Bool>()
    _ = Promise.fulfilled(7).tap(on: queue.context) { _ in log.append(queue.isCurrent) }
    #expect(await log.entries(1) == [true])
  }
}
