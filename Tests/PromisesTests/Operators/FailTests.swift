import Foundation
import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FailTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func cancellationsAreSkippedUnlessAskedFor(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<String>()
    let subject = TestPromise(outcome.result, timing)
    subject.promise
      .fail { _ in log.append("default") }
      .fail(policy: .allErrorsExceptCancellation) { _ in log.append("except") }
      .fail(policy: .allErrors) { _ in log.append("all") }
      .always { _ in log.append("end") }
    subject.settle()
    let expected: [String] =
      switch outcome {
      case .success: ["end"]
      case .failure: ["default", "except", "all", "end"]
      case .cancellation: ["all", "end"]
      }
    #expect(await log.entries(expected.count) == expected)
  }

  @Test(arguments: Timing.allCases)
  func failGetsTheErrorInTheContextItNames(_ timing: Timing) async {
    let queue = LabelledQueue()
    let log = Log<String>()
    let subject = TestPromise(Outcome.failure.result, timing)
    subject.promise.fail(on: queue.context) { log.append("\($0) \(queue.isCurrent)") }
    subject.settle()
    #expect(await log.entries(1) == ["TestError(upstream) true"])
  }

  @Test(arguments: Timing.allCases)
  func failReturnsTheVerySamePromise(_ timing: Timing) async {
    let subject = TestPromise(Outcome.failure.result, timing)
    let promise = subject.promise
    #expect(promise.fail { _ in } === promise)
    #expect(promise.fail(on: .inline, policy: .allErrors) { _ in } === promise)
    #expect(promise.fail { @MainActor _ in } === promise)
    subject.settle()
    #expect(await promise.result.failure() == TestError("upstream"))
  }

  @Test(arguments: Timing.allCases, Outcome.rejections)
  func aMainActorHandlerRunsOnTheMainActor(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<Bool>()
    let subject = TestPromise(outcome.result, timing)
    subject.promise.on(.background)
      .fail(policy: .allErrors) { @MainActor error in
        MainActor.preconditionIsolated()
        log.append(isOnMainQueue)
      }
    subject.settle()
    #expect(await log.entries(1) == [true])
  }

  @Test(arguments: Timing.allCases)
  func aMainActorHandlerSkipsCancellationsToo(_ timing: Timing) async {
    let log = Log<String>()
    let subject = TestPromise(Outcome.cancellation.result, timing)
    subject.promise
      .fail { @MainActor _ in log.append("fail") }
      .always { @MainActor _ in log.append("end") }
    subject.settle()
    #expect(await log.entries(1) == ["end"])
  }

  @Test func aFailHandlerKeepsNoWorkAlive() async {
    let (promise, resolver) = Promise<Int>.pending()
    promise.fail { _ in }
    promise.map { $0 }.cancel()
    #expect(promise.isCancelled)
    resolver.fulfill(1)
  }

  @Test(arguments: [
    (URLError(.cancelled) as any Error, true), (URLError(.timedOut), false),
    (CocoaError(.userCancelled), true), (OwnError(representsCancellation: true), true),
    (OwnError(representsCancellation: false), false), (PromiseError.abandoned, false),
  ])
  func whatCountsAsACancellationIsSkipped(_ error: any Error, _ isCancellation: Bool) async {
    let log = Log<String>()
    Promise<Int>.rejected(error)
      .fail { _ in log.append("fail") }
      .always { _ in log.append("end") }
    #expect(await log.entries(isCancellation ? 1 : 2).first == (isCancellation ? "end" : "fail"))
  }
}

private struct OwnError: CancellationRepresenting {
  let representsCancellation: Bool
}
