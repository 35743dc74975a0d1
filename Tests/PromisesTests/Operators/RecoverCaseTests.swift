import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RecoverCaseTests {
  @Test(arguments: Moment.allCases)
  func theCaseIsRecoveredWithAValue(_ moment: Moment) async throws {
    let result = await atEachMoment(Result<Int, any Error>.failure(PromiseError.timedOut), moment) {
      $0.recover(PromiseError.timedOut) { 1 }
    }
    #expect(try result.get() == 1)
  }

  @Test(arguments: Moment.allCases)
  func theCaseIsRecoveredWithAPromise(_ moment: Moment) async throws {
    let result = await atEachMoment(Outcome.failure.result, moment) {
      $0.recover(TestError("upstream")) { .fulfilled(1) }
    }
    #expect(try result.get() == 1)
  }

  @Test(arguments: Moment.allCases, Outcome.allCases)
  func otherCasesOfTheSameTypePass(_ moment: Moment, _ outcome: Outcome) async {
    let value = await atEachMoment(outcome.result, moment) {
      $0.recover(TestError("other")) { 1 }
    }
    #expect(outcome.matches(value))
    let promise = await atEachMoment(outcome.result, moment) {
      $0.recover(TestError("other")) { .fulfilled(1) }
    }
    #expect(outcome.matches(promise))
  }

  @Test(arguments: Moment.allCases, Outcome.allCases)
  func otherTypesPass(_ moment: Moment, _ outcome: Outcome) async {
    let result = await atEachMoment(outcome.result, moment) {
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
