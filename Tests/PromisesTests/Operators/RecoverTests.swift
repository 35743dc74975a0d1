import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RecoverTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func recoverMakesAValueOfAnError(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) { $0.recover { _ in 1 } }
    if outcome == .failure {
      #expect((try? result.get()) == 1)
    } else {
      #expect(outcome.matches(result))
    }
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func recoverWithAllErrorsTakesCancellationsToo(_ timing: Timing, _ outcome: Outcome) async {
    let value = await apply(to: outcome.result, timing) {
      $0.recover(policy: .allErrors) { _ in 1 }
    }
    #expect((try? value.get()) == (outcome == .success ? 7 : 1))
    let promise = await apply(to: outcome.result, timing) {
      $0.recover(policy: .allErrors) { _ in .fulfilled(2) }
    }
    #expect((try? promise.get()) == (outcome == .success ? 7 : 2))
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func recoverFollowsThePromiseItGets(_ timing: Timing, _ inner: Outcome) async {
    let subject = TestPromise(inner.result, timing)
    let result = await apply(to: Outcome.failure.result, timing) { promise in
      let next = promise.recover { _ in subject.promise }
      subject.settle()
      return next
    }
    #expect(inner.matches(result))
  }

  @Test(arguments: Timing.allCases)
  func aPromiseForACancellationHasToBeAskedFor(_ timing: Timing) async {
    let result = await apply(to: Outcome.cancellation.result, timing) {
      $0.recover { _ in .fulfilled(1) }
    }
    #expect(result.error is CancellationError)
  }

  @Test(arguments: Timing.allCases)
  func recoverRunsInTheContextItNames(_ timing: Timing) async throws {
    let queue = LabelledQueue()
    let result = await apply(to: Result<Bool, any Error>.failure(TestError()), timing) {
      $0.recover(on: queue.context) { _ in queue.isCurrent }
    }
    #expect(try result.get())
  }

  @Test(arguments: Timing.allCases)
  func anErrorThrownByRecoverReplacesTheFirst(_ timing: Timing) async {
    let value = await apply(to: Outcome.failure.result, timing) {
      $0.recover { _ -> Int in throw TestError("second") }
    }
    #expect(value.failure() == TestError("second"))
    let promise = await apply(to: Outcome.failure.result, timing) {
      $0.recover { _ -> Promise<Int> in throw TestError("second") }
    }
    #expect(promise.failure() == TestError("second"))
  }

  @Test func cancellingTheResultCancelsTheSubstitute() {
    let (substitute, resolver) = Promise<Int>.pending()
    let next = Promise<Int>.rejected(TestError()).recover(on: .inline) { _ in substitute }
    next.cancel()
    #expect(substitute.isCancelled)
    resolver.fulfill(1)
  }
}
