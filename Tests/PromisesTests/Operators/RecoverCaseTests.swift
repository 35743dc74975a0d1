import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
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
  func otherCasesOfTheSameTypePass(_ timing: Timing, _ outcome: Outcome) async {
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
  func otherTypesPass(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) {
      $0.recover(PromiseError.timedOut) { 1 }
    }
    #expect(outcome.matches(result))
  }

  @Test func whatItThrowsRejects() async {
    let promise = Promise<Int>.rejected(TestError("a"))
      .recover(TestError("a")) { () -> Int in throw TestError("b") }
    #expect(await promise.result.failure() == TestError("b"))
  }

  @Test func itRunsInTheContextItNames() async throws {
    let queue = LabelledQueue()
    let promise = Promise<Bool>.rejected(TestError("a"))
      .recover(TestError("a"), on: queue.context) { queue.isCurrent }
    #expect(try await promise.value)
  }
}
