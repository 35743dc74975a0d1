import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct CreationTests {
  @Test func fulfilledIsFulfilledImmediately() {
    guard case .fulfilled(3) = Promise.fulfilled(3).state else {
      return #expect(Bool(false), "not fulfilled")
    }
  }

  @Test func rejectedIsRejectedImmediately() async {
    let promise = Promise<Int>.rejected(TestError("born"))
    #expect(!promise.isPending)
    #expect(await promise.result.failure() == TestError("born"))
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func aResolverSettlesItsPromise(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    let promise = Promise<Int> { resolver in
      subject.promise.always(on: .inline) { resolver.resolve($0) }
    }
    subject.settle()
    #expect(outcome.matches(await promise.result))
  }

  @Test func theBodyWithAResolverRunsSynchronously() {
    var hasRun = false
    let promise = Promise<Int> { resolver in
      hasRun = true
      resolver.fulfill(1)
    }
    #expect(hasRun && !promise.isPending)
  }

  @Test func aThrowingBodyWithAResolverRejects() async {
    let promise = Promise<Int> { _ in throw TestError("start") }
    #expect(await promise.result.failure() == TestError("start"))
  }

  @Test func anErrorThrownAfterTheResolverWasUsedIsIgnored() async throws {
    let promise = Promise<Int> { resolver in
      resolver.fulfill(1)
      throw TestError()
    }
    #expect(try await promise.value == 1)
  }

  @Test func fulfilledWithoutAValueIsFulfilled() {
    #expect(Promise<Void>.fulfilled().isFulfilled)
    let promise: Promise<Void> = .fulfilled()
    #expect(promise.isFulfilled)
  }

  // MARK: Two closures

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func twoClosuresSettleThePromise(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    let promise = Promise<Int> { fulfill, reject in
      subject.promise.done(on: .inline, fulfill).fail(on: .inline, policy: .allErrors, reject)
    }
    subject.settle()
    #expect(outcome.matches(await promise.result))
  }

  @Test func aThrowingBodyWithTwoClosuresRejects() async {
    let promise = Promise<Int> { _, _ in throw TestError("start") }
    #expect(await promise.result.failure() == TestError("start"))
  }

  @Test func twoReleasedClosuresRejectWithAbandoned() async {
    let promise = Promise<Int> { _, _ in }
    #expect(await promise.result.failure() == PromiseError.abandoned)
  }

  @Test func aReleasedResolverRejectsWithAbandoned() async {
    let promise = Promise<Int>.pending().promise
    #expect(await promise.result.failure() == PromiseError.abandoned)
  }

  @Test func aPlainBodyRunsSynchronouslyEvenInAsyncCode() async throws {
    @Sendable func number() throws -> Int { 4 }
    let promise = Promise { try number() }
    guard case .fulfilled(4) = promise.state else { return #expect(Bool(false), "not at once") }
    #expect(try await promise.value == 4)
  }

  @Test func anErrorThrownByAPlainBodyRejects() async {
    @Sendable func number() throws -> Int { throw TestError("plain") }
    #expect(await Promise { try number() }.result.failure() == TestError("plain"))
  }

  @Test func aBodyRunsInTheGivenContextAndThePromiseDeliversOnMain() async throws {
    let queue = LabelledQueue()
    let promise = Promise(on: queue.context) { queue.isCurrent }
    #expect(try await promise.value)
    #expect(try await promise.then { _ in isOnMainQueue }.value)
  }

  @Test(arguments: Outcome.allCases)
  func aBodyInAContextMayReturnAPromise(_ outcome: Outcome) async {
    let (queue, log) = (LabelledQueue(), Log<Bool>())
    let subject = TestPromise(outcome.result, .eventual)
    let promise = Promise(on: queue.context) {
      log.append(queue.isCurrent)
      return subject.promise
    }
    let first = firstly(on: queue.context) {
      log.append(queue.isCurrent)
      return subject.promise
    }
    subject.settle()
    #expect(outcome.matches(await promise.result))
    #expect(outcome.matches(await first.result))
    #expect(log.entries == [true, true])
    let settled: Promise<Int> = promise
    withExtendedLifetime(settled) {}
  }

  @Test func anErrorThrownByABodyInAContextRejects() async {
    let promise = Promise<Int>(on: .background) { () -> Promise<Int> in throw TestError("body") }
    #expect(await promise.result.failure() == TestError("body"))
    let first = firstly(on: .inline) { () -> Promise<Int> in throw TestError("first") }
    #expect(first.currentError as? TestError == TestError("first"))
    first.fail(on: .inline) { _ in }
  }

  @Test func aBodyInAContextMayReceiveAResolverOrTwoClosures() async throws {
    let queue = LabelledQueue()
    let resolved = Promise<Bool>(on: queue.context) { resolver in resolver.fulfill(queue.isCurrent)
    }
    #expect(try await resolved.value)
    let fulfilled = Promise<Bool>(on: queue.context) { fulfill, _ in fulfill(queue.isCurrent) }
    #expect(try await fulfilled.value)
    let rejected = Promise<Bool>(on: queue.context) { _, reject in reject(TestError("no")) }
    #expect(await rejected.result.failure() == TestError("no"))
  }

  @Test func bodiesInAContextThatDropsThemRejectWithAbandoned() async {
    let drop = ExecutionContext.custom { _ in }
    let promises = [
      Promise(on: drop) { 1 }, Promise(on: drop) { Promise.fulfilled(1) },
      Promise(on: drop) { (resolver: Resolver<Int>) in resolver.fulfill(1) },
      Promise<Int>(on: drop) { fulfill, _ in fulfill(1) },
    ]
    for promise in promises {
      #expect(await promise.result.failure() == PromiseError.abandoned)
    }
  }

  @Test func aBodyWithAResolverCancelledBeforeItBeginsNeverRuns() async {
    let sent = Log<@Sendable () -> Void>()
    let log = Log<String>()
    let promise = Promise<Int>(on: .custom { sent.append($0) }) { resolver in
      log.append("ran")
      resolver.fulfill(1)
    }
    promise.cancel()
    for job in await sent.entries(1) { job() }
    #expect(promise.isCancelled)
    #expect(log.entries.isEmpty)
  }

  @Test func aBodyCancelledBeforeItBeginsNeverRuns() async {
    let sent = Log<@Sendable () -> Void>()
    let log = Log<String>()
    let promise = Promise(on: .custom { sent.append($0) }) { log.append("ran") }
    promise.cancel()
    for job in await sent.entries(1) { job() }
    #expect(promise.isCancelled)
    #expect(log.entries.isEmpty)
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func anAsyncBodyIsAwaited(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    let promise = Promise { try await subject.promise.value }
    subject.settle()
    #expect(outcome.matches(await promise.result))
  }
}
