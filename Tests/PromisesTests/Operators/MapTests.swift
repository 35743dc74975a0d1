import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct TapTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func tapPassesTheOutcomeThrough(_ timing: Timing, _ outcome: Outcome) async {
    let log = Log<Int>()
    let result = await apply(to: outcome.result, timing) { promise in
      promise.tap { log.append($0) }
    }
    #expect(outcome.matches(result))
    #expect(log.entries == (outcome == .success ? [7] : []))
  }

  @Test(arguments: Timing.allCases)
  func anErrorThrownByTapRejects(_ timing: Timing) async {
    let result = await apply(to: .success(1), timing) { promise in
      promise.tap { _ in throw TestError("tap") }
    }
    #expect(result.failure() == TestError("tap"))
  }

  @Test func theChainWaitsForThePromiseOfATap() async throws {
    let (saving, saved) = Promise<String>.pending()
    let promise = Promise.fulfilled(7).tap(on: .inline) { _ in saving }
    #expect(promise.isPending)
    saved.fulfill("ignored")
    #expect(try await promise.value == 7)
  }

  @Test(arguments: Timing.allCases, Outcome.rejections)
  func aRejectedPromiseOfATapRejects(_ timing: Timing, _ inner: Outcome) async {
    let result = await apply(to: .success(1), inner: inner.result, timing) { promise, inner in
      promise.tap { _ in inner }
    }
    #expect(inner.matches(result))
  }

  @Test(arguments: Outcome.rejections)
  func aTapWithAPromiseIsSkippedAfterARejection(_ outcome: Outcome) async {
    let log = Log<Int>()
    let result = await apply(to: outcome.result, .eventual) { promise in
      promise.tap { value -> Promise<Void> in
        log.append(value)
        return .fulfilled(())
      }
    }
    #expect(outcome.matches(result))
    #expect(log.entries.isEmpty)
  }

  @Test func cancellationCancelsThePromiseOfTheTap() {
    let (saving, saved) = Promise<Void>.pending()
    let promise = Promise.fulfilled(7).tap(on: .inline) { _ in saving }
    promise.cancel()
    #expect(saving.isCancelled)
    saved.fulfill(())
  }

  @Test func tapRunsInTheGivenContext() async {
    let queue = LabelledQueue()
    let log = Log<Bool>()
    _ = Promise.fulfilled(7).tap(on: queue.context) { _ in log.append(queue.isCurrent) }
    #expect(await log.entries(1) == [true])
  }
}

@Suite(.gated)
struct MapTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func mapTransformsOnlyTheValue(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) { promise in
      promise.map { "\($0)" }.map { Int($0) ?? 0 }
    }
    #expect(outcome.matches(result))
  }

  @Test func mapRunsWhereThePromiseSettles() {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<Int>()
    _ = promise.map { log.append($0) }
    resolver.fulfill(3)
    #expect(log.entries == [3])
  }

  @Test func mapRunsInTheGivenContext() async throws {
    let queue = LabelledQueue()
    let mapped = Promise.fulfilled(1).map(on: queue.context) { _ in queue.isCurrent }
    #expect(try await mapped.value)
  }

  @Test func anErrorThrownByMapRejects() async {
    let mapped = Promise.fulfilled(1).map { _ -> Int in throw TestError("map") }
    #expect(await mapped.result.failure() == TestError("map"))
  }

  @Test func mapKeepsTheContextOfThePromise() async throws {
    let queue = LabelledQueue()
    let isThere = Promise.fulfilled(1).on(queue.context).map { $0 }.then { _ in queue.isCurrent }
    #expect(try await isThere.value)
  }
}

@Suite(.gated)
struct CompactMapTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func compactMapUnwrapsTheValue(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) { promise in
      promise.compactMap { Int("\($0)") }
    }
    #expect(outcome.matches(result))
  }

  @Test(arguments: Timing.allCases)
  func nilRejectsWithMissingValue(_ timing: Timing) async {
    let result = await apply(to: .success("seven"), timing) { promise in
      promise.compactMap { Int($0) }
    }
    #expect(result.failure() == PromiseError.missingValue)
  }

  @Test func anErrorThrownByCompactMapRejects() async {
    let promise = Promise.fulfilled(1).compactMap { _ -> Int? in throw TestError("compact") }
    #expect(await promise.result.failure() == TestError("compact"))
  }

  @Test func compactMapRunsInTheGivenContext() async throws {
    let queue = LabelledQueue()
    let promise = Promise.fulfilled(1).compactMap(on: queue.context) { _ in queue.isCurrent }
    #expect(try await promise.value)
  }
}

@Suite(.gated)
struct AsVoidTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func asVoidDiscardsOnlyTheValue(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) { promise in
      let void: Promise<Void> = promise.asVoid()
      return void
    }
    #expect(outcome.matches(result.map { 7 }))
  }

  @Test func promisesOfDifferentValuesFitIntoOneArray() async throws {
    let combined = when([Promise.fulfilled(1).asVoid(), Promise.fulfilled("a").asVoid()])
    #expect(try await combined.value.count == 2)
  }
}

@Suite(.gated)
struct ValidateTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func anAcceptableValuePassesThrough(_ timing: Timing, _ outcome: Outcome) async {
    let result = await apply(to: outcome.result, timing) { $0.validate { $0 == 7 } }
    #expect(outcome.matches(result))
  }

  @Test(arguments: Timing.allCases)
  func anUnacceptableValueRejects(_ timing: Timing) async {
    let result = await apply(to: .success(8), timing) { $0.validate(where: { $0 == 7 }) }
    #expect(result.failure() == PromiseError.unacceptableValue)
  }

  @Test(arguments: Timing.allCases)
  func anErrorThrownByTheConditionRejects(_ timing: Timing) async {
    let result = await apply(to: .success(8), timing) {
      $0.validate { _ in throw TestError("condition") }
    }
    #expect(result.failure() == TestError("condition"))
  }

  @Test func theConditionRunsInTheGivenContext() async throws {
    let queue = LabelledQueue()
    let promise = Promise.fulfilled(1).validate(on: queue.context) { _ in queue.isCurrent }
    #expect(try await promise.value == 1)
  }
}
