import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RecoverTests {
  @Test(arguments: Moment.allCases, Outcome.allCases)
  func recoverMakesAValueOfAnError(_ moment: Moment, _ outcome: Outcome) async {
    let result = await atEachMoment(outcome.result, moment) { $0.recover { _ in 1 } }
    if outcome == .failure {
      #expect((try? result.get()) == 1)
    } else {
      #expect(outcome.matches(result))
    }
  }

  @Test(arguments: Moment.allCases, Outcome.allCases)
  func recoverWithAllErrorsTakesCancellationsToo(_ moment: Moment, _ outcome: Outcome) async {
    let value = await atEachMoment(outcome.result, moment) {
      $0.recover(policy: .allErrors) { _ in 1 }
    }
    #expect((try? value.get()) == (outcome == .success ? 7 : 1))
    let promise = await atEachMoment(outcome.result, moment) {
      $0.recover(policy: .allErrors) { _ in .fulfilled(2) }
    }
    #expect((try? promise.get()) == (outcome == .success ? 7 : 2))
  }

  @Test(arguments: Moment.allCases, Outcome.allCases)
  func recoverFollowsThePromiseItGets(_ moment: Moment, _ inner: Outcome) async {
    let subject = Subject(inner.result, moment)
    let result = await atEachMoment(Outcome.failure.result, moment) { promise in
      let next = promise.recover { _ in subject.promise }
      subject.ready()
      return next
    }
    #expect(inner.matches(result))
  }

  @Test(arguments: Moment.allCases)
  func aPromiseForACancellationHasToBeAskedFor(_ moment: Moment) async {
    let result = await atEachMoment(Outcome.cancellation.result, moment) {
      $0.recover { _ in .fulfilled(1) }
    }
    #expect(result.error is CancellationError)
  }

  @Test(arguments: Moment.allCases)
  func recoverRunsInTheContextItNames(_ moment: Moment) async throws {
    let queue = LabelledQueue()
    let result = await atEachMoment(Result<Bool, any Error>.failure(TestError()), moment) {
      $0.recover(on: queue.context) { _ in queue.isCurrent }
    }
    #expect(try result.get())
  }

  @Test(arguments: Moment.allCases)
  func anErrorThrownByRecoverReplacesTheFirst(_ moment: Moment) async {
    let value = await atEachMoment(Outcome.failure.result, moment) {
      $0.recover { _ -> Int in throw TestError("second") }
    }
    #expect(value.failure() == TestError("second"))
    let promise = await atEachMoment(Outcome.failure.result, moment) {
      $0.recover { _ -> Promise<Int> in throw TestError("second") }
    }
    #expect(promise.failure() == TestError("second"))
  }

  @Test func cancellingTheResultCancelsTheSubstitute() {
    let (substitute, resolver) = Promise<Int>.pending()
    let next = Promise<Int>.rejected(TestError()).recover(on: .inline) { _ in substitute }
    next.cancel()
    #expect(substitute.wasCancelled)
    resolver.fulfill(1)
  }
}
