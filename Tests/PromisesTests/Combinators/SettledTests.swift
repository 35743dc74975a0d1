import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SettledTests {
  @Test func noneFulfilsWithAnEmptyArray() async throws {
    #expect(try await settled([Promise<Int>]()).value.isEmpty)
  }

  @Test(arguments: Timing.allCases)
  func allOutcomesComeInTheOrderOfThePromises(_ timing: Timing) async throws {
    let outcomes: [Outcome] = [.failure, .success, .cancellation, .success]
    let subjects = outcomes.map { TestPromise($0.result, timing) }
    let all = settled(subjects.map(\.promise))
    for subject in subjects.reversed() { subject.settle() }
    let results = try await all.value
    #expect(results.count == 4)
    for (outcome, result) in zip(outcomes, results) { #expect(outcome.matches(result)) }
  }

  @Test func aRejectionCancelsNothing() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let all = settled([.rejected(TestError()), promise])
    #expect(all.isPending)
    resolver.fulfill(1)
    #expect(try await all.value.map { $0.error is TestError } == [true, false])
  }

  @Test(arguments: Timing.allCases)
  func outcomesOfDifferentTypesKeepTheirPlaces(_ timing: Timing) async throws {
    let number = TestPromise(.success(1), timing)
    let text = TestPromise(Result<String, any Error>.failure(TestError("text")), timing)
    let both = settled(number.promise, text.promise)
    text.settle()
    number.settle()
    let (first, second) = try await both.value
    #expect(try first.get() == 1)
    #expect(second.failure() == TestError("text"))
  }

  @Test func cancellingTheResultCancelsTheMembersThatAreItsAlone() {
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
  func aPromiseMayBeInTheArrayTwice(_ timing: Timing) async throws {
    let subject = TestPromise(Outcome.failure.result, timing)
    let both = settled([subject.promise, subject.promise])
    subject.settle()
    #expect(try await both.value.map { $0.error is TestError } == [true, true])
  }
}
