import Promises
import TestGate
import TestSupport
import Testing

/// `when` and `settled` with a concurrency limit and a sequence that is read lazily.
@Suite(.gated)
struct BoundedSequenceTests {
  /// An infinite sequence that counts how many elements have been read.
  private struct CountedNumbers: Sequence, Sendable {
    let read = Counter()

    func makeIterator() -> AnyIterator<Int> {
      AnyIterator { read.add() - 1 }
    }
  }

  /// Pending promises by number, created when they are needed.
  private final class Gates: Sendable {
    let pairs: [(promise: Promise<Int>, resolver: Resolver<Int>)]

    init(_ count: Int) {
      pairs = (0..<count).map { _ in Promise<Int>.pending() }
    }

    /// Settles the promises that are still pending.
    func close() {
      for (index, pair) in pairs.enumerated() { pair.resolver.fulfill(index) }
    }
  }

  @Test(arguments: 1...4)
  func elementsOfAnInfiniteSequenceAreReadAsSlotsBecomeFree(_ concurrency: Int) {
    let (numbers, gates) = (CountedNumbers(), Gates(10))
    let combined = when(numbers, concurrency: concurrency) { gates.pairs[$0].promise }
    for index in 0..<5 {
      #expect(numbers.read.value == index + concurrency)
      gates.pairs[index].resolver.fulfill(index)
    }
    #expect(combined.isPending)
    combined.cancel()
    gates.close()
    #expect(numbers.read.value == 5 + concurrency)
  }

  @Test(arguments: [true, false])
  func anErrorEndsAnInfiniteSequence(_ isThrown: Bool) async {
    let numbers = CountedNumbers()
    let combined = when(numbers, concurrency: 3) { number -> Promise<Int> in
      if number == 1_000, isThrown { throw TestError("\(number)") }
      return number == 1_000 ? .rejected(TestError("\(number)")) : .fulfilled(number)
    }
    #expect(await combined.result.failure() == TestError("1000"))
    #expect(numbers.read.value == 1_001)
  }

  @Test func aSequenceThatIsNotSendableIsRead() async throws {
    let powers = sequence(first: 1) { $0 < 1_000 ? $0 * 2 : nil }
    let values = try await when(powers, concurrency: 2) { .fulfilled($0) }.value
    #expect(values == (0...10).map { 1 << $0 })
    let squares = try await when((1...3).lazy.map { $0 * $0 }, concurrency: 2) { .fulfilled($0) }
      .value
    #expect(squares == [1, 4, 9])
  }

  @Test(arguments: 1...3)
  func theEndOfTheSequenceIsFoundWhenASlotIsFree(_ concurrency: Int) async throws {
    let gates = Gates(3)
    let combined = when([0, 1, 2], concurrency: concurrency) { gates.pairs[$0].promise }
    for index in 0..<3 {
      #expect(combined.isPending)
      gates.pairs[index].resolver.fulfill(index)
    }
    #expect(combined.currentValue == [0, 1, 2])
  }

  @Test(arguments: [1, 3])
  func aHundredThousandElementsDoNotGrowTheStack(_ concurrency: Int) async {
    let log = Log<Int>()
    await onThread(stackSize: 512 << 10) {
      when(0..<100_000, concurrency: concurrency) { Promise.fulfilled($0) }
        .done(on: .inline) { log.append($0.count) }
    }
    #expect(await log.entries(1) == [100_000])
  }

  /// Operations that settle on several threads free slots concurrently.
  @Test(arguments: [1, 2, 7])
  func slotsThatSeveralThreadsFreeAreUsedOnce(_ concurrency: Int) async throws {
    let (running, levels) = (Counter(), Log<Int>())
    let values = try await when(0..<2_000, concurrency: concurrency) { number in
      levels.append(running.add())
      return Promise(on: .background) {
        running.add(-1)
        return number
      }
    }.value
    #expect(values == Array(0..<2_000))
    #expect(levels.entries.count == 2_000)
    #expect(levels.entries.max() ?? 0 <= concurrency)
  }

  // MARK: settled

