import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RaceTests {
  @Test func noneRejectsWithEmpty() async {
    #expect(await race([Promise<Int>]()).result.failure() == PromiseError.empty)
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func theFirstToSettleWinsAndTheLosersAreCancelled(
    _ timing: Timing, _ outcome: Outcome
  ) async {
    let (before, beforeResolver) = Promise<Int>.pending()
    let (behind, behindResolver) = Promise<Int>.pending()
    let winner = TestPromise(outcome.result, timing)
    let first = race([before, winner.promise, behind])
    winner.settle()
    #expect(outcome.matches(await first.result))
    #expect(await before.result.error is CancellationError)
    #expect(await behind.result.error is CancellationError)
    beforeResolver.fulfill(1)
    behindResolver.fulfill(1)
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func losersGoOnForTheirOtherConsumers(_ timing: Timing, _ outcome: Outcome) async throws {
    let (before, beforeResolver) = Promise<Int>.pending()
    let (behind, behindResolver) = Promise<Int>.pending()
    let others = [before.map { $0 + 1 }, behind.map { $0 + 1 }]
    let winner = TestPromise(outcome.result, timing)
    let first = race([before, winner.promise, behind])
    winner.settle()
    #expect(outcome.matches(await first.result))
    beforeResolver.fulfill(1)
    behindResolver.fulfill(2)
    #expect(try await others[0].value == 2)
    #expect(try await others[1].value == 3)
  }

  @Test func ofSeveralSettledOnesTheFirstInTheArrayWins() async {
    let first = race([.rejected(TestError("first")), Promise.fulfilled(2)])
    #expect(await first.result.failure() == TestError("first"))
  }

  @Test func aPromiseInTheArrayTwiceIsCancelledWithTheResult() {
    let (promise, resolver) = Promise<Int>.pending()
    race([promise, promise]).cancel()
    #expect(promise.isCancelled)
    resolver.fulfill(1)
  }

  @Test func aWinnerInTheArrayTwiceTakesNothingFromTheOthers() async throws {
    let (shared, resolver) = Promise<Int>.pending()
    let other = shared.map { $0 }
    let winner = Promise.fulfilled(1)
    #expect(try await race([winner, shared, winner, shared]).value == 1)
    #expect(shared.isPending)
    resolver.fulfill(2)
    #expect(try await other.value == 2)
  }
}
