import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AnyTests {
  @Test func noneRejectsWithEmpty() async {
    #expect(await any([Promise<Int>]()).result.failure() == PromiseError.empty)
  }

  @Test(arguments: Moment.allCases)
  func theFirstFulfilledWinsOverEarlierRejections(_ moment: Moment) async throws {
    let losers = [Outcome.failure, .cancellation].map { Subject($0.result, moment) }
    let winner = Subject(.success(7), moment)
    let first = any(losers.map(\.promise) + [winner.promise])
    for loser in losers { loser.ready() }
    winner.ready()
    #expect(try await first.value == 7)
  }

  @Test(arguments: Moment.allCases)
  func theLosersAreCancelled(_ moment: Moment) async throws {
    let (before, beforeResolver) = Promise<Int>.pending()
    let (behind, behindResolver) = Promise<Int>.pending()
    let winner = Subject(.success(7), moment)
    let first = any([before, winner.promise, behind])
    winner.ready()
    #expect(try await first.value == 7)
    #expect(await before.result.error is CancellationError)
    #expect(await behind.result.error is CancellationError)
    beforeResolver.fulfill(1)
    behindResolver.fulfill(1)
  }

  @Test(arguments: Moment.allCases)
  func losersGoOnForTheirOtherConsumers(_ moment: Moment) async throws {
    let (before, beforeResolver) = Promise<Int>.pending()
    let (behind, behindResolver) = Promise<Int>.pending()
    let others = [before.map { $0 + 1 }, behind.map { $0 + 1 }]
    let winner = Subject(.success(7), moment)
    let first = any([before, winner.promise, behind])
    winner.ready()
    #expect(try await first.value == 7)
    beforeResolver.fulfill(1)
    behindResolver.fulfill(2)
    #expect(try await others[0].value == 2)
    #expect(try await others[1].value == 3)
  }

  @Test(arguments: Moment.allCases)
  func whenAllAreRejectedTheErrorHasThemAllInOrder(_ moment: Moment) async throws {
    let subjects = (0..<3).map {
      Subject(Result<Int, any Error>.failure(TestError("\($0)")), moment)
    }
    let first = any(subjects.map(\.promise))
    for subject in subjects.reversed() { subject.ready() }
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
    #expect(alone.wasCancelled)
    #expect(shared.stillPends && other.stillPends)
    aloneResolver.fulfill(1)
    sharedResolver.fulfill(1)
  }
}
