import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WhenArrayTests {
  @Test func noneFulfilsWithAnEmptyArray() async throws {
    #expect(try await when([Promise<Int>]()).value == [])
  }

  @Test(arguments: Moment.allCases)
  func valuesKeepTheOrderOfThePromises(_ moment: Moment) async throws {
    let subjects = (0..<5).map { Subject(.success($0), moment) }
    let all = when(subjects.map(\.promise))
    for subject in subjects.reversed() { subject.ready() }
    #expect(try await all.value == [0, 1, 2, 3, 4])
  }

  @Test func itWaitsForTheLast() async throws {
    let pairs = (0..<3).map { _ in Promise<Int>.pending() }
    let all = when(pairs.map(\.promise))
    pairs[2].resolver.fulfill(2)
    pairs[0].resolver.fulfill(0)
    #expect(all.stillPends)
    pairs[1].resolver.fulfill(1)
    #expect(try await all.value == [0, 1, 2])
  }

  @Test(arguments: Moment.allCases, Outcome.rejections)
  func oneRejectionRejectsAtOnceAndCancelsTheRest(_ moment: Moment, _ outcome: Outcome) async {
    let subject = Subject(outcome.result, moment)
    let (before, beforeResolver) = Promise<Int>.pending()
    let (behind, behindResolver) = Promise<Int>.pending()
    let all = when([before, subject.promise, behind])
    subject.ready()
    #expect(outcome.matches(await all.result.map { _ in 7 }))
    #expect(await before.result.error is CancellationError)
    #expect(await behind.result.error is CancellationError)
    beforeResolver.fulfill(1)
    behindResolver.fulfill(1)
  }

  @Test(arguments: Moment.allCases)
  func theRestGoesOnForItsOtherConsumers(_ moment: Moment) async throws {
    let subject = Subject(Outcome.failure.result, moment)
    let (before, beforeResolver) = Promise<Int>.pending()
    let (behind, behindResolver) = Promise<Int>.pending()
    let others = [before.map { $0 + 1 }, behind.map { $0 + 1 }]
    let all = when([before, subject.promise, behind])
    subject.ready()
    #expect(await all.result.failure() == TestError("upstream"))
    beforeResolver.fulfill(1)
    behindResolver.fulfill(2)
    #expect(try await others[0].value == 2)
    #expect(try await others[1].value == 3)
  }

  @Test func cancellingTheResultCancelsTheMembersThatAreItsAlone() async throws {
    let (alone, aloneResolver) = Promise<Int>.pending()
    let (shared, sharedResolver) = Promise<Int>.pending()
    let other = shared.map { $0 }
    when([alone, shared]).cancel()
    #expect(alone.wasCancelled)
    #expect(shared.stillPends)
    sharedResolver.fulfill(5)
    #expect(try await other.value == 5)
    aloneResolver.fulfill(1)
  }

  @Test(arguments: Moment.allCases)
  func aPromiseMayBeInTheArrayTwice(_ moment: Moment) async throws {
    let subject = Subject(.success(4), moment)
    let all = when([subject.promise, subject.promise])
    subject.ready()
    #expect(try await all.value == [4, 4])
  }

  @Test func aPromiseInTheArrayTwiceIsCancelledWithTheResult() {
    let (promise, resolver) = Promise<Int>.pending()
    when([promise, promise]).cancel()
    #expect(promise.wasCancelled)
    resolver.fulfill(1)
  }

  @Test func aPromiseInTheArrayTwiceGoesOnForItsOtherConsumer() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let other = promise.map { $0 }
    when([promise, promise]).cancel()
    #expect(promise.stillPends)
    resolver.fulfill(1)
    #expect(try await other.value == 1)
  }

  @Test func theResultCarriesTheContextOfTheFirst() async throws {
    let queue = LabelledQueue()
    let all = when([Promise.fulfilled(1).on(queue.context), .fulfilled(2)])
    #expect(try await all.then { _ in queue.isCurrent }.value)
  }

  @Test func membersMaySettleOnManyThreads() async throws {
    let pairs = (0..<1_000).map { _ in Promise<Int>.pending() }
    let all = when(pairs.map(\.promise))
    await onThreads(4) { thread in
      for index in stride(from: thread, to: 1_000, by: 4) { pairs[index].resolver.fulfill(index) }
    }
    #expect(try await all.value == Array(0..<1_000))
  }
}
