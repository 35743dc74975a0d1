import Promises
import TestGate
import TestSupport
import Testing

/// Values of any size and layout are stored unchanged and released with their promise.
@Suite(.gated)
struct LifetimeTests {
  private func pass<Value: Sendable>(_ value: Value) async throws -> Value {
    try await Promise.fulfilled(value).then { $0 }.value
  }

  @Test func valuesOfAnySizeAreStored() async throws {
    try await pass(())
    #expect(try await pass(true))
    #expect(
      try await pass("a string that is too long to be kept inside its own two words").count == 61)
    #expect(try await pass(Optional<Int>.none) == nil)
    #expect(try await pass([1, 2, 3]) == [1, 2, 3])
    #expect(try await pass(SIMD16<Double>(repeating: 2)) == SIMD16(repeating: 2))
    #expect(try await pass(Wide()) == Wide())
  }

  private struct Wide: Sendable, Equatable {
    var a = "a"
    var b = [1]
    var c = "c"
    var d = 4.0
  }

  @Test func aValueIsReleasedWithItsPromise() {
    let live = InstanceCounter()
    do {
      let small = Promise.fulfilled(live.token())
      let large = Promise.fulfilled((live.token(), live.token(), live.token(), live.token()))
      #expect(live.liveCount == 5)
      withExtendedLifetime((small, large)) {}
    }
    #expect(live.liveCount == 0)
  }

  /// The promises of several `done` share a value that does not fit into them, and retain the first
  /// promise if it is rejected.
  @Test(arguments: [Outcome.success, .failure], [false, true])
  func promisesWithTheSameOutcomeReleaseIt(_ outcome: Outcome, _ isEarly: Bool) {
    let live = InstanceCounter()
    do {
      let (promise, resolver) = Promise<WideTokens>.pending(on: .custom(holding: live.token()))
      func settle() {
        guard outcome == .success else { return resolver.reject(TestError()) }
        let (a, b, c, d) = (live.token(), live.token(), live.token(), live.token())
        resolver.fulfill(WideTokens(a: a, b: b, c: c, d: d))
      }
      if isEarly { settle() }
      let last = promise.done(on: .inline) { _ in }.on(.inline).done { _ in }.done { _ in }
        .fail { _ in }
      if !isEarly { settle() }
      #expect(last.isFulfilled == (outcome == .success))
      #expect(live.liveCount == (outcome == .success ? 5 : 1))
    }
    #expect(live.liveCount == 0)
  }

  private struct WideTokens: Sendable {
    let a, b, c, d: InstanceCounter.Token
  }

  @Test func aHandlerIsReleasedWhenItCanNoLongerRun() {
    let live = InstanceCounter()
    let (promise, resolver) = Promise<Int>.pending()
    do {
      let token = live.token()
      promise.done(on: .inline) { _ in withExtendedLifetime(token) {} }
      _ = promise.recover { _ in
        withExtendedLifetime(token) {}
        return 1
      }
    }
    #expect(live.liveCount == 1)
    resolver.fulfill(1)
    #expect(live.liveCount == 0)
  }

  /// The first handler is stored in the promise itself, and is not counted.
  @Test(arguments: [10, 100])
  func handlersOfCancelledPromisesAreReleasedWhenTheyAreHalfOfAll(_ count: Int) async throws {
    let live = InstanceCounter()
    let (promise, resolver) = Promise<Int>.pending()
    let first = promise.map(on: .inline) { $0 }
    let others = (0..<count).map { _ in
      let token = live.token()
      return promise.map(on: .inline) { number in withExtendedLifetime(token) { number } }
    }
    // Fewer than eight are not worth a search.
    let half = max(count / 2, 8)
    for other in others.prefix(half - 1) { other.cancel() }
    #expect(live.liveCount == count)
    others[half - 1].cancel()
    #expect(live.liveCount == count - half)
    resolver.fulfill(1)
    #expect(try await first.value == 1)
    #expect(live.liveCount == 0)
  }

  @Test func aResolvedPairIsReleased() {
    let live = InstanceCounter()
    do {
      let (promise, resolver) = Promise<Int>.pending()
      let chain = promise.on(.custom(holding: live.token())).map { $0 }.asVoid()
      resolver.onCancel { _ = chain }
      resolver.fulfill(1)
    }
    #expect(live.liveCount == 0)
  }
}
