import Promises
import TestGate
import TestSupport
import Testing
import ThreadSanitizerSupport

/// Chains of any length settle, are cancelled, and are released without recursion.
///
/// Each test runs on a thread with a stack of 512 KiB, which a few thousand nested calls would
/// overflow. With the thread sanitizer the chains are shorter.
@Suite(.serialized, .gated)
struct DeepChainTests {
  private static let stack = 512 * 1024
  private static let length = thread_sanitizer_is_on() ? 50_000 : 200_000
  private static let depth = length / 10

  private static func chain(of length: Int, from promise: Promise<Int>) -> Promise<Int> {
    var last = promise
    for _ in 0..<length { last = last.then(on: .inline) { $0 + 1 } }
    return last
  }

  @Test func manyPendingStepsAreFulfilled() async {
    await onThread(stackSize: Self.stack) {
      let (promise, resolver) = Promise<Int>.pending()
      let last = Self.chain(of: Self.length, from: promise)
      resolver.fulfill(0)
      expectFulfilled(last, with: Self.length)
    }
  }

  @Test func manyPendingStepsAreRejected() async {
    await onThread(stackSize: Self.stack) {
      let (promise, resolver) = Promise<Int>.pending()
      let last = Self.chain(of: Self.length, from: promise).fail(on: .inline) { _ in }
      resolver.reject(TestError())
      guard case .rejected(let error) = last.state, error is TestError else {
        return #expect(Bool(false), "the error did not arrive")
      }
    }
  }

  @Test func manyStepsRunOnASettledPromise() async {
    await onThread(stackSize: Self.stack) {
      expectFulfilled(Self.chain(of: Self.length, from: .fulfilled(0)), with: Self.length)
    }
  }

  @Test func cancellingTheTailOfManyStepsReachesTheHead() async {
    await onThread(stackSize: Self.stack) {
      let (promise, resolver) = Promise<Int>.pending()
      let last = Self.chain(of: Self.length, from: promise)
      last.cancel()
      guard case .rejected(let error) = promise.state else {
        return #expect(Bool(false), "the head was not cancelled")
      }
      #expect(error is CancellationError)
      #expect(resolver.isSettled)
    }
  }

  @Test(arguments: Outcome.allCases, [false, true])
  func manyDoneHandlersInARowSettleAndAreReleased(_ outcome: Outcome, _ isEarly: Bool) async {
    let live = InstanceCounter()
    await onThread(stackSize: Self.stack) {
      let count = Counter()
      let (promise, resolver) = Promise<Int>.pending(on: .custom(holding: live.token()))
      if isEarly { resolver.resolve(outcome.result) }
      var last = promise
      for _ in 0..<Self.length { last = last.done(on: .inline) { _ in count.add(1) } }
      last.fail(on: .inline) { _ in }
      if outcome == .cancellation { last.cancel() }
      resolver.resolve(outcome.result)
      #expect(promise.isFulfilled == (outcome == .success))
      #expect(last.isFulfilled == (outcome == .success) && !last.isPending)
      #expect(count.value == (outcome == .success ? Self.length : 0))
    }
    #expect(live.liveCount == 0)
  }

  @Test func manyPendingStepsAreReleased() async {
    let live = InstanceCounter()
    await onThread(stackSize: Self.stack) {
      var pair: (promise: Promise<Int>, resolver: Resolver<Int>)? = Promise<Int>.pending()
      var last = pair?.promise.on(.custom(holding: live.token()))
      for _ in 0..<Self.length { last = last?.then(on: .inline) { $0 + 1 } }
      last?.fail(on: .inline) { _ in }
      last = nil
      pair = nil
    }
    #expect(live.liveCount == 0)
  }

  @Test(arguments: Timing.allCases)
  func manyNestedStepsReturnPromises(_ timing: Timing) async throws {
    let (start, resolver) = Promise<Int>.pending()
    if timing == .settled { resolver.fulfill(0) }
    let (result, end) = Promise<Int>.pending()
    await onThread(stackSize: Self.stack) {
      @Sendable func descend(_ depth: Int) -> Promise<Int> {
        start.then(on: .inline) { value in
          depth == 0 ? .fulfilled(value) : descend(depth - 1).then(on: .inline) { $0 + 1 }
        }
      }
      end.resolve(descend(Self.depth))
      if timing == .immediate { resolver.fulfill(0) }
    }
    if timing == .eventual {
      await onThread(stackSize: Self.stack) { resolver.fulfill(0) }
    }
    #expect(try await result.value == Self.depth)
  }

  @Test func manyPromisesAdoptOneAnother() async {
    await onThread(stackSize: Self.stack) {
      let pairs = (0..<Self.depth).map { _ in Promise<Int>.pending() }
      for (index, pair) in pairs.enumerated().dropLast() {
        pair.resolver.resolve(pairs[index + 1].promise)
      }
      pairs.last?.resolver.fulfill(5)
      expectFulfilled(pairs[0].promise, with: 5)
    }
  }

  @Test func resolversRetainedByHandlersAreReleasedWithoutRecursion() async {
    await onThread(stackSize: Self.stack) {
      let (first, resolver) = Promise<Int>.pending()
      var last = first
      for _ in 0..<Self.depth {
        let (next, nextResolver) = Promise<Int>.pending()
        last.done(on: .inline) { nextResolver.fulfill($0 + 1) }
        last.fail(on: .inline) { nextResolver.reject($0) }
        last = next
      }
      resolver.fulfill(0)
      expectFulfilled(last, with: Self.depth)
    }
  }
}

private func expectFulfilled(
  _ promise: Promise<Int>, with value: Int, sourceLocation: SourceLocation = #_sourceLocation
) {
  guard case .fulfilled(let actual) = promise.state else {
    return #expect(Bool(false), "is \(promise.state)", sourceLocation: sourceLocation)
  }
  #expect(actual == value, sourceLocation: sourceLocation)
}
