import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
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
