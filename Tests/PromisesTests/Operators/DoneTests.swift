import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DoneTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func doneGetsTheValueExactlyOnce(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<String>()
    let subject = TestPromise(outcome.result, timing)
    subject.promise.done { log.append("done \($0)") }.always { _ in log.append("end") }
    subject.settle()
    #expect(await log.entries(outcome == .success ? 2 : 1).last == "end")
    #expect(log.entries == (outcome == .success ? ["done 7", "end"] : ["end"]))
  }

  @Test(arguments: Timing.allCases)
  func doneReturnsTheVerySamePromise(_ timing: Timing) async throws {
    let subject = TestPromise(.success(1), timing)
    let promise = subject.promise
    #expect(promise.done { _ in } === promise)
    #expect(promise.done(on: .inline) { _ in } === promise)
    #expect(promise.done { @MainActor _ in } === promise)
    subject.settle()
    #expect(try await promise.value == 1)
  }

  @Test(arguments: Timing.allCases)
  func manyRunInTheOrderAttached(_ timing: Timing) async {
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

  @Test(arguments: Timing.allCases) @MainActor
  func anUnmarkedHandlerAttachedOnTheMainActorRunsInThePromisesContext(
    _ timing: Timing
  ) async {
    let queue = LabelledQueue()
    let log = Log<Bool>()
    let subject = TestPromise(.success(1), timing)
    subject.promise.on(queue.context).done { _ in log.append(queue.isCurrent) }
    subject.settle()
    #expect(await log.entries(1) == [true])
  }

  @Test func aPromiseWithADoneHandlerOutlivesItsOtherConsumers() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    promise.done { _ in }
    promise.map { $0 }.cancel()
    #expect(promise.isPending)
    resolver.fulfill(2)
    #expect(try await promise.value == 2)
  }

  @Test func aHandlerMayAttachAnother() async {
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
