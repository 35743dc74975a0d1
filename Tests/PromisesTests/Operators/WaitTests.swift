import Foundation
import Promises
import TestGate
import TestSupport
import Testing

/// `wait(timeout:)` on threads other than the main thread.
@Suite(.gated)
struct WaitTests {
  private func waitOnThread<Value: Sendable>(
    for promise: Promise<Value>, timeout: Duration? = nil
  ) async -> Result<Value, any Error> {
    let log = Log<Result<Value, any Error>>()
    await onThread(stackSize: 1 << 20) {
      log.append(Result { try promise.wait(timeout: timeout) })
    }
    return log.entries[0]
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func waitReturnsOrThrowsTheOutcome(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    async let result = waitOnThread(for: subject.promise)
    subject.settle()
    #expect(outcome.matches(await result))
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func anOutcomeBeforeTheTimeoutIsReturned(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    async let result = waitOnThread(for: subject.promise, timeout: .seconds(3_600))
    subject.settle()
    #expect(outcome.matches(await result))
  }

  @Test(arguments: [Duration.zero, .seconds(-1), .milliseconds(1)])
  func aTimeoutThrowsAndCancelsThePromise(_ timeout: Duration) async {
    let (promise, resolver) = Promise<Int>.pending()
    let result = await waitOnThread(for: promise, timeout: timeout)
    #expect(result.failure() == PromiseError.timedOut)
    #expect(promise.isCancelled)
    resolver.fulfill(1)
  }

  @Test func aTimeoutDoesNotCancelASharedPromise() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let other = promise.map { $0 }
    let result = await waitOnThread(for: promise, timeout: .zero)
    #expect(result.failure() == PromiseError.timedOut)
    #expect(promise.isPending)
    resolver.fulfill(4)
    #expect(try await other.value == 4)
  }

  @Test(arguments: [Duration.zero, .seconds(-1)], Outcome.allCases)
  func aTimeoutOfZeroReturnsTheOutcomeOfASettledPromise(_ timeout: Duration, _ outcome: Outcome)
    async
  {
    let promise = TestPromise(outcome.result, .settled).promise
    #expect(outcome.matches(await waitOnThread(for: promise, timeout: timeout)))
  }

  @Test func anUnrepresentableTimeoutWaitsWithoutLimit() async throws {
    let subject = TestPromise(.success(1), .eventual)
    async let result = waitOnThread(for: subject.promise, timeout: .seconds(Int64.max))
    subject.settle()
    #expect(try await result.get() == 1)
  }

  @Test func cancellationEndsAWait() async {
    let (promise, resolver) = Promise<Int>.pending()
    let (waiting, waits) = Promise<Void>.pending()
    let log = Log<Bool>()
    async let thread: Void = onThread(stackSize: 1 << 20) {
      waits.fulfill(())
      log.append(Result { try promise.wait() }.error is CancellationError)
    }
    _ = await waiting.result
    promise.cancel()
    await thread
    #expect(log.entries == [true])
    resolver.fulfill(1)
  }

  @Test func aWaitInAnInlineHandlerRunsTheQueuedHandlers() async {
    let log = Log<String>()
    await onThread(stackSize: 1 << 20) {
      let (promise, resolver) = Promise<Int>.pending()
      let later = promise.map { $0 + 1 }
      promise.done(on: .inline) { _ in
        let behind = Promise.fulfilled(1).then(on: .inline) { Promise.fulfilled($0) }
        log.append("\(Result { try behind.wait() })")
      }
      resolver.fulfill(1)
      log.append("\(Result { try later.wait() })")
    }
    #expect(log.entries == ["success(1)", "success(2)"])
  }
}

#if os(Linux) || os(macOS)
  /// `wait(timeout:)` on the main thread, in a separate program because tests never run there.
  @Suite(.gated)
  struct MainThreadWaitTests {
    @Test func waitsOnTheMainThreadRunTheMainQueueWithoutDelayEvenInAnInlineHandler() async throws {
      let end = try await ChildProcess(worker: "main-thread-waits").end
      #expect(end.status == .exited(0))
      #expect(
        end.output == """
          a wait does not poll
          in an inline handler: success(3)
          handled 1
          waited for 1

          """)
    }
  }
#endif
