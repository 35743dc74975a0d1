import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct ThenTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func aStepWithAValueTransformsOnlyTheValue(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<Int>()
    let result = await apply(to: outcome.result, timing) { promise in
      promise.then { value -> String in
        log.append(value)
        return "\(value)"
      }
    }
    #expect(log.entries == (outcome == .success ? [7] : []))
    switch outcome {
    case .success: #expect((try? result.get()) == "7")
    case .failure: #expect(result.failure() == TestError("upstream"))
    case .cancellation: #expect(result.error is CancellationError)
    }
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func aStepWithAPromiseSettlesLikeThatPromise(_ timing: Timing, _ inner: Outcome) async {
    let result = await apply(to: .success(1), inner: inner.result, timing) { promise, inner in
      promise.then { _ in inner }
    }
    #expect(inner.matches(result))
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func anAsyncStepIsAwaited(_ timing: Timing, _ inner: Outcome) async {
    let result = await apply(to: .success(1), inner: inner.result, timing) { promise, inner in
      promise.then { _ in try await inner.value }
    }
    #expect(inner.matches(result))
  }

  @Test(arguments: Timing.allCases, Outcome.rejections)
  func anAsyncStepIsSkippedAfterARejection(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<Int>()
    @Sendable func asyncStep(_ value: Int) async throws -> Int {
      log.append(value)
      return value
    }
    let result = await apply(to: outcome.result, timing) { promise in
      promise.then { value in try await asyncStep(value) }
    }
    #expect(outcome.matches(result))
    #expect(log.entries.isEmpty)
  }

  @Test(arguments: Timing.allCases)
  func theStepRunsInTheGivenContext(_ timing: Timing) async throws {
    let queue = LabelledQueue()
    let result = await apply(to: .success(1), timing) { promise in
      promise.then(on: queue.context) { _ in queue.isCurrent }
        .then { isThere in isThere && !queue.isCurrent }
    }
    #expect(try result.get())
  }

  @Test(arguments: Timing.allCases)
  func aPromiseReturnedFromAnotherContextIsAdopted(_ timing: Timing) async throws {
    let queue = LabelledQueue()
    let result = await apply(to: .success(1), timing) { promise in
      promise.then(on: queue.context) { _ in
        queue.isCurrent ? Promise.fulfilled("there") : .rejected(TestError())
      }
    }
    #expect(try result.get() == "there")
  }

  @Test func theStepOfACancelledPromiseNeverRuns() async {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<String>()
    promise.done(on: .inline) { _ in log.append("other") }
    let next = promise.then(on: .inline) { _ in log.append("cancelled") }
    next.cancel()
    resolver.fulfill(1)
    #expect(await next.result.error is CancellationError)
    #expect(log.entries == ["other"])
  }

  @Test func aStepCancelledWhileQueuedInItsContextIsSkipped() async {
    let log = Log<String>()
    let sent = Log<@Sendable () -> Void>()
    let next = Promise.fulfilled(1).then(on: .custom { sent.append($0) }) { _ in
      log.append("ran")
    }
    next.cancel()
    for job in await sent.entries(1) { job() }
    #expect(next.isCancelled)
    #expect(log.entries.isEmpty)
  }

  @Test func cancellationCancelsThePendingReturnedPromise() {
    let (inner, resolver) = Promise<Int>.pending()
    let next = Promise.fulfilled(1).then(on: .inline) { _ in inner }
    #expect(next.isPending)
    next.cancel()
    #expect(inner.isCancelled)
    resolver.fulfill(1)
  }
}

@Suite(.gated)
struct ThenInBackgroundTests {
  @Test(arguments: Timing.allCases)
  func theStepRunsOffTheMainThread(_ timing: Timing) async throws {
    let result = await apply(to: .success(1), timing) { promise in
      promise.thenInBackground { _ in isOnMainQueue }
    }
    #expect(try result.get() == false)
  }

  @Test(arguments: Timing.allCases)
  func theNextStepRunsInTheContextOfThePromise(_ timing: Timing) async throws {
    let result = await apply(to: .success(1), timing) { promise in
      promise.thenInBackground { $0 + 1 }.then { _ in isOnMainQueue }
    }
    #expect(try result.get())
    let queue = LabelledQueue()
    let onQueue = await apply(to: .success(1), timing) { promise in
      promise.on(queue.context).thenInBackground { _ in !queue.isCurrent }
        .then { wasAway in wasAway && queue.isCurrent }
    }
    #expect(try onQueue.get())
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func aReturnedPromiseIsAdopted(_ timing: Timing, _ inner: Outcome) async {
    let result = await apply(to: .success(1), inner: inner.result, timing) { promise, inner in
      promise.thenInBackground { _ in inner }
    }
    #expect(inner.matches(result))
  }

  @Test(arguments: Timing.allCases, Outcome.rejections)
  func aRejectionPassesThrough(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) { promise in
      promise.thenInBackground { _ in 0 }
    }
    #expect(outcome.matches(result))
  }

  @Test func anErrorThrownByTheStepRejects() async {
    let next = Promise.fulfilled(1).thenInBackground { _ -> Int in throw TestError("background") }
    #expect(await next.result.failure() == TestError("background"))
  }
}

@Suite(.gated)
struct FirstlyTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func firstlyReturnsThePromiseOfItsBody(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    let promise = firstly { subject.promise }
    #expect(promise === subject.promise)
    subject.settle()
    #expect(outcome.matches(await promise.result))
  }

  @Test func anErrorThrownByFirstlyRejects() async {
    let promise = firstly { () -> Promise<Int> in throw TestError("early") }
    #expect(await promise.result.failure() == TestError("early"))
  }

  @Test func firstlyRunsSynchronously() {
    var hasRun = false
    _ = firstly {
      hasRun = true
      return Promise.fulfilled(1)
    }
    #expect(hasRun)
  }
}
