import CatenaSystem
import Dispatch
import TestGate
import TestSupport
import Testing

@testable import Promises

@Suite(.gated)
struct CancellationTests {
  @Test func cancelRejectsImmediatelyAndRunsOnCancelActions() {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<String>()
    resolver.onCancel { log.append("stopped") }
    promise.always(on: .inline) { log.append("\($0.error is CancellationError)") }
    promise.cancel()
    promise.cancel()
    #expect(log.entries == ["stopped", "true"])
  }

  @Test func upstreamWorkIsCancelledBeforeAnyHandlerRuns() async {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<String>()
    resolver.onCancel { log.append("stopped") }
    promise.fail(on: .inline, policy: .allErrors) { _ in log.append("source") }
    let scheduler = TestScheduler()
    let limited = promise.map(on: .inline) { $0 }.timeout(.seconds(1), scheduler: scheduler)
    limited.fail(on: .inline) { _ in log.append("limit") }
    await scheduler.advance(by: .seconds(1))
    #expect(log.entries == ["stopped", "limit", "source"])
  }

  @Test func aHandlerThatIsAttachedDuringTheCancellationRunsAfterIt() async {
    let (promise, resolver) = Promise<Int>.pending()
    let (log, attached) = (Log<String>(), DispatchSemaphore(value: 0))
    resolver.onCancel {
      log.append("stopping")
      attached.wait()
      log.append("stopped")
    }
    let derived = promise.map(on: .inline) { $0 }
    DispatchQueue.global().async { derived.cancel() }
    _ = await log.entries(1)
    derived.fail(on: .inline, policy: .allErrors) { _ in log.append("handler") }
    attached.signal()
    #expect(await log.entries(3) == ["stopping", "stopped", "handler"])
  }

  @Test func aHandlerThatCancelsFindsTheWorkCancelledWhenItContinues() {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<String>()
    resolver.onCancel { log.append("stopped") }
    let derived = promise.map(on: .inline) { $0 }.map(on: .inline) { $0 }
    derived.fail(on: .inline, policy: .allErrors) { _ in log.append("handler") }
    Promise.fulfilled(1).done(on: .inline) { _ in
      derived.cancel()
      log.append("continued")
    }
    #expect(log.entries == ["stopped", "continued", "handler"])
  }

  @Test func anActionMayCancelAnotherChain() {
    let (first, firstResolver) = Promise<Int>.pending()
    let (second, secondResolver) = Promise<Int>.pending()
    let log = Log<String>()
    secondResolver.onCancel { log.append("second stopped") }
    let other = second.map(on: .inline) { $0 }
    firstResolver.onCancel {
      other.cancel()
      log.append("first stopped")
    }
    let derived = first.map(on: .inline) { $0 }
    for promise in [derived, other] {
      promise.fail(on: .inline, policy: .allErrors) { _ in log.append("handler") }
    }
    derived.cancel()
    #expect(log.entries == ["first stopped", "second stopped", "handler", "handler"])
  }

