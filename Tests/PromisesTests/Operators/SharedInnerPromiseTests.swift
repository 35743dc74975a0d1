import Promises
import TestGate
import TestSupport
import Testing
import ThreadSanitizerSupport

/// Cancellation of a promise while another thread makes it adopt an inner promise that has another
/// consumer.
///
/// The inner promise is never cancelled, regardless of the order.
@Suite(.gated)
struct SharedInnerPromiseTests {
  private struct Round: Sendable {
    let open: Resolver<Int>
    let shared: Promise<Int>
    let resolver: Resolver<Int>
    let other: Promise<Int>
    let cancel: @Sendable () -> Void
  }

  /// Synchronizes two threads before each round, because the race window is only nanoseconds long.
  private func raceOnTwoThreads(
    _ start: (_ gate: Promise<Int>, _ shared: Promise<Int>) -> @Sendable () -> Void
  ) async {
    let rounds = (0..<(thread_sanitizer_is_on() ? 200 : 2_000)).map { _ in
      let (gate, open) = Promise<Int>.pending()
      let (shared, resolver) = Promise<Int>.pending()
      let other = shared.map { $0 }
      return Round(
        open: open, shared: shared, resolver: resolver, other: other, cancel: start(gate, shared))
    }
    let arrived = Counter()
    await onThreads(2) { thread in
      for (index, round) in rounds.enumerated() {
        arrived.add()
        while arrived.value < 2 * (index + 1) {}
        if thread == 0 {
          round.open.fulfill(1)
        } else {
          for _ in 0..<(index % 40) { _ = arrived.value }
          round.cancel()
        }
      }
    }
    #expect(rounds.count { !$0.shared.isPending } == 0)
    for round in rounds { round.resolver.fulfill(1) }
  }

  @Test func cancellingAThenKeepsASharedInnerPromise() async {
    await raceOnTwoThreads { gate, shared in
      let next = gate.then(on: .inline) { _ in shared }
      return { next.cancel() }
    }
  }

  @Test func cancellingABoundedWhenKeepsASharedInnerPromise() async {
    await raceOnTwoThreads { gate, shared in
      let operations: [@Sendable () throws -> Promise<Int>] = [{ gate }, { shared }]
      let combined = when(operations, concurrency: 1)
      return { combined.cancel() }
    }
  }

  @Test func cancellingARetryKeepsASharedAttempt() async {
    await raceOnTwoThreads { gate, shared in
      let failing = gate.map { _ -> Int in throw TestError() }
      let promise = retry(.immediate(limit: 1)) { $0 == 1 ? failing : shared }
      return { promise.cancel() }
    }
  }

  @Test func onCancelActionsRunAfterTheResolverAdoptsAPromise() {
    let (promise, resolver) = Promise<Int>.pending()
    let (other, otherResolver) = Promise<Int>.pending()
    let log = Log<String>()
    resolver.onCancel { log.append("before") }
    resolver.resolve(other)
    resolver.onCancel { log.append("after") }
    promise.cancel()
    #expect(log.entries.sorted() == ["after", "before"])
    #expect(other.isCancelled && otherResolver.isSettled)
  }

  @Test func capturesOfOnCancelActionsAreReleasedOutsideTheLock() {
    let (promise, resolver) = Promise<Int>.pending()
    do {
      let canceller = Canceller(promise)
      resolver.onCancel { withExtendedLifetime(canceller) {} }
    }
    resolver.fulfill(1)
    #expect(!promise.isCancelled)
  }

  private final class Canceller: Sendable {
    let promise: Promise<Int>

    init(_ promise: Promise<Int>) {
      self.promise = promise
    }

    deinit {
      promise.cancel()
    }
  }
}
