import CatenaSystem
import Promises
import TestGate
import TestSupport
import Testing

/// Promises/A+ 2.1: the states of a promise.
@Suite(.gated)
struct APlusStateTests {
  @Test func aPendingPromiseCanBecomeFulfilled() async throws {  // 2.1.1.1
    let (promise, resolver) = Promise<Int>.pending()
    guard case .pending = promise.state else { return #expect(Bool(false), "not pending") }
    resolver.fulfill(1)
    guard case .fulfilled(1) = promise.state else { return #expect(Bool(false), "not fulfilled") }
  }

  @Test func aPendingPromiseCanBecomeRejected() {  // 2.1.1.1
    let (promise, resolver) = Promise<Int>.pending()
    promise.fail { _ in }
    resolver.reject(TestError("a"))
    guard case .rejected(let error) = promise.state else {
      return #expect(Bool(false), "not rejected")
    }
    #expect(error as? TestError == TestError("a"))
  }

  @Test(arguments: Timing.allCases)
  func aFulfilledPromiseNeverChanges(_ timing: Timing) async throws {  // 2.1.2
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<Int>()
    if timing == .settled { resolver.fulfill(1) }
    promise.done(on: .inline) { log.append($0) }.fail(on: .inline) { _ in log.append(-1) }
    if timing != .settled { resolver.fulfill(1) }
    resolver.fulfill(2)
    resolver.reject(TestError())
    resolver.resolve(.success(3))
    resolver.resolve(Promise.fulfilled(4))
    promise.cancel()
    #expect(try await promise.value == 1)
    #expect(log.entries == [1])
  }

  @Test(arguments: Timing.allCases)
  func aRejectedPromiseNeverChanges(_ timing: Timing) async {  // 2.1.3
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<String>()
    if timing == .settled { resolver.reject(TestError("first")) }
    promise.done(on: .inline) { log.append("\($0)") }.fail(on: .inline) { log.append("\($0)") }
    if timing != .settled { resolver.reject(TestError("first")) }
    resolver.reject(TestError("second"))
    resolver.fulfill(2)
    promise.cancel()
    #expect(await promise.result.failure(as: TestError.self) == TestError("first"))
    #expect(log.entries == ["TestError(first)"])
  }

  @Test func exactlyOneOfManyConcurrentSettlementsWins() async {
    for _ in 0..<200 {
      let (promise, resolver) = Promise<Int>.pending()
      let log = Log<Int>()
      promise.done(on: .inline) { log.append($0) }
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<4 { group.addTask { resolver.fulfill(number) } }
      }
      promise.done(on: .inline) { log.append($0) }
      let entries = await log.entries(2)
      #expect(entries.count == 2 && entries[0] == entries[1])
    }
  }
}
