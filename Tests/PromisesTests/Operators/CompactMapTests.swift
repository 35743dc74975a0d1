import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CompactMapTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func compactMapUnwrapsTheValue(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) { promise in
      promise.compactMap { Int("\($0)") }
    }
    #expect(outcome.matches(result))
  }

  @Test(arguments: Timing.allCases)
  func nilRejectsWithMissingValue(_ timing: Timing) async {
    let result = await apply(to: .success("seven"), timing) { promise in
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
