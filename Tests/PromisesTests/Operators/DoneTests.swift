import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DoneTests {
  @Test(arguments: Moment.allCases, Outcome.allCases)
  func doneGetsTheValueExactlyOnce(_ moment: Moment, _ outcome: Outcome) async {
    let log = Log<String>()
    let subject = Subject(outcome.result, moment)
    subject.promise.done { log.append("done \($0)") }.always { _ in log.append("end") }
    subject.ready()
    #expect(await log.entries(outcome == .success ? 2 : 1).last == "end")
    #expect(log.entries == (outcome == .success ? ["done 7", "end"] : ["end"]))
  }

  @Test(arguments: Moment.allCases)
  func doneReturnsTheVerySamePromise(_ moment: Moment) async throws {
    let subject = Subject(.success(1), moment)
    let promise = subject.promise
    #expect(promise.done { _ in } === promise)
    #expect(promise.done(on: .inline) { _ in } === promise)
    #expect(promise.done { @MainActor _ in } === promise)
    subject.ready()
    #expect(try await promise.value == 1)
  }

  @Test(arguments: Moment.allCases)
  func manyRunInTheOrderAttached(_ moment: Moment) async {
    let log = Log<Int>()
    let subject = Subject(.success(1), moment)
    for number in 0..<20 { subject.promise.done { _ in log.append(number) } }
    subject.ready()
    #expect(await log.entries(20) == Array(0..<20))
  }

  @Test(arguments: Moment.allCases)
  func aMainActorHandlerRunsOnTheMainActor(_ moment: Moment) async {
    let log = Log<Bool>()
    let subject = Subject(.success(1), moment)
    let screen = Screen()
    subject.promise.on(.background).done { @MainActor value in
      MainActor.preconditionIsolated()
      screen.number = value
      log.append(isOnMainQueue)
    }
    subject.ready()
    #expect(await log.entries(1) == [true])
    #expect(await screen.number == 1)
  }

  @Test(arguments: Moment.allCases) @MainActor
  func anUnmarkedHandlerAttachedOnTheMainActorRunsInThePromisesContext(
    _ moment: Moment
  ) async {
    let queue = LabelledQueue()
    let log = Log<Bool>()
    let subject = Subject(.success(1), moment)
    subject.promise.on(queue.context).done { _ in log.append(queue.isCurrent) }
    subject.ready()
    #expect(await log.entries(1) == [true])
  }

  @Test func aPromiseWithADoneHandlerOutlivesItsOtherConsumers() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    promise.done { _ in }
    promise.map { $0 }.cancel()
    #expect(promise.stillPends)
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
