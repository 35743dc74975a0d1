import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ValidateTests {
  @Test(arguments: Moment.allCases, Outcome.allCases)
  func anAcceptableValuePasses(_ moment: Moment, _ outcome: Outcome) async {
    let result = await atEachMoment(outcome.result, moment) { $0.validate { $0 == 7 } }
    #expect(outcome.matches(result))
  }

  @Test(arguments: Moment.allCases)
  func anUnacceptableValueRejects(_ moment: Moment) async {
    let result = await atEachMoment(.success(8), moment) { $0.validate(where: { $0 == 7 }) }
    #expect(result.failure() == PromiseError.unacceptableValue)
  }

  @Test(arguments: Moment.allCases)
  func anErrorOfTheConditionsOwnRejects(_ moment: Moment) async {
    let result = await atEachMoment(.success(8), moment) {
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
