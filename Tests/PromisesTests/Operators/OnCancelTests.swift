import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct OnCancelTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func theHandlerRunsOnceAfterACancellationOnly(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<String>()
    let subject = TestPromise(outcome.result, timing)
    subject.promise
      .done { _ in log.append("done") }
      .fail { _ in log.append("fail") }
      .onCancel { log.append("cancel") }
      .always { log.append("end") }
    subject.settle()
    let expected: [String] =
      switch outcome {
      case .success: ["done", "end"]
      case .failure: ["fail", "end"]
      case .cancellation: ["cancel", "end"]
      }
    #expect(await log.entries(2) == expected)
  }

  @Test(arguments: Timing.allCases)
  func handlersOfFailAndOnCancelRunInAttachmentOrder(_ timing: Timing) async {
    let log = Log<Int>()
    let subject = TestPromise(Outcome.cancellation.result, timing)
    for number in 0..<20 {
      if number.isMultiple(of: 2) {
        subject.promise.onCancel { log.append(number) }
      } else {
        subject.promise.fail(policy: .allErrors) { _ in log.append(number) }
      }
    }
    subject.settle()
    #expect(await log.entries(20) == Array(0..<20))
  }

  @Test(arguments: Timing.allCases)
  func theHandlerRunsInTheGivenContext(_ timing: Timing) async {
    let (log, queue) = (Log<Bool>(), LabelledQueue())
    let subject = TestPromise(Outcome.cancellation.result, timing)
    subject.promise.onCancel(on: queue.context) { log.append(queue.isCurrent) }
    subject.settle()
    #expect(await log.entries(1) == [true])
  }

  @Test func theSamePromiseIsReturned() {
    let promise = Promise<Int>.fulfilled(1)
    #expect(promise.onCancel {} === promise && promise.onCancel(on: .inline) {} === promise)
  }

  @Test func cancellingThePromiseOrItsLastDerivedPromiseRunsTheHandler() {
    let log = Log<String>()
    let (first, firstResolver) = Promise<Int>.pending()
    first.onCancel(on: .inline) { log.append("first") }
    first.cancel()
    first.cancel()
    firstResolver.fulfill(1)
    #expect(log.entries == ["first"])
    let (second, secondResolver) = Promise<Int>.pending()
    second.onCancel(on: .inline) { log.append("second") }
    // The handler is not a consumer, so the derived promise is the only one.
    second.map { $0 }.onCancel(on: .inline) { log.append("derived") }.cancel()
    secondResolver.fulfill(1)
    #expect(log.entries == ["first", "derived", "second"])
  }

  @Test(arguments: [
    (URLError(.cancelled) as any Error, 1), (CocoaError(.userCancelled), 1),
    (URLError(.timedOut), 0), (PromiseError.abandoned, 0),
  ])
  func errorsThatRepresentACancellationRunTheHandler(_ error: any Error, _ count: Int) {
    let log = Log<Void>()
    Promise<Int>.rejected(error).onCancel(on: .inline) { log.append(()) }.fail { _ in }
    #expect(log.entries.count == count)
  }
}
