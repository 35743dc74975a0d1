import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct EnsureTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func theOutcomePassesAfterTheAction(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<String>()
    let result = await apply(to: outcome.result, timing) { promise in
      promise.ensure { log.append("ensure") }.always(on: .inline) { log.append("next") }
    }
    #expect(outcome.matches(result))
    #expect(log.entries == ["ensure", "next"])
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func theChainWaitsForThePromiseOfTheAction(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<String>()
    let (saving, saved) = Promise<String>.pending()
    let subject = TestPromise(outcome.result, timing)
    let ensured = subject.promise.ensure {
      log.append("starts")
      return saving
    }
    subject.settle()
    _ = await log.entries(1)
    #expect(ensured.isPending)
    saved.fulfill("ignored")
    #expect(outcome.matches(await ensured.result))
  }

  @Test(arguments: Timing.allCases, [true, false])
  func anErrorOfTheActionRejectsAFulfilledPromise(_ timing: Timing, _ isThrown: Bool) async {
    let result = await apply(to: .success(7), timing) { promise in
      promise.ensure { () -> Promise<Void> in
        if isThrown { throw TestError("action") }
        return .rejected(TestError("action"))
      }
    }
    #expect(result.failure() == TestError("action"))
    let other = await apply(to: .success(7), timing) { promise in
      promise.ensure { throw TestError("action") }
    }
    #expect(other.failure() == TestError("action"))
  }

  @Test(arguments: Timing.allCases, Outcome.rejections)
  func anErrorOfTheActionDoesNotReplaceAnEarlierError(_ timing: Timing, _ outcome: Outcome) async {
    let thrown = await apply(to: outcome.result, timing) { promise in
      promise.ensure { throw TestError("action") }
    }
    #expect(outcome.matches(thrown))
    let rejected = await apply(to: outcome.result, timing) { promise in
      promise.ensure { Promise<Void>.rejected(TestError("action")) }
    }
    #expect(outcome.matches(rejected))
  }

  @Test(arguments: Timing.allCases)
  func theActionRunsInTheGivenContext(_ timing: Timing) async throws {
    let (queue, log) = (LabelledQueue(), Log<Bool>())
    let result = await apply(to: .success(7), timing) { promise in
      promise.ensure(on: queue.context) { log.append(queue.isCurrent) }
        .ensure(on: queue.context) {
          log.append(queue.isCurrent)
          return Promise.fulfilled(1)
        }
    }
    #expect(try result.get() == 7)
    #expect(log.entries == [true, true])
  }

  // MARK: Cancellation

  @Test func cancellingTheNewPromiseCancelsTheOriginalAndRunsTheAction() {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<String>()
    let ensured = promise.ensure(on: .inline) { log.append("ensure") }
    ensured.cancel()
    #expect(promise.isCancelled && ensured.isCancelled)
    #expect(log.entries == ["ensure"])
    resolver.fulfill(1)
    #expect(log.entries == ["ensure"])
  }

  @Test func theActionRunsAfterASharedPromiseHasSettled() {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<String>()
    let other = promise.map { $0 }
    promise.ensure(on: .inline) { log.append("ensure") }.cancel()
    #expect(promise.isPending && log.entries.isEmpty)
    resolver.fulfill(1)
    #expect(other.isFulfilled)
    #expect(log.entries == ["ensure"])
  }

  /// A promise removes the reactions of cancelled promises when there are many of them.
  @Test func theActionsOfManyCancelledPromisesRun() {
    let (promise, resolver) = Promise<Int>.pending()
    let counter = Counter()
    let other = promise.map { $0 }
    for _ in 0..<100 { promise.ensure(on: .inline) { _ = counter.add() }.cancel() }
    resolver.fulfill(1)
    #expect(counter.value == 100)
    #expect(other.isFulfilled)
  }

  @Test func cancellingTheNewPromiseDoesNotCancelTheActionsPromise() {
    let (saving, saved) = Promise<Void>.pending()
    let ensured = Promise.fulfilled(7).ensure(on: .inline) { saving }
    ensured.cancel()
    #expect(ensured.isCancelled && saving.isPending)
    saved.fulfill()
    #expect(saving.isFulfilled)
  }

  @Test func anActionThatReturnsTheNewPromiseRejectsWithCycle() async {
    let (box, filled) = Promise<Promise<Int>>.pending()
    let (promise, resolver) = Promise<Int>.pending()
    let ensured = promise.ensure(on: .inline) { () -> Promise<Int> in
      box.currentValue?.map { $0 } ?? .fulfilled(0)
    }
    filled.fulfill(ensured)
    resolver.fulfill(1)
    #expect(ensured.currentError as? PromiseError == .cycle)
    ensured.fail(on: .inline) { _ in }
  }

  @Test func anActionThatIsBoundToTheNewPromiseRejectsWithCycle() {
    let (action, resolver) = Promise<Void>.pending()
    let ensured = Promise.fulfilled(7).ensure(on: .inline) { action }
    resolver.resolve(ensured.asVoid())
    #expect(ensured.currentError as? PromiseError == .cycle)
    #expect(action.currentError as? PromiseError == .cycle)
    ensured.fail(on: .inline) { _ in }
    action.fail(on: .inline) { _ in }
  }

  @Test func aDiscardedActionRejectsWithAbandoned() async {
    let ensured = Promise.fulfilled(7).ensure(on: .custom { _ in }) {}
    #expect(await ensured.result.failure() == PromiseError.abandoned)
  }
}