  @Test func cancellingASettledPromiseIsANoOp() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    resolver.onCancel { Issue.record("the onCancel action ran") }
    resolver.fulfill(1)
    promise.cancel()
    #expect(try await promise.value == 1)
  }

  @Test func anActionAddedAfterTheCancellationRunsImmediately() {
    let (promise, resolver) = Promise<Int>.pending()
    promise.cancel()
    let log = Log<Int>()
    resolver.onCancel { log.append(1) }
    #expect(log.entries == [1])
  }

  @Test func onCancelActionsRunInReverseOrder() {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<Int>()
    for number in 1...3 { resolver.onCancel { log.append(number) } }
    promise.cancel()
    #expect(log.entries == [3, 2, 1])
  }

  @Test func cancellingTheTailStopsTheWorkAtTheHead() {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<String>()
    resolver.onCancel { log.append("stopped") }
    promise.map { $0 }.then { Promise.fulfilled($0) }.recover { _ in 0 }.tap { _ in }.cancel()
    #expect(log.entries == ["stopped"])
  }

  @Test func cancellingTheLastConsumerStopsTheWork() {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<String>()
    resolver.onCancel { log.append("stopped") }
    let consumers = (0..<20).map { number in promise.map { $0 + number } }
    for consumer in consumers.dropLast() { consumer.cancel() }
    #expect(log.entries.isEmpty)
    guard case .pending = promise.state else { return #expect(Bool(false), "cancelled early") }
    consumers.last?.cancel()
    #expect(log.entries == ["stopped"])
  }

  @Test func cancellingOneConsumerDoesNotAffectTheOthers() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let (one, other) = (promise.map { $0 + 1 }, promise.map { $0 + 2 })
    one.cancel()
    resolver.fulfill(1)
    #expect(await one.result.error is CancellationError)
    #expect(try await other.value == 3)
  }

  @Test func aDoneHandlerCountsAsAConsumer() {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<Int>()
    promise.done(on: .inline) { log.append($0) }
    promise.map { $0 }.cancel()
    resolver.fulfill(1)
    #expect(log.entries == [1])
  }

  @Test func alwaysAndFailHandlersDoNotCountAsConsumers() {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<String>()
    promise.always(on: .inline) { log.append("always \($0.error is CancellationError)") }
    promise.fail(on: .inline) { _ in log.append("fail") }
    promise.fail(on: .inline, policy: .allErrors) { _ in log.append("fail, all") }
    promise.map { $0 }.cancel()
    #expect(log.entries == ["always true", "fail, all"])
    #expect(resolver.isSettled)
  }

  @Test func theInnerPromiseOfAStepIsCancelled() {
    let (inner, innerResolver) = Promise<Int>.pending()
    let log = Log<String>()
    innerResolver.onCancel { log.append("inner stopped") }
    let tail = Promise.fulfilled(1).then(on: .inline) { _ in inner }.map { $0 }
    tail.cancel()
    #expect(log.entries == ["inner stopped"])
  }

  @Test func aSharedInnerPromiseIsNotCancelled() {
    let (inner, innerResolver) = Promise<Int>.pending()
    let other = inner.map { $0 }
    Promise.fulfilled(1).then(on: .inline) { _ in inner }.cancel()
    #expect(!innerResolver.isSettled)
    innerResolver.fulfill(1)
    withExtendedLifetime(other) {}
  }

  @Test func aPromiseReturnedByAStepThatCancelsItselfIsCancelled() {
    let (inner, innerResolver) = Promise<Int>.pending()
    let (tailPromise, tailResolver) = Promise<Promise<Int>>.pending()
    let (start, startResolver) = Promise<Int>.pending()
    let tail = start.then(on: .inline) { _ -> Promise<Int> in
      tailPromise.done(on: .inline) { $0.cancel() }
      if case .fulfilled(let tail) = tailPromise.state { tail.cancel() }
      return inner
    }
    tailResolver.fulfill(tail)
    startResolver.fulfill(1)
    #expect(innerResolver.isSettled)
  }

  @Test func aHandlerOfACancelledPromiseDoesNotRun() async {
    let (promise, resolver) = Promise<Int>.pending()
    let next = promise.then { _ in Issue.record("ran") }
    let other = promise.map { $0 }
    next.cancel()
    resolver.fulfill(1)
    _ = await other.result
    #expect(await next.result.error is CancellationError)
  }

  @Test func cancellationRejectsDerivedPromises() async {
    let (promise, resolver) = Promise<Int>.pending()
    let tail = promise.map { $0 }.map { $0 }
    promise.cancel()
    #expect(await tail.result.error is CancellationError)
    #expect(resolver.isSettled)
  }

  @Test func releasingAPromiseDoesNotCancelIt() async {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<Int>()
    _ = promise.map { log.append($0) }
    resolver.fulfill(1)
    #expect(log.entries == [1])
  }

  @Test func rejectingWithACancellationErrorRunsNoOnCancelActions() {
    let (promise, resolver) = Promise<Int>.pending()
    let (other, otherResolver) = Promise<Int>.pending()
    resolver.reject(CancellationError())
    resolver.onCancel { Issue.record("the onCancel action ran") }
    resolver.resolve(other)
    #expect(promise.isCancelled && other.isPending)
    otherResolver.fulfill(1)
  }

  @Test func aPendingPromiseReleasesCancelledConsumers() {
    let live = InstanceCounter()
    let (promise, resolver) = Promise<Int>.pending()
    let remaining = promise.map { $0 }
    for _ in 0..<10_000 {
      let token = live.token()
      promise.then(on: .inline) { _ in withExtendedLifetime(token) {} }.cancel()
    }
    #expect(live.liveCount < 20)
    resolver.fulfill(1)
    #expect(live.liveCount == 0)
    withExtendedLifetime(remaining) {}
  }

  @Test(arguments: [
    (CancellationError() as any Error, true), (PromiseError.timedOut, false), (TestError(), false),
    (CustomCancellationError(representsCancellation: true), true),
    (CustomCancellationError(representsCancellation: false), false),
  ])
  func isCancellationIdentifiesCancellationErrors(_ error: any Error, _ expected: Bool) {
    #expect(error.isCancellation == expected)
  }

  private struct CustomCancellationError: CancellationRepresenting {
    let representsCancellation: Bool
  }
}

@Suite(.gated)
struct ConsumerCountTests {
  @Test func theDepartureOfTheLastConsumerIsIgnoredAfterTheNextArrival() {
    var machine = PromiseMachine(upstream: nil)
    machine.consumers = 1
    guard case .last = machine.consumerCancelled() else { return #expect(Bool(false), "remains") }
    let isLast = machine.accepts(.lastConsumer)
    #expect(isLast)
    machine.consumers += 1
    let isStillLast = machine.accepts(.lastConsumer)
    #expect(!isStillLast)
    let canBeCancelled = machine.accepts(.consumer)
    #expect(canBeCancelled)
  }

  /// One thread removes the only consumer while another attaches a new one.
  ///
  /// A consumer that is attached while the promise is pending keeps it pending.
  @Test func aConsumerThatFindsThePromisePendingIsNotCancelled() async {
    for _ in 0..<4 {
      let subjects = (0..<250).map { _ in Promise<Int>.pending() }
      let departing = subjects.map { $0.promise.map(on: .inline) { $0 } }
      let foundPending = Log<Int>()
      let arrived = Counter()
      await onThreads(2) { thread in
        for (index, subject) in subjects.enumerated() {
          // Both threads start each subject together.
          arrived.add()
          while arrived.value < 2 * (index + 1) {}
          if thread == 0 {
            departing[index].cancel()
          } else {
            let arriving = subject.promise.map(on: .inline) { $0 }
            if subject.promise.isPending { foundPending.append(index) }
            arriving.always(on: .inline) { _ in }
          }
        }
      }
      for index in foundPending.entries {
        #expect(subjects[index].promise.isPending)
      }
      for subject in subjects { subject.resolver.fulfill(1) }
    }
  }

  @Test func aSettledPromiseAcceptsMoreConsumersThanItsCounterHolds() {
    let promise = Promise.fulfilled(1)
    promise.lock.withLock { promise.machine.consumers = .max }
    let log = Log<Int>()
    promise.done(on: .inline) { log.append($0) }
    #expect(log.entries == [1])
  }
}
