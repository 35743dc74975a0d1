import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ThenInBackgroundTests {
  @Test(arguments: Timing.allCases)
  func theStepRunsOffTheMainThread(_ timing: Timing) async throws {
    let result = await apply(to: .success(1), timing) { promise in
      promise.thenInBackground { _ in isOnMainQueue }
    }
    #expect(try result.get() == false)
  }

  @Test(arguments: Timing.allCases)
  func theStepAfterItIsBackInTheContext(_ timing: Timing) async throws {
    let result = await apply(to: .success(1), timing) { promise in
      promise.thenInBackground { $0 + 1 }.then { _ in isOnMainQueue }
    }
    #expect(try result.get())
    let queue = LabelledQueue()
    let onQueue = await apply(to: .success(1), timing) { promise in
      promise.on(queue.context).thenInBackground { _ in !queue.isCurrent }
        .then { wasAway in wasAway && queue.isCurrent }
    }
    #expect(try onQueue.get())
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func aPromiseReturnedThereIsFollowed(_ timing: Timing, _ inner: Outcome) async {
    let subject = TestPromise(inner.result, timing)
    let result = await apply(to: .success(1), timing) { promise in
      let next = promise.thenInBackground { _ in subject.promise }
      subject.settle()
      return next
    }
    #expect(inner.matches(result))
  }

  @Test(arguments: Timing.allCases, Outcome.rejections)
  func aRejectionPasses(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) { promise in
      promise.thenInBackground { _ in 0 }
    }
    #expect(outcome.matches(result))
  }

  @Test func whatItThrowsRejects() async {
    let next = Promise.fulfilled(1).thenInBackground { _ -> Int in throw TestError("background") }
    #expect(await next.result.failure() == TestError("background"))
  }
}
