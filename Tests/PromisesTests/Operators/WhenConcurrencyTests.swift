import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct WhenConcurrencyTests {
  /// Creates pending promises and records which are running and how many run at the same time.
  private final class PendingOperations: Sendable {
    let pairs: [(promise: Promise<Int>, resolver: Resolver<Int>)]
    let started = Log<Int>()
    let concurrencyLevels = Log<Int>()
    private let running = Counter()

    init(_ count: Int) {
      pairs = (0..<count).map { _ in Promise<Int>.pending() }
    }

    var closures: [@Sendable () throws -> Promise<Int>] {
      pairs.indices.map { index in
        {
          self.started.append(index)
          self.concurrencyLevels.append(self.running.add(1))
          return self.pairs[index].promise.always(on: .inline) { _ in self.running.add(-1) }
        }
      }
    }

    func fulfill(_ index: Int) { pairs[index].resolver.fulfill(index) }
  }

  @Test func anEmptyArrayFulfilsWithAnEmptyArray() async throws {
    let operations: [@Sendable () throws -> Promise<Int>] = []
    #expect(try await when(operations, concurrency: 1).value == [])
  }

  @Test(arguments: 1...5)
  func theLimitIsReachedAndNeverExceeded(_ concurrency: Int) async throws {
    let operations = PendingOperations(5)
    let combined = when(operations.closures, concurrency: concurrency)
    #expect(operations.started.entries == Array(0..<concurrency))
    for index in 0..<5 {
      #expect(operations.started.entries.count == min(index + concurrency, 5))
      operations.fulfill(index)
    }
    #expect(try await combined.value == [0, 1, 2, 3, 4])
    #expect(operations.concurrencyLevels.entries.max() == concurrency)
  }

  @Test func aLimitAboveTheCountStartsAll() async throws {
    let operations = PendingOperations(3)
    let combined = when(operations.closures, concurrency: .max)
    #expect(operations.started.entries == [0, 1, 2])
    for index in [2, 0, 1] { operations.fulfill(index) }
    #expect(try await combined.value == [0, 1, 2])
  }

  @Test(arguments: Outcome.rejections)
  func aFailureStopsNewOperationsAndCancelsTheRest(_ outcome: Outcome) async {
    let operations = PendingOperations(6)
    let combined = when(operations.closures, concurrency: 3)
    operations.fulfill(1)
    operations.pairs[2].resolver.resolve(outcome.result)
    #expect(outcome.matches(await combined.result.map { _ in 7 }))
    #expect(operations.started.entries == [0, 1, 2, 3])
    #expect(operations.pairs[0].promise.isCancelled)
    #expect(operations.pairs[3].promise.isCancelled)
    #expect(operations.pairs[4].promise.isPending)
  }

  @Test(arguments: 1...4)
  func aThrowingOperationRejectsAndStopsNewOperations(_ concurrency: Int) async {
    let counter = Counter()
    let operations = (0..<4).map { index in
      { @Sendable () throws -> Promise<Int> in
        counter.add(1)
        if index == 1 { throw TestError("start") }
        return .fulfilled(index)
      }
    }
    #expect(await when(operations, concurrency: concurrency).result.failure() == TestError("start"))
    #expect(counter.value == 2)
  }

  @Test(arguments: [false, true])
  func theLimitHoldsInsideAnInlineHandler(_ isThrown: Bool) async {
    let counter = Counter()
    let combined = Promise.fulfilled(1).then(on: .inline) { _ in
      when(0..<5, concurrency: 3) { index in
        counter.add(1)
        if index == 1, isThrown { throw TestError("start") }
        return index == 1 ? .rejected(TestError("start")) : .fulfilled(index)
      }
    }
    #expect(await combined.result.failure() == TestError("start"))
    #expect(counter.value == 2)
  }

  @Test func theResultHasTheContextOfTheFirstPromise() async throws {
    let queue = LabelledQueue()
    let combined = when(0..<3, concurrency: 2) { Promise.fulfilled($0).on(queue.context) }
    #expect(try await combined.then { _ in queue.isCurrent }.value)
  }

  @Test func anOperationThatReturnsTheResultRejectsWithCycle() async {
    let (gate, open) = Promise<Int>.pending()
    let (box, filled) = Promise<Promise<[Int]>>.pending()
    let combined = when([1, 2], concurrency: 1) { number in
      guard number > 1, case .fulfilled(let own) = box.state else { return gate }
      return own.map { $0.count }
    }
    filled.fulfill(combined)
    open.fulfill(0)
    #expect(!combined.isPending)
    combined.cancel()
    #expect(await combined.result.failure() == PromiseError.cycle)
  }

  @Test func runningPromisesWithOtherConsumersAreNotCancelled() async throws {
    let operations = PendingOperations(3)
    let other = operations.pairs[0].promise.map { $0 + 10 }
    let combined = when(operations.closures, concurrency: 2)
    operations.pairs[1].resolver.reject(TestError())
    #expect(await combined.result.error is TestError)
    operations.fulfill(0)
    #expect(try await other.value == 10)
  }

  @Test func cancellingTheResultCancelsRunningPromisesAndStartsNoMore() {
    let operations = PendingOperations(4)
    let combined = when(operations.closures, concurrency: 2)
    operations.fulfill(0)
    combined.cancel()
    #expect(operations.pairs[1].promise.isCancelled)
    #expect(operations.pairs[2].promise.isCancelled)
    #expect(operations.started.entries == [0, 1, 2])
  }

  @Test(arguments: [false, true])
  func operationsInFlightAreCancelledInTheOrderOfTheArray(_ isFailure: Bool) {
    let operations = PendingOperations(20)
    let cancelled = Log<Int>()
    for (index, pair) in operations.pairs.enumerated() {
      pair.resolver.onCancel { cancelled.append(index) }
    }
    let combined = when(operations.closures, concurrency: 20)
    operations.fulfill(7)
    if isFailure { operations.pairs[3].resolver.reject(TestError()) } else { combined.cancel() }
    let expected = (0..<20).filter { $0 != 7 && !(isFailure && $0 == 3) }
    #expect(cancelled.entries == expected)
    combined.fail(on: .inline) { _ in }
  }

  @Test func thePromiseOfAnOperationThatCancelsTheResultIsCancelled() {
    let (gate, open) = Promise<Int>.pending()
    let (late, resolver) = Promise<Int>.pending()
    let (box, filled) = Promise<Promise<[Int]>>.pending()
    let operations: [@Sendable () throws -> Promise<Int>] = [
      { gate },
      {
        box.done(on: .inline) { $0.cancel() }
        return late
      },
    ]
    let combined = when(operations, concurrency: 1)
    filled.fulfill(combined)
    open.fulfill(0)
    #expect(combined.isCancelled)
    #expect(late.isCancelled)
    resolver.fulfill(1)
  }

  @Test(arguments: [1, 3])
  func aHundredThousandImmediateOperationsDoNotGrowTheStack(_ concurrency: Int) async {
    let log = Log<[Int]>()
    await onThread(stackSize: 512 << 10) {
      let operations = (0..<100_000).map { index in
        { @Sendable () throws -> Promise<Int> in .fulfilled(index) }
      }
      when(operations, concurrency: concurrency).done(on: .inline) { log.append($0) }
    }
    #expect(await log.entries(1) == [Array(0..<100_000)])
  }

  @Test(arguments: [0, -1], [true, false])
  func aLimitBelowOneIsAPreconditionFailure(_ concurrency: Int, _ failsFast: Bool) async throws {
    let zero = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [concurrency, failsFast] in
      let operations: [@Sendable () throws -> Promise<Int>] = [{ .fulfilled(1) }]
      if failsFast {
        _ = when(operations, concurrency: concurrency)
      } else {
        _ = settled(operations, concurrency: concurrency)
      }
    }
    let text = String(decoding: try #require(zero).standardErrorContent, as: UTF8.self)
    // A release build stops without a message.
    #if DEBUG
      #expect(text.contains(": concurrency is \(concurrency), but must be at least 1"))
    #endif
    #expect(!text.contains("when:"))
  }
}

