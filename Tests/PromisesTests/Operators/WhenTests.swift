import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct WhenArrayTests {
  @Test func anEmptyArrayFulfilsWithAnEmptyArray() async throws {
    #expect(try await when([Promise<Int>]()).value == [])
  }

  @Test(arguments: Timing.allCases)
  func valuesKeepTheOrderOfThePromises(_ timing: Timing) async throws {
    let subjects = (0..<5).map { TestPromise(.success($0), timing) }
    let combined = when(subjects.map(\.promise))
    for subject in subjects.reversed() { subject.settle() }
    #expect(try await combined.value == [0, 1, 2, 3, 4])
  }

  @Test func theResultWaitsForAllPromises() async throws {
    let pairs = (0..<3).map { _ in Promise<Int>.pending() }
    let combined = when(pairs.map(\.promise))
    pairs[2].resolver.fulfill(2)
    pairs[0].resolver.fulfill(0)
    #expect(combined.isPending)
    pairs[1].resolver.fulfill(1)
    #expect(try await combined.value == [0, 1, 2])
  }

  @Test(arguments: Timing.allCases, Outcome.rejections)
  func aRejectionRejectsImmediatelyAndCancelsTheRest(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    let (earlier, earlierResolver) = Promise<Int>.pending()
    let (later, laterResolver) = Promise<Int>.pending()
    let combined = when([earlier, subject.promise, later])
    subject.settle()
    #expect(outcome.matches(await combined.result.map { _ in 7 }))
    #expect(await earlier.result.error is CancellationError)
    #expect(await later.result.error is CancellationError)
    earlierResolver.fulfill(1)
    laterResolver.fulfill(1)
  }

  @Test(arguments: Timing.allCases)
  func aRejectionKeepsMembersWithOtherConsumers(_ timing: Timing) async throws {
    let subject = TestPromise(Outcome.failure.result, timing)
    let (earlier, earlierResolver) = Promise<Int>.pending()
    let (later, laterResolver) = Promise<Int>.pending()
    let others = [earlier.map { $0 + 1 }, later.map { $0 + 1 }]
    let combined = when([earlier, subject.promise, later])
    subject.settle()
    #expect(await combined.result.failure() == TestError("upstream"))
    earlierResolver.fulfill(1)
    laterResolver.fulfill(2)
    #expect(try await others[0].value == 2)
    #expect(try await others[1].value == 3)
  }

  @Test func cancellingTheResultCancelsUnsharedMembers() async throws {
    let (alone, aloneResolver) = Promise<Int>.pending()
    let (shared, sharedResolver) = Promise<Int>.pending()
    let other = shared.map { $0 }
    when([alone, shared]).cancel()
    #expect(alone.isCancelled)
    #expect(shared.isPending)
    sharedResolver.fulfill(5)
    #expect(try await other.value == 5)
    aloneResolver.fulfill(1)
  }

  @Test(arguments: Timing.allCases)
  func duplicatePromisesAreAllowed(_ timing: Timing) async throws {
    let subject = TestPromise(.success(4), timing)
    let combined = when([subject.promise, subject.promise])
    subject.settle()
    #expect(try await combined.value == [4, 4])
  }

  @Test func cancellingTheResultCancelsADuplicatePromise() {
    let (promise, resolver) = Promise<Int>.pending()
    when([promise, promise]).cancel()
    #expect(promise.isCancelled)
    resolver.fulfill(1)
  }

  @Test func aDuplicatePromiseWithAnotherConsumerIsNotCancelled() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let other = promise.map { $0 }
    when([promise, promise]).cancel()
    #expect(promise.isPending)
    resolver.fulfill(1)
    #expect(try await other.value == 1)
  }

  @Test func theResultHasTheContextOfTheFirstPromise() async throws {
    let queue = LabelledQueue()
    let combined = when([Promise.fulfilled(1).on(queue.context), .fulfilled(2)])
    #expect(try await combined.then { _ in queue.isCurrent }.value)
  }

  @Test func membersCanSettleOnManyThreads() async throws {
    let pairs = (0..<1_000).map { _ in Promise<Int>.pending() }
    let combined = when(pairs.map(\.promise))
    await onThreads(4) { thread in
      for index in stride(from: thread, to: 1_000, by: 4) { pairs[index].resolver.fulfill(index) }
    }
    #expect(try await combined.value == Array(0..<1_000))
  }
}

@Suite(.gated)
struct WhenTupleTests {
  @Test(arguments: Timing.allCases)
  func valuesOfDifferentTypesKeepTheirPositions(_ timing: Timing) async throws {
    let number = TestPromise(.success(1), timing)
    let text = TestPromise(.success("two"), timing)
    let flag = TestPromise(.success(true), timing)
    let combined = when(number.promise, text.promise, flag.promise)
    flag.settle()
    text.settle()
    number.settle()
    let (one, two, three) = try await combined.value
    #expect(one == 1)
    #expect(two == "two")
    #expect(three)
  }

  @Test(arguments: Timing.allCases, Outcome.rejections)
  func aRejectionRejectsImmediatelyAndCancelsTheRest(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    let (earlier, earlierResolver) = Promise<String>.pending()
    let (later, laterResolver) = Promise<Bool>.pending()
    let combined = when(earlier, subject.promise, later)
    subject.settle()
    #expect(outcome.matches(await combined.result.map { _ in 7 }))
    #expect(await earlier.result.error is CancellationError)
    #expect(await later.result.error is CancellationError)
    earlierResolver.fulfill("")
    laterResolver.fulfill(true)
  }

  @Test func aRejectionOfOneOfManyRejectsImmediately() async throws {
    let (open, openResolver) = Promise<Int>.pending()
    let failed = Promise<Int>.rejected(TestError("one"))
    // Keeps the promise from being cancelled with the first combination.
    let kept = open.map(on: .inline) { $0 }
    let combinations = [
      when(open, open, open, failed).asVoid(), when(open, open, open, open, failed).asVoid(),
      when(open, open, open, open, open, failed).asVoid(),
      when(open, open, open, open, open, open, failed).asVoid(),
      when(open, open, open, open, open, open, open, failed).asVoid(),
    ]
    for combined in combinations { #expect(await combined.result.failure() == TestError("one")) }
    openResolver.fulfill(1)
    #expect(try await kept.value == 1)
  }

  @Test(arguments: Timing.allCases)
  func aRejectionKeepsMembersWithOtherConsumers(_ timing: Timing) async throws {
    let subject = TestPromise(Outcome.failure.result, timing)
    let (later, resolver) = Promise<String>.pending()
    let other = later.map { $0 + "!" }
    let combined = when(subject.promise, later)
    subject.settle()
    #expect(await combined.result.error is TestError)
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

  @Test func duplicatePromisesAreAllowed() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let both = when(promise, promise)
    resolver.fulfill(3)
    let (first, second) = try await both.value
    #expect(first == 3)
    #expect(second == 3)
  }

  @Test func theNextStepDestructuresTheTuple() async throws {
    let sum = when(Promise.fulfilled(1), Promise.fulfilled("22"))
      .then { number, text in number + text.count }
    #expect(try await sum.value == 3)
  }

  @Test func theResultHasTheContextOfTheFirstPromise() async throws {
    let queue = LabelledQueue()
    let both = when(Promise.fulfilled(1).on(queue.context), Promise.fulfilled(""))
    #expect(try await both.map { _ in 0 }.then { _ in queue.isCurrent }.value)
  }
}
