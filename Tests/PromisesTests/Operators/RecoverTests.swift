import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct RecoverTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func recoverReplacesAnErrorWithAValue(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) { $0.recover { _ in 1 } }
    if outcome == .failure {
      #expect((try? result.get()) == 1)
    } else {
      #expect(outcome.matches(result))
    }
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func recoverWithAllErrorsHandlesCancellations(_ timing: Timing, _ outcome: Outcome) async {
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
  func recoverAdoptsTheReturnedPromise(_ timing: Timing, _ inner: Outcome) async {
    let result = await apply(to: Outcome.failure.result, inner: inner.result, timing) {
      promise, inner in
      promise.recover { _ in inner }
    }
    #expect(inner.matches(result))
  }

  @Test(arguments: Timing.allCases)
  func recoveringACancellationWithAPromiseRequiresAllErrors(_ timing: Timing) async {
    let result = await apply(to: Outcome.cancellation.result, timing) {
      $0.recover { _ in .fulfilled(1) }
    }
    #expect(result.error is CancellationError)
  }

  @Test(arguments: Timing.allCases)
  func recoverRunsInTheGivenContext(_ timing: Timing) async throws {
    let queue = LabelledQueue()
    let result = await apply(to: Result<Bool, any Error>.failure(TestError()), timing) {
      $0.recover(on: queue.context) { _ in queue.isCurrent }
    }
    #expect(try result.get())
  }

  @Test(arguments: Timing.allCases)
  func anErrorThrownByRecoverReplacesTheOriginal(_ timing: Timing) async {
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

@Suite(.gated)
struct RecoverTypeTests {
  @Test(arguments: Timing.allCases)
  func anErrorOfTheTypeIsRecoveredWithAValue(_ timing: Timing) async throws {
    let result = await apply(to: Result<String, any Error>.failure(TestError("a")), timing) {
      $0.recover(TestError.self) { error in error.name }
    }
    #expect(try result.get() == "a")
  }

  @Test(arguments: Timing.allCases)
  func anErrorOfTheTypeIsRecoveredWithAPromise(_ timing: Timing) async throws {
    let result = await apply(to: Result<String, any Error>.failure(TestError("a")), timing) {
      $0.recover(TestError.self) { error in Promise.fulfilled(error.name) }
    }
    #expect(try result.get() == "a")
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func otherOutcomesPassThrough(_ timing: Timing, _ outcome: Outcome) async {
    let value = await apply(to: outcome.result, timing) {
      $0.recover(PromiseError.self) { _ in 1 }
    }
    #expect(outcome.matches(value))
    let promise = await apply(to: outcome.result, timing) {
      $0.recover(PromiseError.self) { _ in .fulfilled(1) }
    }
    #expect(outcome.matches(promise))
  }

  @Test(arguments: Timing.allCases)
  func aCancellationNamedByItsTypeIsRecovered(_ timing: Timing) async throws {
    let result = await apply(to: Outcome.cancellation.result, timing) {
      $0.recover(CancellationError.self) { _ in 1 }
    }
    #expect(try result.get() == 1)
  }

  @Test func theMatchingTypeOfSeveralIsRecovered() async throws {
    let promise = Promise<String>.rejected(PromiseError.cycle)
      .recover(TestError.self) { _ in "test" }
      .recover(PromiseError.self) { "\($0)" }
      .recover { _ in "any" }
    #expect(try await promise.value == "the promise would wait for itself")
  }

  @Test(arguments: Timing.allCases)
  func anErrorThrownByRecoverRejects(_ timing: Timing) async {
    let result = await apply(to: Outcome.failure.result, timing) {
      $0.recover(TestError.self) { error -> Int in throw TestError(error.name + "!") }
    }
    #expect(result.failure() == TestError("upstream!"))
  }

  @Test func recoverRunsInTheGivenContext() async throws {
    let queue = LabelledQueue()
    let promise = Promise<Bool>.rejected(TestError())
      .recover(TestError.self, on: queue.context) { _ in queue.isCurrent }
    #expect(try await promise.value)
  }
}

@Suite(.gated)
struct RecoverCaseTests {
  @Test(arguments: Timing.allCases)
  func theCaseIsRecoveredWithAValue(_ timing: Timing) async throws {
    let result = await apply(to: Result<Int, any Error>.failure(PromiseError.timedOut), timing) {
      $0.recover(PromiseError.timedOut) { 1 }
    }
    #expect(try result.get() == 1)
  }

  @Test(arguments: Timing.allCases)
  func theCaseIsRecoveredWithAPromise(_ timing: Timing) async throws {
    let result = await apply(to: Outcome.failure.result, timing) {
      $0.recover(TestError("upstream")) { .fulfilled(1) }
    }
    #expect(try result.get() == 1)
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func otherCasesOfTheSameTypePassThrough(_ timing: Timing, _ outcome: Outcome) async {
    let value = await apply(to: outcome.result, timing) {
      $0.recover(TestError("other")) { 1 }
    }
    #expect(outcome.matches(value))
    let promise = await apply(to: outcome.result, timing) {
      $0.recover(TestError("other")) { .fulfilled(1) }
    }
    #expect(outcome.matches(promise))
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func otherTypesPassThrough(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) {
      $0.recover(PromiseError.timedOut) { 1 }
    }
    #expect(outcome.matches(result))
  }

  @Test func anErrorThrownByRecoverRejects() async {
    let promise = Promise<Int>.rejected(TestError("a"))
      .recover(TestError("a")) { () -> Int in throw TestError("b") }
    #expect(await promise.result.failure() == TestError("b"))
  }

  @Test func recoverRunsInTheGivenContext() async throws {
    let queue = LabelledQueue()
    let promise = Promise<Bool>.rejected(TestError("a"))
      .recover(TestError("a"), on: queue.context) { queue.isCurrent }
    #expect(try await promise.value)
  }
}

@Suite(.gated)
struct AsResultTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func theNextStepReceivesBothOutcomes(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<Outcome>()
    let result = await apply(to: outcome.result, timing) { promise in
      promise.asResult().map { result in
        #expect(outcome.matches(result))
        log.append(outcome)
        return 7
      }
    }
    #expect((outcome == .cancellation ? outcome : .success).matches(result))
    #expect(log.entries == (outcome == .cancellation ? [] : [outcome]))
  }

  @Test func cancellingTheResultCancelsThePromise() {
    let (promise, resolver) = Promise<Int>.pending()
    promise.asResult().cancel()
    #expect(promise.isCancelled)
    resolver.fulfill(7)
  }
}
