import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct FailTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func cancellationsAreSkippedByDefault(_ timing: Timing, _ outcome: Outcome) async {
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
  func failReceivesTheErrorInTheGivenContext(_ timing: Timing) async {
    let queue = LabelledQueue()
    let log = Log<String>()
    let subject = TestPromise(Outcome.failure.result, timing)
    subject.promise.fail(on: queue.context) { log.append("\($0) \(queue.isCurrent)") }
    subject.settle()
    #expect(await log.entries(1) == ["TestError(upstream) true"])
  }

  @Test(arguments: Timing.allCases)
  func failReturnsTheSamePromise(_ timing: Timing) async {
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
  func aMainActorHandlerSkipsCancellations(_ timing: Timing) async {
    let log = Log<String>()
    let subject = TestPromise(Outcome.cancellation.result, timing)
    subject.promise
      .fail { @MainActor _ in log.append("fail") }
      .always { @MainActor _ in log.append("end") }
    subject.settle()
    #expect(await log.entries(1) == ["end"])
  }

  @Test(arguments: Timing.allCases)
  func failOfOneTypeReceivesErrorsOfThisType(_ timing: Timing) async {
    let (log, queue) = (Log<String>(), LabelledQueue())
    let subject = TestPromise(Outcome.failure.result, timing)
    subject.promise
      .fail(PromiseError.self) { _ in log.append("another type") }
      .fail(TestError.self, on: queue.context) { log.append("\($0.name) \(queue.isCurrent)") }
    subject.settle()
    #expect(await log.entries(1) == ["upstream true"])
    _ = await subject.promise.result
    #expect(log.entries.count == 1)
  }

  @Test func failOfOneTypeSkipsCancellationsUnlessTheyAreMeant() {
    let log = Log<String>()
    Promise<Int>.rejected(CustomCancellationError(representsCancellation: true))
      .fail(CustomCancellationError.self, on: .inline) { _ in log.append("default") }
      .fail(CustomCancellationError.self, on: .inline, policy: .allErrors) { _ in log.append("all")
      }
    Promise<Int>.rejected(CancellationError())
      .fail(CancellationError.self, on: .inline) { _ in log.append("cancellation") }
    #expect(log.entries == ["all", "cancellation"])
  }

  @Test func aFailHandlerDoesNotCountAsAConsumer() async {
    let (promise, resolver) = Promise<Int>.pending()
    promise.fail { _ in }
    promise.map { $0 }.cancel()
    #expect(promise.isCancelled)
    resolver.fulfill(1)
  }

  @Test(arguments: [
    (URLError(.cancelled) as any Error, true), (URLError(.timedOut), false),
    (CocoaError(.userCancelled), true),
    (CustomCancellationError(representsCancellation: true), true),
    (CustomCancellationError(representsCancellation: false), false),
    (PromiseError.abandoned, false),
  ])
  func errorsThatRepresentACancellationAreSkipped(_ error: any Error, _ isCancellation: Bool) async
  {
    let log = Log<String>()
    Promise<Int>.rejected(error)
      .fail { _ in log.append("fail") }
      .always { _ in log.append("end") }
    #expect(await log.entries(isCancellation ? 1 : 2).first == (isCancellation ? "end" : "fail"))
  }
}

private struct CustomCancellationError: CancellationRepresenting {
  let representsCancellation: Bool
}

@Suite(.gated)
struct DoneTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func doneReceivesTheValueExactlyOnce(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<String>()
    let subject = TestPromise(outcome.result, timing)
    subject.promise.done { log.append("done \($0)") }.always { _ in log.append("end") }
    subject.settle()
    #expect(await log.entries(outcome == .success ? 2 : 1).last == "end")
    #expect(log.entries == (outcome == .success ? ["done 7", "end"] : ["end"]))
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func doneReturnsAPromiseWithTheSameOutcome(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    let promise = subject.promise
    let chains = [
      promise.done { _ in }, promise.done(on: .inline) { _ in }, promise.done { @MainActor _ in },
      promise.done { _ in }.done(on: .inline) { _ in },
    ]
    subject.settle()
    for chain in chains {
      #expect(chain !== promise)
      #expect(outcome.matches(await chain.result))
    }
  }

  @Test(arguments: Timing.allCases)
  func doneHandlersRunInAttachmentOrder(_ timing: Timing) async {
    let log = Log<Int>()
    let subject = TestPromise(.success(1), timing)
    for number in 0..<20 { subject.promise.done { _ in log.append(number) } }
    subject.settle()
    #expect(await log.entries(20) == Array(0..<20))
  }

  @Test(arguments: Timing.allCases)
  func aMainActorHandlerRunsOnTheMainActor(_ timing: Timing) async {
    let log = Log<Bool>()
    let subject = TestPromise(.success(1), timing)
    let screen = Screen()
    subject.promise.on(.background).done { @MainActor value in
      MainActor.preconditionIsolated()
      screen.number = value
      log.append(isOnMainQueue)
    }
    subject.settle()
    #expect(await log.entries(1) == [true])
    #expect(await screen.number == 1)
  }

  @Test func aDoneHandlerKeepsThePromiseFromCancellation() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    promise.done { _ in }
    promise.map { $0 }.cancel()
    #expect(promise.isPending)
    resolver.fulfill(2)
    #expect(try await promise.value == 2)
  }

  @Test func aHandlerCanAttachAnother() async {
    let log = Log<String>()
    let promise = Promise.fulfilled(1)
    promise.done { _ in
      promise.done { _ in log.append("inner") }
      log.append("outer")
    }
    #expect(await log.entries(2) == ["outer", "inner"])
  }
}