@Suite(.gated)
struct ReduceTests {
  @Test func anEmptySequenceGivesTheInitialValue() async throws {
    let total = reduce([Int](), 5) { partial, element in .fulfilled(partial + element) }
    #expect(try await total.value == 5)
  }

  @Test(arguments: Timing.allCases)
  func stepsRunSequentially(_ timing: Timing) async throws {
    let log = Log<String>()
    let text = reduce(1...3, "") { partial, element in
      log.append("start \(element)")
      let subject = TestPromise(.success(partial + "\(element)"), timing)
      let end = subject.promise.always(on: .inline) { _ in log.append("end \(element)") }
      subject.settle()
      return end
    }
    #expect(try await text.value == "123")
    #expect(log.entries == ["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"])
  }

  @Test(arguments: Outcome.rejections)
  func noStepStartsAfterAFailure(_ outcome: Outcome) async {
    let log = Log<Int>()
    let total = reduce(1...5, 0) { partial, element in
      log.append(element)
      return element == 3 ? TestPromise(outcome.result, .settled).promise : .fulfilled(partial)
    }
    #expect(outcome.matches(await total.result))
    #expect(log.entries == [1, 2, 3])
  }

  @Test func aStepThatThrowsRejects() async {
    let total = reduce(1...3, 0) { _, element -> Promise<Int> in throw TestError("\(element)") }
    #expect(await total.result.failure() == TestError("1"))
  }

  @Test func cancellationCancelsTheCurrentStep() {
    let (step, resolver) = Promise<Int>.pending()
    let log = Log<Int>()
    let total = reduce(1...3, 0, on: .inline) { _, element in
      log.append(element)
      return step
    }
    total.cancel()
    #expect(step.isCancelled)
    #expect(log.entries == [1])
    resolver.fulfill(1)
  }

  @Test func stepsRunInTheGivenContext() async throws {
    let queue = LabelledQueue()
    let combined = reduce(1...3, true, on: queue.context) { partial, _ in
      .fulfilled(partial && queue.isCurrent)
    }
    #expect(try await combined.value)
  }

  @Test func tenThousandImmediateStepsDoNotGrowTheStack() async {
    let log = Log<Int>()
    await onThread(stackSize: 512 << 10) {
      reduce(0..<10_000, 0, on: .inline) { .fulfilled($0 + $1) }
        .done(on: .inline) { log.append($0) }
    }
    #expect(await log.entries(1) == [49_995_000])
  }
}