  @Test(arguments: Timing.allCases)
  func settledCollectsAllOutcomesInOrder(_ timing: Timing) async throws {
    let outcomes = try await settled(Outcome.allCases, concurrency: 2) { outcome in
      let subject = TestPromise(outcome.result, timing)
      subject.settle()
      return subject.promise
    }.value
    #expect(outcomes.count == 3)
    for (outcome, result) in zip(Outcome.allCases, outcomes) { #expect(outcome.matches(result)) }
  }

  @Test(arguments: 1...3)
  func settledReachesItsLimitAndContinuesAfterErrors(_ concurrency: Int) async throws {
    let (numbers, gates) = (Log<Int>(), Gates(4))
    let combined = settled(0..<4, concurrency: concurrency) { number in
      numbers.append(number)
      return gates.pairs[number].promise
    }
    for index in 0..<4 {
      #expect(numbers.entries.count == min(index + concurrency, 4))
      gates.pairs[index].resolver.reject(TestError("\(index)"))
    }
    let errors = try #require(combined.currentValue).map { $0.error as? TestError }
    #expect(errors == (0..<4).map { TestError("\($0)") })
  }

  @Test func aThrownErrorIsAnOutcomeOfSettled() async throws {
    let operations: [@Sendable () throws -> Promise<Int>] = [
      { throw TestError("start") }, { .fulfilled(1) },
    ]
    let started = [
      settled(operations, concurrency: 1), settled(operations, concurrency: 1, on: .inline),
      settled(operations, concurrency: 1) { try $0() },
      settled(operations, concurrency: 1, on: .inline) { try $0() },
    ]
    for outcomes in started {
      let outcomes = try await outcomes.value
      #expect(outcomes[0].failure() == TestError("start"))
      #expect(try outcomes[1].get() == 1)
    }
  }

  @Test func aThrownErrorRejectsWhenWhileOthersArePending() async throws {
    let (open, resolver) = Promise<Int>.pending()
    let other = open.map(on: .inline) { $0 }
    let operations: [@Sendable () throws -> Promise<Int>] = [
      { open }, { throw TestError("start") },
    ]
    let started = [
      when(operations, concurrency: 2), when(operations, concurrency: 2, on: .inline),
      when(operations, concurrency: 2) { try $0() },
      when(operations, concurrency: 2, on: .inline) { try $0() },
    ]
    for values in started { #expect(await values.result.failure() == TestError("start")) }
    resolver.fulfill(1)
    #expect(try await other.value == 1)
  }

  @Test func settledWithoutItemsIsFulfilled() {
    #expect(
      settled([Int](), concurrency: 1) { Promise.fulfilled($0) }.currentValue?.isEmpty == true)
  }

  @Test func cancellingSettledCancelsTheOperationsInFlight() {
    let (numbers, gates) = (CountedNumbers(), Gates(2))
    let combined = settled(numbers, concurrency: 2) { gates.pairs[$0].promise }
    combined.cancel()
    #expect(gates.pairs.allSatisfy { $0.promise.isCancelled })
    #expect(numbers.read.value == 2)
  }

  // MARK: Contexts

  @Test(arguments: [true, false])
  func operationsAndTheResultUseTheGivenContext(_ isSettled: Bool) async throws {
    let (queue, log) = (LabelledQueue(), Log<Bool>())
    @Sendable func start(_ number: Int) -> Promise<Int> {
      log.append(queue.isCurrent)
      return .fulfilled(number)
    }
    let operations = (0..<3).map { number in { @Sendable in start(number) } }
    let isThere: Promise<Bool>
    if isSettled {
      isThere = settled(0..<3, concurrency: 2, on: queue.context, start)
        .then { _ in settled(operations, concurrency: 2, on: queue.context) }
        .then { _ in queue.isCurrent }
    } else {
      isThere = when(0..<3, concurrency: 2, on: queue.context, start)
        .then { _ in when(operations, concurrency: 2, on: queue.context) }
        .then { _ in queue.isCurrent }
    }
    #expect(try await isThere.value)
    #expect(log.entries == Array(repeating: true, count: 6))
  }

  @Test func theResultOfAnEmptySequenceUsesTheGivenContext() async throws {
    let queue = LabelledQueue()
    let nothing = when([Int](), concurrency: 1, on: queue.context) { Promise.fulfilled($0) }
    #expect(try await nothing.then { _ in queue.isCurrent }.value)
  }

  @Test func aLimitBelowOneIsAPreconditionFailureOfSettled() async {
    await #expect(processExitsWith: .failure) {
      _ = settled([1], concurrency: 0) { Promise.fulfilled($0) }
    }
  }
}
