import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct OnTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func onPassesTheOutcomeThrough(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) { $0.on(.background) }
    #expect(outcome.matches(result))
  }

  @Test(arguments: Timing.allCases)
  func theContextIsInheritedDownTheChain(_ timing: Timing) async throws {
    let queue = LabelledQueue()
    let log = Log<Bool>()
    @Sendable func note(_ value: Int) -> Int {
      log.append(queue.isCurrent)
      return value
    }
    let result = await apply(to: .success(7), timing) { promise in
      let validated: Promise<Int> = promise.on(queue.context)
        .then { note($0) }
        .map { $0 }
        .then { note($0) }
        .validate { $0 == 7 }
      return validated.thenInBackground { $0 }
        .then { Promise.fulfilled(note($0)) }
        .then { note($0) }
    }
    #expect(try result.get() == 7)
    #expect(log.entries == [true, true, true, true])
  }

  @Test(arguments: Timing.allCases)
  func recoverInheritsTheContext(_ timing: Timing) async throws {
    let queue = LabelledQueue()
    let result = await apply(to: Result<Bool, any Error>.failure(TestError()), timing) {
      $0.on(queue.context).then { $0 }.recover { _ in queue.isCurrent }
    }
    #expect(try result.get())
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func handlersUseTheContext(_ timing: Timing, _ outcome: Outcome) async {
    let queue = LabelledQueue()
    let log = Log<Bool>()
    let subject = TestPromise(outcome.result, timing)
    subject.promise.on(queue.context)
      .done { _ in log.append(queue.isCurrent) }
      .fail(policy: .allErrors) { _ in log.append(queue.isCurrent) }
      .always { _ in log.append(queue.isCurrent) }
    subject.settle()
    #expect(await log.entries(2) == [true, true])
  }

  @Test(arguments: Timing.allCases)
  func theDefaultContextIsTheMainQueue(_ timing: Timing) async throws {
    let result = await apply(to: .success(1), timing) { promise in
      promise.then { _ in isOnMainQueue }
    }
    #expect(try result.get())
  }

  @Test func theOriginalKeepsItsContext() async throws {
    let queue = LabelledQueue()
    let promise = Promise.fulfilled(1)
    _ = promise.on(queue.context)
    #expect(try await promise.then { _ in queue.isCurrent }.value == false)
  }

  @Test func cancellingTheResultCancelsTheOriginal() {
    let (promise, resolver) = Promise<Int>.pending()
    promise.on(.inline).cancel()
    #expect(promise.isCancelled)
    resolver.fulfill(1)
  }
}

/// Custom contexts that run a handler twice or synchronously.
@Suite(.gated)
struct CustomContextTests {
  private let twice = ExecutionContext.custom { handler in
    handler()
    handler()
  }

  @Test func aHandlerRunsOnceEvenIfItsContextRunsItTwice() async throws {
    let log = Log<Int>()
    let next = Promise.fulfilled(1).then(on: twice) { value -> Promise<Int> in
      log.append(value)
      return .fulfilled(value)
    }
    #expect(try await next.value == 1)
    #expect(log.entries == [1])
  }

  @Test func aSynchronousContextDoesNotOverflowTheStack() async throws {
    let atOnce = ExecutionContext.custom { handler in handler() }
    let result = Log<Int>()
    await onThread(stackSize: 512 * 1024) {
      let (promise, resolver) = Promise<Int>.pending()
      var last = promise
      for _ in 0..<20_000 { last = last.then(on: atOnce) { $0 + 1 } }
      last.done(on: .inline) { result.append($0) }
      resolver.fulfill(0)
    }
    #expect(result.entries == [20_000])
  }
}
