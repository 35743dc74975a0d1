import Dispatch
import Promises
import TestGate
import TestSupport
import Testing

/// Promises/A+ 2.2: the `then` method.
///
/// `then` corresponds to `onFulfilled`, and `recover` to `onRejected`. The compiler enforces that both
/// are functions (2.2.1, 2.2.5).
@Suite(.gated)
struct APlusThenTests {
  @Test(arguments: Timing.allCases)
  func thenIsCalledOnceWithTheValueAfterFulfilment(_ timing: Timing) async throws {  // 2.2.2
    let log = Log<Int>()
    let subject = TestPromise(.success(7), timing)
    let next = subject.promise.then { value in log.append(value) }
    if timing != .settled { #expect(log.entries.isEmpty) }
    subject.settle()
    try await next.value
    #expect(log.entries == [7])
  }

  @Test(arguments: Timing.allCases)
  func thenIsNotCalledAfterRejection(_ timing: Timing) async {  // 2.2.2.2
    let log = Log<Int>()
    let result = await apply(to: Result<Int, any Error>.failure(TestError()), timing) {
      $0.then { log.append($0) }
    }
    #expect(result.failure(as: TestError.self) == TestError())
    #expect(log.entries.isEmpty)
  }

  @Test(arguments: Timing.allCases)
  func recoverIsCalledOnceWithTheErrorAfterRejection(_ timing: Timing) async throws {  // 2.2.3
    let log = Log<String>()
    let result = await apply(to: Result<Int, any Error>.failure(TestError("x")), timing) {
      $0.recover { error in
        log.append("\(error)")
        return 1
      }
    }
    #expect(try result.get() == 1)
    #expect(log.entries == ["TestError(x)"])
  }

  @Test(arguments: Timing.allCases)
  func recoverIsNotCalledAfterFulfilment(_ timing: Timing) async throws {  // 2.2.3.2
    let result = await apply(to: .success(5), timing) { $0.recover { _ in -1 } }
    #expect(try result.get() == 5)
  }

  @Test(arguments: Timing.allCases)
  func handlersRunAfterTheCallThatAttachedThemHasReturned(_ timing: Timing) async {  // 2.2.4
    // This block occupies the queue, so a handler on the queue cannot run before it ends.
    let log = Log<String>()
    let queue = DispatchQueue(label: "handlers")
    queue.async {
      let subject = TestPromise(.success(1), timing)
      subject.promise.on(.queue(queue)).done { _ in log.append("handler") }
      log.append("attached")
      subject.settle()
      log.append("settled")
    }
    #expect(await log.entries(3) == ["attached", "settled", "handler"])
  }

  @Test(arguments: Timing.allCases)
  func inlineHandlersOnOneThreadDoNotNest(_ timing: Timing) async {  // 2.2.4, for .inline
    let log = Log<String>()
    let subject = TestPromise(.success(1), timing)
    subject.promise.done(on: .inline) { _ in
      subject.promise.done(on: .inline) { _ in log.append("inner") }
      Promise.fulfilled(2).done(on: .inline) { _ in log.append("other") }
      log.append("outer")
    }
    subject.settle()
    #expect(await log.entries(3).first == "outer")
    #expect(Set(log.entries) == ["outer", "inner", "other"])
  }

  @Test(arguments: Timing.allCases)
  func handlersRunInAttachmentOrder(_ timing: Timing) async {  // 2.2.6
    let log = Log<Int>()
    let subject = TestPromise(.success(0), timing)
    let promise = subject.promise.on(.inline)
    for number in 0..<50 {
      switch number % 4 {
      case 0: promise.done { _ in log.append(number) }
      case 1: promise.always { _ in log.append(number) }
      case 2: promise.done(on: .inline) { _ in log.append(number) }
      default: _ = promise.then { _ in log.append(number) }
      }
    }
    subject.settle()
    #expect(await log.entries(50) == Array(0..<50))
  }

  @Test(arguments: Timing.allCases)
  func errorHandlersRunInAttachmentOrder(_ timing: Timing) async {  // 2.2.6.2
    let log = Log<Int>()
    let subject = TestPromise(Result<Int, any Error>.failure(TestError()), timing)
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
    subject.settle()
    #expect(await log.entries(30) == Array(0..<30))
  }

  @Test(arguments: Timing.allCases)
  func anErrorThrownByAHandlerRejectsTheNextPromise(_ timing: Timing) async {  // 2.2.7.2
    let fromThen = await apply(to: .success(1), timing) { promise in
      promise.then { _ -> Int in throw TestError("then") }
    }
    #expect(fromThen.failure() == TestError("then"))
    let fromRecover = await apply(to: Result<Int, any Error>.failure(TestError()), timing) {
      $0.recover { _ -> Int in throw TestError("recover") }
    }
    #expect(fromRecover.failure() == TestError("recover"))
  }

  @Test(arguments: Timing.allCases)
  func theOutcomePassesThroughWithoutAHandler(_ timing: Timing) async throws {  // 2.2.7.3, 2.2.7.4
    let value = await apply(to: .success(3), timing) { promise in
      promise.recover { _ in 0 }.recover { _ in 1 }
    }
    #expect(try value.get() == 3)
    let error = await apply(to: Result<Int, any Error>.failure(TestError("e")), timing) {
      $0.then { $0 + 1 }.then { Promise.fulfilled($0) }.map { $0 }
    }
    #expect(error.failure() == TestError("e"))
  }
}
