import Promises
import TestGate
import TestSupport
import Testing

/// The `on:` parameter of combinators, `retry`, `delay` and `after`.
@Suite(.gated)
struct CombinatorContextTests {
  private let queue = LabelledQueue()
  private let one = Promise.fulfilled(1)
  private let text = Promise.fulfilled("a")

  /// Expects that a handler of a promise without `on:` runs on the queue.
  private func expectContext<Value: Sendable>(
    _ promise: Promise<Value>, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let (isThere, resolver) = Promise<Bool>.pending()
    promise.always { [queue] in resolver.fulfill(queue.isCurrent) }
    #expect((try? await isThere.value) == true, sourceLocation: sourceLocation)
  }

  @Test func whenHasTheGivenContext() async {
    let context = queue.context
    await expectContext(when([one], on: context))
    await expectContext(when([Promise<Int>](), on: context))
    await expectContext(when(one, text, on: context))
    await expectContext(when(one, text, one, on: context))
    await expectContext(when(one, text, one, one, on: context))
    await expectContext(when(one, text, one, one, one, on: context))
    await expectContext(when(one, text, one, one, one, one, on: context))
    await expectContext(when(one, text, one, one, one, one, one, text, on: context))
  }

  @Test func settledHasTheGivenContext() async {
    let context = queue.context
    await expectContext(settled([one], on: context))
    await expectContext(settled([Promise<Int>](), on: context))
    await expectContext(settled(one, text, on: context))
    await expectContext(settled(one, text, one, on: context))
    await expectContext(settled(one, text, one, one, on: context))
    await expectContext(settled(one, text, one, one, one, on: context))
    await expectContext(settled(one, text, one, one, one, one, on: context))
    await expectContext(settled(one, text, one, one, one, one, one, text, on: context))
  }

  @Test func anyAndRaceHaveTheGivenContext() async {
    let context = queue.context
    await expectContext(any([one], on: context))
    await expectContext(any([Promise<Int>](), on: context))
    await expectContext(any(one, one, one, on: context))
    await expectContext(race([one], on: context))
    await expectContext(race([Promise<Int>](), on: context))
    await expectContext(race(one, one, one, on: context))
  }

  @Test func reduceRunsInTheGivenContextAndHasIt() async throws {
    let log = Log<Bool>()
    let sum = reduce([1, 2], 0, on: queue.context) { [queue] partial, element -> Promise<Int> in
      log.append(queue.isCurrent)
      return .fulfilled(partial + element)
    }
    #expect(try await sum.value == 3)
    #expect(log.entries == [true, true])
    await expectContext(sum)
    await expectContext(reduce([Int](), 0, on: queue.context) { _, _ in .fulfilled(0) })
  }

  @Test func retryRunsInTheGivenContext() async {
    let log = Log<Bool>()
    let time = TestScheduler()
    let promise = retry(.delayed(.seconds(1), limit: 2), scheduler: time, on: queue.context) {
      [queue] attempt -> Promise<Int> in
      log.append(queue.isCurrent)
      if attempt < 3 { throw TestError() }
      return .fulfilled(attempt)
    }
    await time.run()
    #expect(promise.currentValue == 3)
    #expect(log.entries == [true, true, true])
    await expectContext(promise)
  }

  @Test func anInlineRetryStartsImmediately() {
    let log = Log<Int>()
    let promise = retry(.immediate(limit: 1), on: .inline) { attempt -> Promise<Int> in
      log.append(attempt)
      return attempt == 1 ? .rejected(TestError()) : .fulfilled(attempt)
    }
    #expect(log.entries == [1, 2])
    #expect(promise.currentValue == 2)
  }

  @Test func delayAndAfterHaveTheGivenContext() async {
    let time = TestScheduler()
    let promises = [
      Promise.fulfilled(()).delay(.seconds(1), scheduler: time, on: queue.context),
      after(.seconds(1), scheduler: time, on: queue.context),
    ]
    await time.run()
    for promise in promises { await expectContext(promise) }
  }
}
