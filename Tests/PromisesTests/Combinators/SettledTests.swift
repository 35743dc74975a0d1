import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SettledTests {
  @Test func noneFulfilsWithAnEmptyArray() async throws {
    #expect(try await settled([Promise<Int>]()).value.isEmpty)
  }

  @Test(arguments: Moment.allCases)
  func allOutcomesComeInTheOrderOfThePromises(_ moment: Moment) async throws {
    let outcomes: [Outcome] = [.failure, .success, .cancellation, .success]
    let subjects = outcomes.map { Subject($0.result, moment) }
    let all = settled(subjects.map(\.promise))
    for subject in subjects.reversed() { subject.ready() }
    let results = try await all.value
    #expect(results.count == 4)
    for (outcome, result) in zip(outcomes, results) { #expect(outcome.matches(result)) }
  }

  @Test func aRejectionCancelsNothing() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let all = settled([.rejected(TestError()), promise])
    #expect(all.stillPends)
    resolver.fulfill(1)
    #expect(try await all.value.map { $0.error is TestError } == [true, false])
  }

  @Test(arguments: Moment.allCases)
  func outcomesOfDifferentTypesKeepTheirPlaces(_ moment: Moment) async throws {
    let number = Subject(.success(1), moment)
    let text = Subject(Result<String, any Error>.failure(TestError("text")), moment)
    let both = settled(number.promise, text.promise)
    text.ready()
    number.ready()
    let (first, second) = try await both.value
    #expect(try first.get() == 1)
    #expect(second.failure() == TestError("text"))
  }

  @Test func cancellingTheResultCancelsTheMembersThatAreItsAlone() {
    let (alone, aloneResolver) = Promise<Int>.pending()
    let (shared, sharedResolver) = Promise<Int>.pending()
    let other = shared.map { $0 }
    settled([alone, shared]).cancel()
    #expect(alone.wasCancelled)
    #expect(shared.stillPends && other.stillPends)
    aloneResolver.fulfill(1)
    sharedResolver.fulfill(1)
  }

  @Test func cancellingTheTupleCancelsItsMembers() {
    let (number, numberResolver) = Promise<Int>.pending()
    let (text, textResolver) = Promise<String>.pending()
    settled(number, text).cancel()
    #expect(number.wasCancelled && text.wasCancelled)
    numberResolver.fulfill(1)
    textResolver.fulfill("")
  }

  @Test(arguments: Moment.allCases)
  func aPromiseMayBeInTheArrayTwice(_ moment: Moment) async throws {
    let subject = Subject(Outcome.failure.result, moment)
    let both = settled([subject.promise, subject.promise])
    subject.ready()
    #expect(try await both.value.map { $0.error is TestError } == [true, true])
  }
}
