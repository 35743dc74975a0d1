import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RecoverTypeTests {
  @Test(arguments: Moment.allCases)
  func anErrorOfTheTypeIsRecoveredWithAValue(_ moment: Moment) async throws {
    let result = await atEachMoment(Result<String, any Error>.failure(TestError("a")), moment) {
      $0.recover(TestError.self) { error in error.name }
    }
    #expect(try result.get() == "a")
  }

  @Test(arguments: Moment.allCases)
  func anErrorOfTheTypeIsRecoveredWithAPromise(_ moment: Moment) async throws {
    let result = await atEachMoment(Result<String, any Error>.failure(TestError("a")), moment) {
      $0.recover(TestError.self) { error in Promise.fulfilled(error.name) }
    }
    #expect(try result.get() == "a")
  }

  @Test(arguments: Moment.allCases, Outcome.allCases)
  func otherOutcomesPass(_ moment: Moment, _ outcome: Outcome) async {
    let value = await atEachMoment(outcome.result, moment) {
      $0.recover(PromiseError.self) { _ in 1 }
    }
    #expect(outcome.matches(value))
    let promise = await atEachMoment(outcome.result, moment) {
      $0.recover(PromiseError.self) { _ in .fulfilled(1) }
    }
    #expect(outcome.matches(promise))
  }

  @Test(arguments: Moment.allCases)
  func aCancellationNamedByItsTypeIsRecovered(_ moment: Moment) async throws {
    let result = await atEachMoment(Outcome.cancellation.result, moment) {
      $0.recover(CancellationError.self) { _ in 1 }
    }
    #expect(try result.get() == 1)
  }

  @Test func ofSeveralTypesTheOneThatMatchesIsTaken() async throws {
    let promise = Promise<String>.rejected(PromiseError.cycle)
      .recover(TestError.self) { _ in "test" }
      .recover(PromiseError.self) { "\($0)" }
      .recover { _ in "any" }
    #expect(try await promise.value == "the promise would wait for itself")
  }

  @Test(arguments: Moment.allCases)
  func whatItThrowsRejects(_ moment: Moment) async {
    let result = await atEachMoment(Outcome.failure.result, moment) {
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
