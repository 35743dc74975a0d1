import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct AnyTests {
  @Test func anEmptyArrayRejectsWithEmpty() async {
    #expect(await any([Promise<Int>]()).result.failure() == PromiseError.empty)
  }

  @Test(arguments: Timing.allCases)
  func theFirstFulfilmentWinsOverEarlierRejections(_ timing: Timing) async throws {
    let losers = [Outcome.failure, .cancellation].map { TestPromise($0.result, timing) }
    let winner = TestPromise(.success(7), timing)
    let first = any(losers.map(\.promise) + [winner.promise])
    for loser in losers { loser.settle() }
    winner.settle()
    #expect(try await first.value == 7)
  }

  @Test(arguments: Timing.allCases)
  func theLosersAreCancelled(_ timing: Timing) async throws {
    let (earlier, earlierResolver) = Promise<Int>.pending()
    let (later, laterResolver) = Promise<Int>.pending()
    let winner = TestPromise(.success(7), timing)
    let first = any([earlier, winner.promise, later])
    winner.settle()
    #expect(try await first.value == 7)
    #expect(await earlier.result.error is CancellationError)
    #expect(await later.result.error is CancellationError)
    earlierResolver.fulfill(1)
    laterResolver.fulfill(1)
  }

  @Test(arguments: Timing.allCases)
  func losersWithOtherConsumersAreNotCancelled(_ timing: Timing) async throws {
    let (earlier, earlierResolver) = Promise<Int>.pending()
    let (later, laterResolver) = Promise<Int>.pending()
    let others = [earlier.map { $0 + 1 }, later.map { $0 + 1 }]
    let winner = TestPromise(.success(7), timing)
    let first = any([earlier, winner.promise, later])
    winner.settle()
    #expect(try await first.value == 7)
    earlierResolver.fulfill(1)
    laterResolver.fulfill(2)
    #expect(try await others[0].value == 2)
    #expect(try await others[1].value == 3)
  }

  @Test(arguments: Timing.allCases)
  func theErrorHasAllRejectionsInOrder(_ timing: Timing) async throws {
    let subjects = (0..<3).map {
      TestPromise(Result<Int, any Error>.failure(TestError("\($0)")), timing)
    }
    let first = any(subjects.map(\.promise))
    for subject in subjects.reversed() { subject.settle() }
    let error = try #require(await first.result.failure(as: AggregateError.self))
    #expect(error.errors.map { $0 as? TestError } == ["0", "1", "2"].map { TestError($0) })
    #expect("\(error)" == "all 3 promises were rejected, the first: TestError(0)")
  }

  @Test func aDuplicatePromiseCountsTwice() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let first = any([promise, promise])
    resolver.reject(TestError("twin"))
    let error = try #require(await first.result.failure(as: AggregateError.self))
    #expect(error.errors.count == 2)
  }

  @Test func cancellingTheResultCancelsUnsharedMembers() {
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

@Suite(.gated)
struct SettledTests {
  @Test func anEmptyArrayFulfilsWithAnEmptyArray() async throws {
    #expect(try await settled([Promise<Int>]()).value.isEmpty)
  }

  @Test(arguments: Timing.allCases)
  func outcomesHaveTheOrderOfThePromises(_ timing: Timing) async throws {
    let outcomes: [Outcome] = [.failure, .success, .cancellation, .success]
    let subjects = outcomes.map { TestPromise($0.result, timing) }
    let combined = settled(subjects.map(\.promise))
    for subject in subjects.reversed() { subject.settle() }
    let results = try await combined.value
    #expect(results.count == 4)
    for (outcome, result) in zip(outcomes, results) { #expect(outcome.matches(result)) }
  }

  @Test func aRejectionDoesNotCancelTheOthers() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let combined = settled([.rejected(TestError()), promise])
    #expect(combined.isPending)
    resolver.fulfill(1)
    #expect(try await combined.value.map { $0.error is TestError } == [true, false])
  }

  @Test(arguments: Timing.allCases)
  func outcomesOfDifferentTypesKeepTheirPositions(_ timing: Timing) async throws {
    let number = TestPromise(.success(1), timing)
    let text = TestPromise(Result<String, any Error>.failure(TestError("text")), timing)
    let both = settled(number.promise, text.promise)
    text.settle()
    number.settle()
    let (first, second) = try await both.value
    #expect(try first.get() == 1)
    #expect(second.failure() == TestError("text"))
  }

  @Test func cancellingTheResultCancelsUnsharedMembers() {
    let (alone, aloneResolver) = Promise<Int>.pending()
    let (shared, sharedResolver) = Promise<Int>.pending()
    let other = shared.map { $0 }
    settled([alone, shared]).cancel()
    #expect(alone.isCancelled)
    #expect(shared.isPending && other.isPending)
    aloneResolver.fulfill(1)
    sharedResolver.fulfill(1)
  }

  @Test func cancellingTheTupleCancelsItsMembers() {
    let (number, numberResolver) = Promise<Int>.pending()
    let (text, textResolver) = Promise<String>.pending()
    settled(number, text).cancel()
    #expect(number.isCancelled && text.isCancelled)
    numberResolver.fulfill(1)
    textResolver.fulfill("")
  }

  @Test(arguments: Timing.allCases)
  func duplicatePromisesAreAllowed(_ timing: Timing) async throws {
    let subject = TestPromise(Outcome.failure.result, timing)
    let both = settled([subject.promise, subject.promise])
    subject.settle()
    #expect(try await both.value.map { $0.error is TestError } == [true, true])
  }
}

@Suite(.gated)
struct RaceTests {
  @Test func anEmptyArrayRejectsWithEmpty() async {
    #expect(await race([Promise<Int>]()).result.failure() == PromiseError.empty)
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func theFirstToSettleWinsAndTheLosersAreCancelled(
    _ timing: Timing, _ outcome: Outcome
  ) async {
    let (earlier, earlierResolver) = Promise<Int>.pending()
    let (later, laterResolver) = Promise<Int>.pending()
    let winner = TestPromise(outcome.result, timing)
    let first = race([earlier, winner.promise, later])
    winner.settle()
    #expect(outcome.matches(await first.result))
    #expect(await earlier.result.error is CancellationError)
    #expect(await later.result.error is CancellationError)
    earlierResolver.fulfill(1)
    laterResolver.fulfill(1)
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func losersWithOtherConsumersAreNotCancelled(_ timing: Timing, _ outcome: Outcome) async throws {
    let (earlier, earlierResolver) = Promise<Int>.pending()
    let (later, laterResolver) = Promise<Int>.pending()
    let others = [earlier.map { $0 + 1 }, later.map { $0 + 1 }]
    let winner = TestPromise(outcome.result, timing)
    let first = race([earlier, winner.promise, later])
    winner.settle()
    #expect(outcome.matches(await first.result))
    earlierResolver.fulfill(1)
    laterResolver.fulfill(2)
    #expect(try await others[0].value == 2)
    #expect(try await others[1].value == 3)
  }

  @Test func theFirstSettledPromiseInTheArrayWins() async {
    let first = race([.rejected(TestError("first")), Promise.fulfilled(2)])
    #expect(await first.result.failure() == TestError("first"))
  }

  @Test func cancellingTheResultCancelsADuplicatePromise() {
    let (promise, resolver) = Promise<Int>.pending()
    race([promise, promise]).cancel()
    #expect(promise.isCancelled)
    resolver.fulfill(1)
  }

  @Test func aDuplicateWinnerDoesNotAffectOtherConsumers() async throws {
    let (shared, resolver) = Promise<Int>.pending()
    let other = shared.map { $0 }
    let winner = Promise.fulfilled(1)
    #expect(try await race([winner, shared, winner, shared]).value == 1)
    #expect(shared.isPending)
    resolver.fulfill(2)
    #expect(try await other.value == 2)
  }
}
