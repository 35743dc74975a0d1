import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CompactMapTests {
  @Test(arguments: Moment.allCases, Outcome.allCases)
  func compactMapUnwrapsTheValue(_ moment: Moment, _ outcome: Outcome) async {
    let result = await atEachMoment(outcome.result, moment) { promise in
      promise.compactMap { Int("\($0)") }
    }
    #expect(outcome.matches(result))
  }

  @Test(arguments: Moment.allCases)
  func nilRejectsWithMissingValue(_ moment: Moment) async {
    let result = await atEachMoment(.success("seven"), moment) { promise in
      promise.compactMap { Int($0) }
    }
    #expect(result.failure() == PromiseError.missingValue)
  }

  @Test func whatCompactMapThrowsRejects() async {
    let promise = Promise.fulfilled(1).compactMap { _ -> Int? in throw TestError("compact") }
    #expect(await promise.result.failure() == TestError("compact"))
  }

  @Test func compactMapRunsInTheContextItNames() async throws {
    let queue = LabelledQueue()
    let promise = Promise.fulfilled(1).compactMap(on: queue.context) { _ in queue.isCurrent }
    #expect(try await promise.value)
  }
}
