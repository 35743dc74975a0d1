import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
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
  func otherOutcomesPass(_ timing: Timing, _ outcome: Outcome) async {
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

  @Test func ofSeveralTypesTheOneThatMatchesIsTaken() async throws {
    let promise = Promise<String>.rejected(PromiseError.cycle)
      .recover(TestError.self) { _ in "test" }
      .recover(PromiseError.self) { "\($0)" }
      .recover { _ in "any" }
    #expect(try await promise.value == "the promise would have waited for itself")
  }

  @Test(arguments: Timing.allCases)
  func whatItThrowsRejects(_ timing: Timing) async {
    let result = await apply(to: Outcome.failure.result, timing) {
      $0.recover(TestError.self) { error -> Int in throw TestError(error.name + "!") }
    }
    #expect(result.failure() == TestError("upstream!"))
  }

  @Test func itRunsInTheContextItNames() async throws {
    let queue = LabelledQueue()
    let promise = Promise<Bool>.rejected(TestError())
      .recover(TestError.self, on: queue.context) { _ in queue.isCurrent }
    #expect(try await promise.value)
  }
}
