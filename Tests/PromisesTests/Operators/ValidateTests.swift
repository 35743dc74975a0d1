import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ValidateTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func anAcceptableValuePasses(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) { $0.validate { $0 == 7 } }
    #expect(outcome.matches(result))
  }

  @Test(arguments: Timing.allCases)
  func anUnacceptableValueRejects(_ timing: Timing) async {
    let result = await apply(to: .success(8), timing) { $0.validate(where: { $0 == 7 }) }
    #expect(result.failure() == PromiseError.unacceptableValue)
  }

  @Test(arguments: Timing.allCases)
  func anErrorOfTheConditionsOwnRejects(_ timing: Timing) async {
    let result = await apply(to: .success(8), timing) {
      $0.validate { _ in throw TestError("condition") }
    }
    #expect(result.failure() == TestError("condition"))
  }

  @Test func theConditionIsCheckedInTheContextItNames() async throws {
    let queue = LabelledQueue()
    let promise = Promise.fulfilled(1).validate(on: queue.context) { _ in queue.isCurrent }
    #expect(try await promise.value == 1)
  }
}
