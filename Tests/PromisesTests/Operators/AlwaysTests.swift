import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AlwaysTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func alwaysGetsTheOutcomeExactlyOnce(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<Bool>()
    let subject = TestPromise(outcome.result, timing)
    subject.promise.always { log.append(outcome.matches($0)) }
    subject.settle()
    #expect(outcome.matches(await subject.promise.result))
    #expect(await log.entries(1) == [true])
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func alwaysReturnsTheVerySamePromise(_ timing: Timing, _ outcome: Outcome) async {
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
  func handlersOfAllKindsRunInTheOrderAttached(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<Int>()
    let subject = TestPromise(outcome.result, timing)
    for number in 0..<30 {
      switch number % 3 {
      case 0: subject.promise.always { _ in log.append(number) }
      case 1: subject.promise.always { @MainActor _ in log.append(number) }
      default:
        subject.promise.done { _ in log.append(number) }
          .fail(policy: .allErrors) { _ in log.append(number) }
      }
    }
    subject.settle()
    #expect(await log.entries(30) == Array(0..<30))
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
