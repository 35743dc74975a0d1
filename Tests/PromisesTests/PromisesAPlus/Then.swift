import Dispatch
import Promises
import TestSupport
import Testing

/// Promises/A+ 2.2: the `then` method.
///
/// Our `then` is its `onFulfilled`, our `recover` its `onRejected`; that
/// either "must be a function" (2.2.1, 2.2.5) is for the compiler to see to.
@Suite(.timeLimit(.minutes(10)))
struct PromisesAPlusThen {
  @Test(arguments: Moment.allCases)
  func thenIsCalledOnceWithTheValueAfterFulfilment(_ moment: Moment) async throws {  // 2.2.2
    let log = Log<Int>()
    let subject = Subject(.success(7), moment)
    let next = subject.promise.then { value in log.append(value) }
    if moment != .already { #expect(log.entries.isEmpty) }
    subject.ready()
    try await next.value
    #expect(log.entries == [7])
  }

  @Test(arguments: Moment.allCases)
  func thenIsNotCalledAfterRejection(_ moment: Moment) async {  // 2.2.2.2
    let log = Log<Int>()
    let result = await atEachMoment(Result<Int, any Error>.failure(TestError()), moment) {
      $0.then { log.append($0) }
    }
    #expect(result.failure(as: TestError.self) == TestError())
    #expect(log.entries.isEmpty)
  }

  @Test(arguments: Moment.allCases)
  func recoverIsCalledOnceWithTheErrorAfterRejection(_ moment: Moment) async throws {  // 2.2.3
    let log = Log<String>()
    let result = await atEachMoment(Result<Int, any Error>.failure(TestError("x")), moment) {
      $0.recover { error in
        log.append("\(error)")
        return 1
      }
    }
    #expect(try result.get() == 1)
    #expect(log.entries == ["TestError(x)"])
  }

  @Test(arguments: Moment.allCases)
  func recoverIsNotCalledAfterFulfilment(_ moment: Moment) async throws {  // 2.2.3.2
    let result = await atEachMoment(.success(5), moment) { $0.recover { _ in -1 } }
    #expect(try result.get() == 5)
  }

  @Test(arguments: Moment.allCases)
  func handlersRunAfterTheCallThatAttachedThemHasReturned(_ moment: Moment) async {  // 2.2.4
    // The queue is busy with this very block, so a handler on it cannot run inside it.
    let log = Log<String>()
    let queue = DispatchQueue(label: "handlers")
    queue.async {
      let subject = Subject(.success(1), moment)
      subject.promise.on(.queue(queue)).done { _ in log.append("handler") }
      log.append("attached")
      subject.ready()
      log.append("settled")
    }
    #expect(await log.entries(3) == ["attached", "settled", "handler"])
  }

  @Test(arguments: Moment.allCases)
  func inlineHandlersOfOneThreadDoNotNest(_ moment: Moment) async {  // 2.2.4, for .inline
    let log = Log<String>()
    let subject = Subject(.success(1), moment)
    subject.promise.done(on: .inline) { _ in
      subject.promise.done(on: .inline) { _ in log.append("inner") }
      Promise.fulfilled(2).done(on: .inline) { _ in log.append("other") }
      log.append("outer")
    }
    subject.ready()
    #expect(await log.entries(3).first == "outer")
    #expect(Set(log.entries) == ["outer", "inner", "other"])
  }

  @Test(arguments: Moment.allCases)
  func handlersRunInTheOrderAttached(_ moment: Moment) async {  // 2.2.6
    let log = Log<Int>()
    let subject = Subject(.success(0), moment)
    let promise = subject.promise.on(.inline)
    for number in 0..<50 {
      switch number % 4 {
      case 0: promise.done { _ in log.append(number) }
      case 1: promise.always { _ in log.append(number) }
      case 2: promise.done(on: .inline) { _ in log.append(number) }
      default: _ = promise.then { _ in log.append(number) }
      }
    }
    subject.ready()
    #expect(await log.entries(50) == Array(0..<50))
  }

  @Test(arguments: Moment.allCases)
  func errorHandlersRunInTheOrderAttached(_ moment: Moment) async {  // 2.2.6.2
    let log = Log<Int>()
    let subject = Subject(Result<Int, any Error>.failure(TestError()), moment)
    let promise = subject.promise.on(.main)
    for number in 0..<30 {
      switch number % 3 {
      case 0: promise.fail { _ in log.append(number) }
      case 1: promise.always { _ in log.append(number) }
      default:
        promise.recover { _ in 0 }.done(on: .inline) { _ in }.always(on: .inline) { _ in }
        promise.fail { _ in log.append(number) }
      }
    }
    subject.ready()
    #expect(await log.entries(30) == Array(0..<30))
  }

  @Test(arguments: Moment.allCases)
  func whatAHandlerThrowsRejectsTheNextPromise(_ moment: Moment) async {  // 2.2.7.2
    let fromThen = await atEachMoment(.success(1), moment) { promise in
      promise.then { _ -> Int in throw TestError("then") }
    }
    #expect(fromThen.failure() == TestError("then"))
    let fromRecover = await atEachMoment(Result<Int, any Error>.failure(TestError()), moment) {
      $0.recover { _ -> Int in throw TestError("recover") }
    }
    #expect(fromRecover.failure() == TestError("recover"))
  }

  @Test(arguments: Moment.allCases)
  func withoutAHandlerTheOutcomePassesOn(_ moment: Moment) async throws {  // 2.2.7.3, 2.2.7.4
    let value = await atEachMoment(.success(3), moment) { promise in
      promise.recover { _ in 0 }.recover { _ in 1 }
    }
    #expect(try value.get() == 3)
    let error = await atEachMoment(Result<Int, any Error>.failure(TestError("e")), moment) {
      $0.then { $0 + 1 }.then { Promise.fulfilled($0) }.map { $0 }
    }
    #expect(error.failure() == TestError("e"))
  }
}
