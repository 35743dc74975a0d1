import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WhenConcurrencyTests {
  /// Creates pending promises and records which are running and how many run at the same time.
  private final class Works: Sendable {
    let pairs: [(promise: Promise<Int>, resolver: Resolver<Int>)]
    let started = Log<Int>()
    let most = Log<Int>()
    private let underWay = Counter()

    init(_ count: Int) {
      pairs = (0..<count).map { _ in Promise<Int>.pending() }
    }

    var starts: [@Sendable () throws -> Promise<Int>] {
      pairs.indices.map { index in
        {
          self.started.append(index)
          self.most.append(self.underWay.add(1))
          return self.pairs[index].promise.always(on: .inline) { _ in self.underWay.add(-1) }
        }
      }
    }

    func fulfill(_ index: Int) { pairs[index].resolver.fulfill(index) }
  }

  @Test func anEmptyArrayFulfilsWithAnEmptyArray() async throws {
    let starts: [@Sendable () throws -> Promise<Int>] = []
    #expect(try await when(starts, concurrency: 1).value == [])
  }

  @Test(arguments: 1...5)
  func theLimitIsReachedAndNeverExceeded(_ concurrency: Int) async throws {
    let works = Works(5)
    let all = when(works.starts, concurrency: concurrency)
    #expect(works.started.entries == Array(0..<concurrency))
    for index in 0..<5 {
      #expect(works.started.entries.count == min(index + concurrency, 5))
      works.fulfill(index)
    }
    #expect(try await all.value == [0, 1, 2, 3, 4])
    #expect(works.most.entries.max() == concurrency)
  }

  @Test func aLimitAboveTheCountStartsAll() async throws {
    let works = Works(3)
    let all = when(works.starts, concurrency: .max)
    #expect(works.started.entries == [0, 1, 2])
    for index in [2, 0, 1] { works.fulfill(index) }
    #expect(try await all.value == [0, 1, 2])
  }

  @Test(arguments: Outcome.rejections)
  func aFailureStopsNewStartsAndCancelsTheRest(_ outcome: Outcome) async {
    let works = Works(6)
    let all = when(works.starts, concurrency: 3)
    works.fulfill(1)
    works.pairs[2].resolver.resolve(outcome.result)
    #expect(outcome.matches(await all.result.map { _ in 7 }))
    #expect(works.started.entries == [0, 1, 2, 3])
    #expect(works.pairs[0].promise.isCancelled)
    #expect(works.pairs[3].promise.isCancelled)
    #expect(works.pairs[4].promise.isPending)
  }

  @Test(arguments: 1...4)
  func aThrowingStartRejectsAndStopsNewStarts(_ concurrency: Int) async {
    let counter = Counter()
    let starts = (0..<4).map { index in
      { @Sendable () throws -> Promise<Int> in
        counter.add(1)
        if index == 1 { throw TestError("start") }
        return .fulfilled(index)
      }
    }
    #expect(await when(starts, concurrency: concurrency).result.failure() == TestError("start"))
    #expect(counter.value == 2)
  }

  @Test(arguments: [false, true])
  func theLimitHoldsInsideAnInlineHandler(_ isThrown: Bool) async {
    let counter = Counter()
    let all = Promise.fulfilled(1).then(on: .inline) { _ in
      when(0..<5, concurrency: 3) { index in
        counter.add(1)
        if index == 1, isThrown { throw TestError("start") }
        return index == 1 ? .rejected(TestError("start")) : .fulfilled(index)
      }
    }
    #expect(await all.result.failure() == TestError("start"))
    #expect(counter.value == 2)
  }

  @Test func theResultHasTheContextOfTheFirstPromise() async throws {
    let queue = LabelledQueue()
    let all = when(0..<3, concurrency: 2) { Promise.fulfilled($0).on(queue.context) }
    #expect(try await all.then { _ in queue.isCurrent }.value)
  }

  @Test func aStartThatReturnsTheResultRejectsWithCycle() async {
    let (gate, open) = Promise<Int>.pending()
    let (box, filled) = Promise<Promise<[Int]>>.pending()
    let all = when([1, 2], concurrency: 1) { number in
      guard number > 1, case .fulfilled(let own) = box.state else { return gate }
      return own.map { $0.count }
    }
    filled.fulfill(all)
    open.fulfill(0)
    #expect(!all.isPending)
    all.cancel()
    #expect(await all.result.failure() == PromiseError.cycle)
  }

  @Test func runningPromisesWithOtherConsumersAreNotCancelled() async throws {
    let works = Works(3)
    let other = works.pairs[0].promise.map { $0 + 10 }
    let all = when(works.starts, concurrency: 2)
    works.pairs[1].resolver.reject(TestError())
    #expect(await all.result.error is TestError)
    works.fulfill(0)
    #expect(try await other.value == 10)
  }

  @Test func cancellingTheResultCancelsRunningPromisesAndStartsNoMore() {
    let works = Works(4)
    let all = when(works.starts, concurrency: 2)
    works.fulfill(0)
    all.cancel()
    #expect(works.pairs[1].promise.isCancelled)
    #expect(works.pairs[2].promise.isCancelled)
    #expect(works.started.entries == [0, 1, 2])
  }

  @Test func thePromiseOfAStartThatCancelsTheResultIsCancelled() {
    let (gate, open) = Promise<Int>.pending()
    let (late, resolver) = Promise<Int>.pending()
    let (box, filled) = Promise<Promise<[Int]>>.pending()
    let starts: [@Sendable () throws -> Promise<Int>] = [
      { gate },
      {
        box.done(on: .inline) { $0.cancel() }
        return late
      },
    ]
    let all = when(starts, concurrency: 1)
    filled.fulfill(all)
    open.fulfill(0)
    #expect(all.isCancelled)
    #expect(late.isCancelled)
    resolver.fulfill(1)
  }

  @Test(arguments: [1, 3])
  func aHundredThousandImmediateStartsDoNotGrowTheStack(_ concurrency: Int) async {
    let log = Log<[Int]>()
    await onThread(stackSize: 512 << 10) {
      let starts = (0..<100_000).map { index in
        { @Sendable () throws -> Promise<Int> in .fulfilled(index) }
      }
      when(starts, concurrency: concurrency).done(on: .inline) { log.append($0) }
    }
    #expect(await log.entries(1) == [Array(0..<100_000)])
  }

  @Test(arguments: [0, -1])
  func aLimitBelowOneIsAPreconditionFailure(_ concurrency: Int) async throws {
    let zero = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [concurrency] in
      let starts: [@Sendable () throws -> Promise<Int>] = [{ .fulfilled(1) }]
      _ = when(starts, concurrency: concurrency)
    }
    let text = String(decoding: try #require(zero).standardErrorContent, as: UTF8.self)
    #expect(text.contains("when: concurrency is \(concurrency), but must be at least 1"))
  }
}

@Suite(.timeLimit(.minutes(10)))
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
    let all = reduce(1...3, true, on: queue.context) { partial, _ in
      .fulfilled(partial && queue.isCurrent)
    }
    #expect(try await all.value)
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
