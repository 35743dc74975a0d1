import Promises
import TestGate
import TestSupport
import Testing

/// Promises of tasks: `Promise { try await ... }` and `then` with an asynchronous closure.
@Suite(.gated)
struct AsyncTests {
  /// Reports its start and its cancellation, and runs until it is cancelled.
  private struct Endless: Sendable {
    let log = Log<String>()

    func run() async throws -> Int {
      let (never, resolver) = Promise<Int>.pending()
      return try await withTaskCancellationHandler {
        log.append("runs")
        defer { withExtendedLifetime(resolver) {} }
        return try await never.value
      } onCancel: {
        log.append("cancelled")
      }
    }
  }

  @Test(arguments: Outcome.allCases)
  func promiseSettlesWithTheResultOfItsTask(_ outcome: Outcome) async {
    let promise = Promise { () async throws -> Int in try outcome.result.get() }
    #expect(outcome.matches(await promise.result))
  }

  @Test func cancellingThePromiseCancelsItsTask() async {
    let endless = Endless()
    let promise = Promise { try await endless.run() }
    _ = await endless.log.entries(1)
    promise.cancel()
    #expect(promise.isCancelled)
    #expect(await endless.log.entries(2) == ["runs", "cancelled"])
  }

  @Test func cancellingTheLastConsumerCancelsTheTask() async {
    let endless = Endless()
    let promise = Promise { try await endless.run() }
    let consumers = [promise.map { $0 }, promise.map { $0 }]
    _ = await endless.log.entries(1)
    consumers[0].cancel()
    #expect(promise.isPending)
    consumers[1].cancel()
    #expect(await endless.log.entries(2) == ["runs", "cancelled"])
  }

  @Test func cancellingAThenWithAnAsyncClosureCancelsItsTask() async {
    let endless = Endless()
    let next = Promise.fulfilled(1).then { _ in try await endless.run() }
    _ = await endless.log.entries(1)
    next.cancel()
    #expect(next.isCancelled)
    #expect(await endless.log.entries(2) == ["runs", "cancelled"])
  }

  @Test func aThenCancelledBeforeFulfilmentStartsNoTask() async {
    let endless = Endless()
    let (promise, resolver) = Promise<Int>.pending()
    promise.done { _ in }
    let next = promise.then { _ in try await endless.run() }
    next.cancel()
    resolver.fulfill(1)
    #expect(await next.result.error is CancellationError)
    #expect(endless.log.entries.isEmpty)
  }

  @Test func errorsOfACancelledTaskAreIgnored() async {
    let (entered, enter) = Promise<Void>.pending()
    let (gate, open) = Promise<Void>.pending()
    let promise = Promise { () async throws -> Int in
      enter.fulfill(())
      _ = await withTaskCancellationHandler {
        await Task { await gate.result }.value
      } onCancel: {
        open.fulfill(())
      }
      throw TestError("late")
    }
    _ = await entered.result
    promise.cancel()
    #expect(await promise.result.error is CancellationError)
  }

  @Test func theTaskHasTheRequestedPriority() async throws {
    let promise = Promise(priority: .high) { () async throws in Task.currentPriority }
    #expect(try await promise.value >= .high)
  }

  @Test func anAsyncStepInheritsTheContextOfThePromise() async throws {
    @Sendable func step(_ value: Int) async -> Int { value + 1 }
    let queue = LabelledQueue()
    let isThere = Promise.fulfilled(1).on(queue.context)
      .then { value in await step(value) }
      .then { _ in queue.isCurrent }
    #expect(try await isThere.value)
  }

  @Test func aMainActorStepRunsOnTheMainActor() async throws {
    let next = Promise.fulfilled(1).on(.background).then { @MainActor value async in
      MainActor.preconditionIsolated()
      return value
    }
    #expect(try await next.value == 1)
  }
}
