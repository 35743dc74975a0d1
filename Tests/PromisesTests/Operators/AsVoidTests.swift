import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AsVoidTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func asVoidDropsTheValueOnly(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) { promise in
      let void: Promise<Void> = promise.asVoid()
      return void
    }
    #expect(outcome.matches(result.map { 7 }))
  }

  @Test func promisesOfDifferentValuesFitIntoOneArray() async throws {
    let all = when([Promise.fulfilled(1).asVoid(), Promise.fulfilled("a").asVoid()])
    #expect(try await all.value.count == 2)
  }
}
