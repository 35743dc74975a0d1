import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WhenTupleTests {
  @Test(arguments: Timing.allCases)
  func valuesOfDifferentTypesKeepTheirPlaces(_ timing: Timing) async throws {
    let number = TestPromise(.success(1), timing)
    let text = TestPromise(.success("two"), timing)
    let flag = TestPromise(.success(true), timing)
    let all = when(number.promise, text.promise, flag.promise)
    flag.settle()
    text.settle()
    number.settle()
    let (one, two, three) = try await all.value
    #expect(one == 1)
    #expect(two == "two")
    #expect(three)
  }

  @Test(arguments: Timing.allCases, Outcome.rejections)
  func oneRejectionRejectsAtOnceAndCancelsTheRest(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    let (before, beforeResolver) = Promise<String>.pending()
    let (behind, behindResolver) = Promise<Bool>.pending()
    let all = when(before, subject.promise, behind)
    subject.settle()
    #expect(outcome.matches(await all.result.map { _ in 7 }))
    #expect(await before.result.error is CancellationError)
    #expect(await behind.result.error is CancellationError)
    beforeResolver.fulfill("")
    behindResolver.fulfill(true)
  }

  @Test(arguments: Timing.allCases)
  func theRestGoesOnForItsOtherConsumers(_ timing: Timing) async throws {
    let subject = TestPromise(Outcome.failure.result, timing)
    let (behind, resolver) = Promise<String>.pending()
    let other = behind.map { $0 + "!" }
    let all = when(subject.promise, behind)
    subject.settle()
    #expect(await all.result.error is TestError)
    resolver.fulfill("on")
    #expect(try await other.value == "on!")
  }

  @Test func cancellingTheResultCancelsTheMembers() {
    let (number, numberResolver) = Promise<Int>.pending()
    let (text, textResolver) = Promise<String>.pending()
    when(number, text).cancel()
    #expect(number.isCancelled)
    #expect(text.isCancelled)
    numberResolver.fulfill(1)
    textResolver.fulfill("")
  }

  @Test func theSamePromiseMayBeGivenTwice() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let both = when(promise, promise)
    resolver.fulfill(3)
    let (first, second) = try await both.value
    #expect(first == 3)
    #expect(second == 3)
  }

  @Test func theTupleComesApartInTheNextStep() async throws {
    let sum = when(Promise.fulfilled(1), Promise.fulfilled("22"))
      .then { number, text in number + text.count }
    #expect(try await sum.value == 3)
  }

  @Test func theResultCarriesTheContextOfTheFirst() async throws {
    let queue = LabelledQueue()
    let both = when(Promise.fulfilled(1).on(queue.context), Promise.fulfilled(""))
    #expect(try await both.map { _ in 0 }.then { _ in queue.isCurrent }.value)
  }
}
