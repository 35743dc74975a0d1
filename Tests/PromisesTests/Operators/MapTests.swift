import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MapTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func mapChangesTheValueOnly(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) { promise in
      promise.map { "\($0)" }.map { Int($0) ?? 0 }
    }
    #expect(outcome.matches(result))
  }

  @Test func mapRunsWhereThePromiseSettles() {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<Int>()
    _ = promise.map { log.append($0) }
    resolver.fulfill(3)
    #expect(log.entries == [3])
  }

  @Test func mapRunsInTheContextItNames() async throws {
    let queue = LabelledQueue()
    let mapped = Promise.fulfilled(1).map(on: queue.context) { _ in queue.isCurrent }
    #expect(try await mapped.value)
  }

  @Test func whatMapThrowsRejects() async {
    let mapped = Promise.fulfilled(1).map { _ -> Int in throw TestError("map") }
    #expect(await mapped.result.failure() == TestError("map"))
  }

  @Test func mapKeepsThePromisesOwnContext() async throws {
    let queue = LabelledQueue()
    let isThere = Promise.fulfilled(1).on(queue.context).map { $0 }.then { _ in queue.isCurrent }
    #expect(try await isThere.value)
  }
}
