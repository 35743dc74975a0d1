import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ThenInBackgroundTests {
  @Test(arguments: Moment.allCases)
  func theStepRunsOffTheMainThread(_ moment: Moment) async throws {
    let result = await atEachMoment(.success(1), moment) { promise in
      promise.thenInBackground { _ in isOnMainQueue }
    }
    #expect(try result.get() == false)
  }

  @Test(arguments: Moment.allCases)
  func theStepAfterItIsBackInTheContext(_ moment: Moment) async throws {
    let result = await atEachMoment(.success(1), moment) { promise in
      promise.thenInBackground { $0 + 1 }.then { _ in isOnMainQueue }
    }
    #expect(try result.get())
    let queue = LabelledQueue()
    let onQueue = await atEachMoment(.success(1), moment) { promise in
      promise.on(queue.context).thenInBackground { _ in !queue.isCurrent }
        .then { wasAway in wasAway && queue.isCurrent }
    }
    #expect(try onQueue.get())
  }

  @Test(arguments: Moment.allCases, Outcome.allCases)
  func aPromiseReturnedThereIsFollowed(_ moment: Moment, _ inner: Outcome) async {
    let subject = Subject(inner.result, moment)
    let result = await atEachMoment(.success(1), moment) { promise in
      let next = promise.thenInBackground { _ in subject.promise }
      subject.ready()
      return next
    }
    #expect(inner.matches(result))
  }

  @Test(arguments: Moment.allCases, Outcome.rejections)
  func aRejectionPasses(_ moment: Moment, _ outcome: Outcome) async {
    let result = await atEachMoment(outcome.result, moment) { promise in
      promise.thenInBackground { _ in 0 }
    }
    #expect(outcome.matches(result))
  }

  @Test func whatItThrowsRejects() async {
    let next = Promise.fulfilled(1).thenInBackground { _ -> Int in throw TestError("background") }
    #expect(await next.result.failure() == TestError("background"))
  }
}
