import TestGate
import TestSupport
import Testing

@testable import Promises

@Suite(.gated)
struct IsolatedClosureTests {
  private let log = MainActorLog<Int>()
  private let queue = LabelledQueue()

  /// Logs its argument on the main actor and returns it, or throws if it is negative.
  private var logging: IsolatedClosure<Int, Int> {
    IsolatedClosure { @MainActor [log] (number: Int) -> Int in
      log.append(number)
      if number < 0 { throw TestError("negative") }
      return number
    }
  }

  @Test func aClosureWithoutIsolationIsCalledDirectly() async throws {
    let closure = IsolatedClosure { (number: Int) -> Int in number + 1 }
    #expect(closure.isCallable && closure.unisolated != nil && closure.context == nil)
    #expect(try closure(1) == 2)
    let starting = IsolatedClosure { (number: Int) throws -> Promise<Int> in
      if number < 0 { throw TestError("negative") }
      return .fulfilled(number)
    }
    #expect(try await starting.start(7, awaitedBy: nil).value == 7)
    #expect(throws: TestError("negative")) { try starting.start(-1, awaitedBy: nil) }
  }

  @Test func aClosureOfTheMainActorIsCallableOnTheMainQueueOnly() async {
    let closure = logging
    #expect(closure.unisolated == nil && closure.context != nil)
    let isCallableOnMainQueue = await MainActor.run { closure.isCallable }
    #expect(isCallableOnMainQueue)
    await onThread(stackSize: 1 << 20) { #expect(!closure.isCallable) }
  }

  // This test and the next two occupy the actor until their handlers are attached.
  @Test @MainActor func callsAndReturnsKeepTheirOrder() async {
    let (closure, queue, returned) = (logging, queue, Log<Int>())
    for number in 0..<100 {
      closure.onItsActor(number, awaitedBy: nil, returningOn: queue.context)
        .done(on: .inline) { returned.append(queue.isCurrent ? $0 : -1) }
    }
    let numbers = Array(0..<100)
    #expect(await returned.entries(100) == numbers)
    #expect(log.entries == numbers)
    #expect(log.isOfMainQueue)
  }

  @Test @MainActor func anErrorReturnsInTheSameContext() async {
    let (queue, places) = (queue, Log<Bool>())
    let call = logging.onItsActor(-1, awaitedBy: nil, returningOn: queue.context)
    call.fail(on: .inline) { _ in places.append(queue.isCurrent) }
    #expect(await places.entries(1) == [true])
    #expect(await call.result.failure(as: TestError.self) == TestError("negative"))
  }

  @Test @MainActor func theResultOfAStartedPromiseReturnsInTheContext() async throws {
    let (queue, places) = (queue, Log<Bool>())
    let closure = IsolatedClosure { @MainActor [log] (number: Int) -> Promise<Int> in
      log.append(number)
      return Promise.fulfilled(number).then(on: .main) { $0 + 1 }
    }
    let call = try closure.start(1, awaitedBy: nil, returningOn: queue.context)
    call.done(on: .inline) { _ in places.append(queue.isCurrent) }
    #expect(await places.entries(1) == [true])
    #expect(try await call.value == 2)
    #expect(log.isOfMainQueue)
  }

  @Test @MainActor func aCallThatIsCancelledBeforeItsActorRunsIsNotMade() async {
    // This test occupies the actor until it waits.
    let call = logging.onItsActor(1, awaitedBy: nil)
    call.cancel()
    #expect(await call.result.error is CancellationError)
    await mainQueueHasRun()
    #expect(log.entries.isEmpty)
  }

  @Test func cancellingAStartedCallCancelsThePromiseOfTheClosure() async throws {
    let (started, cancelled) = (Log<Resolver<Int>>(), Log<Void>())
    let closure = IsolatedClosure { @MainActor (_: Int) -> Promise<Int> in
      let (promise, resolver) = Promise<Int>.pending(on: .inline)
      resolver.onCancel { cancelled.append(()) }
      started.append(resolver)
      return promise
    }
    let call = try closure.start(1, awaitedBy: nil, returningOn: .background)
    _ = await started.entries(1)
    // The closure has returned.
    await mainQueueHasRun()
    call.cancel()
    #expect(await cancelled.entries(1).count == 1)
  }

  @Test func virtualTimeWaitsForCallsAndTheirHandlers() async {
    let (scheduler, handled) = (TestScheduler(), Log<Int>())
    logging.onItsActor(1, awaitedBy: scheduler, returningOn: queue.context)
      .done { handled.append($0) }
    await scheduler.advance(by: .zero)
    #expect(handled.entries == [1])
    let handler = IsolatedClosure { @MainActor [log] (number: Int) in log.append(number) }
    handler.run(2, awaitedBy: scheduler)
    await scheduler.advance(by: .zero)
    #expect(await log.entries == [1, 2])
  }

  @Test func aHandlerRunsOnItsActorOrInTheGivenContextOrAtOnce() async {
    let (queue, places) = (queue, Log<Bool>())
    let handler = IsolatedClosure { (_: Int) in places.append(queue.isCurrent) }
    handler.run(1)
    #expect(places.entries == [false])
    handler.run(2, on: queue.context)
    #expect(await places.entries(2) == [false, true])
    let isolated = IsolatedClosure { @MainActor [log] (number: Int) in log.append(number) }
    for number in 0..<100 { isolated.run(number, on: queue.context) }
    await mainQueueHasRun()
    #expect(await log.entries == Array(0..<100))
    #expect(await log.isOfMainQueue)
  }

  private static func callInScope(
    _ closure: IsolatedClosure<Int, String>
  ) -> Promise<String> {
    HandlerScope(mark: "a").run { closure.onItsActor(1, awaitedBy: nil) }
  }

  @Test func aCallRunsInTheScopeOfItsCaller() async throws {
    let closure = IsolatedClosure { @MainActor (_: Int) -> String in
      HandlerScope.innermost?.mark as? String ?? "none"
    }
    #expect(try await Self.callInScope(closure).value == "a")
    #expect(try await closure.onItsActor(1, awaitedBy: nil).value == "none")
  }
}