@MainActor
private final class Screen {
  var number = 0
}

@Suite(.gated)
struct AlwaysTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func alwaysReceivesTheOutcomeExactlyOnce(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<Bool>()
    let subject = TestPromise(outcome.result, timing)
    subject.promise.always { log.append(outcome.matches($0)) }
    subject.settle()
    #expect(outcome.matches(await subject.promise.result))
    #expect(await log.entries(1) == [true])
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func alwaysReturnsTheSamePromise(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    let promise = subject.promise
    #expect(promise.always { _ in } === promise)
    #expect(promise.always(on: .inline) { _ in } === promise)
    #expect(promise.always { @MainActor _ in } === promise)
    subject.settle()
    #expect(outcome.matches(await promise.result))
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func aMainActorHandlerRunsOnTheMainActor(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<Bool>()
    let subject = TestPromise(outcome.result, timing)
    subject.promise.on(.inline).always { @MainActor result in
      MainActor.preconditionIsolated()
      log.append(isOnMainQueue && outcome.matches(result))
    }
    subject.settle()
    #expect(await log.entries(1) == [true])
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func handlersOfAllKindsRunInAttachmentOrder(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<Int>()
    let subject = TestPromise(outcome.result, timing)
    for number in 0..<30 {
      switch number % 3 {
      case 0: subject.promise.always { _ in log.append(number) }
      case 1: subject.promise.always { @MainActor _ in log.append(number) }
      default:
        subject.promise.done { _ in log.append(number) }
        subject.promise.fail(policy: .allErrors) { _ in log.append(number) }
      }
    }
    subject.settle()
    #expect(await log.entries(30) == Array(0..<30))
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func alwaysMayIgnoreTheOutcome(_ timing: Timing, _ outcome: Outcome) async {
    let (log, queue) = (Log<Bool>(), LabelledQueue())
    let subject = TestPromise(outcome.result, timing)
    let promise = subject.promise
    #expect(promise.always { log.append(isOnMainQueue) } === promise)
    promise.always(on: queue.context) { log.append(queue.isCurrent) }
    subject.settle()
    #expect(await log.entries(2) == [true, true])
  }

  @Test func cancelReachesAlways() async {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<Bool>()
    promise.always(on: .inline) { log.append($0.error is CancellationError) }
    promise.cancel()
    promise.cancel()
    resolver.fulfill(1)
    #expect(log.entries == [true])
  }
}
