import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AnyTests {
  @Test func noneRejectsWithEmpty() async {
    #expect(await any([Promise<Int>]()).result.failure() == PromiseError.empty)
  }

  @Test(arguments: Timing.allCases)
  func theFirstFulfilledWinsOverEarlierRejections(_ timing: Timing) async throws {
    let losers = [Outcome.failure, .cancellation].map { TestPromise($0.result, timing) }
    let winner = TestPromise(.success(7), timing)
    let first = any(losers.map(\.promise) + [winner.promise])
    for loser in losers { loser.settle() }
    winner.settle()
    #expect(try await first.value == 7)
  }

  @Test(arguments: Timing.allCases)
  func theLosersAreCancelled(_ timing: Timing) async throws {
    let (before, beforeResolver) = Promise<Int>.pending()
    let (behind, behindResolver) = Promise<Int>.pending()
    let winner = TestPromise(.success(7), timing)
    let first = any([before, winner.promise, behind])
    winner.settle()
    #expect(try await first.value == 7)
    #expect(await before.result.error is CancellationError)
    #expect(await behind.result.error is CancellationError)
    beforeResolver.fulfill(1)
    behindResolver.fulfill(1)
  }

  @Test(arguments: Timing.allCases)
  func losersGoOnForTheirOtherConsumers(_ timing: Timing) async throws {
    let (before, beforeResolver) = Promise<Int>.pending()
    let (behind, behindResolver) = Promise<Int>.pending()
    let others = [before.map { $0 + 1 }, behind.map { $0 + 1 }]
    let winner = TestPromise(.success(7), timing)
    let first = any([before, winner.promise, behind])
    winner.settle()
    #expect(try await first.value == 7)
    beforeResolver.fulfill(1)
    behindResolver.fulfill(2)
    #expect(try await others[0].value == 2)
    #expect(try await others[1].value == 3)
  }

  @Test(arguments: Timing.allCases)
  func whenAllAreRejectedTheErrorHasThemAllInOrder(_ timing: Timing) async throws {
    let subjects = (0..<3).map {
      TestPromise(Result<Int, any Error>.failure(TestError("\($0)")), timing)
    }
    let first = any(subjects.map(\.promise))
    for subject in subjects.reversed() { subject.settle() }
    let error = try #require(await first.result.failure(as: AggregateError.self))
    #expect(error.errors.map { $0 as? TestError } == ["0", "1", "2"].map { TestError($0) })
    #expect("\(error)" == "all 3 promises were rejected, the first: TestError(0)")
  }

  @Test func aPromiseInTheArrayTwiceCountsTwice() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let first = any([promise, promise])
    resolver.reject(TestError("twin"))
    let error = try #require(await first.result.failure(as: AggregateError.self))
    #expect(error.errors.count == 2)
  }

  @Test func cancellingTheResultCancelsTheMembersThatAreItsAlone() {
    let (alone, aloneResolver) = Promise<Int>.pending()
    let (shared, sharedResolver) = Promise<Int>.pending()
    let other = shared.map { $0 }
    any([alone, shared]).cancel()
    #expect(alone.isCancelled)
    #expect(shared.isPending && other.isPending)
    aloneResolver.fulfill(1)
    sharedResolver.fulfill(1)
  }
}
