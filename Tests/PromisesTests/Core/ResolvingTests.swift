import Promises
import TestSupport
import Testing

/// The order of cancellation actions and handlers when a promise adopts another one.
@Suite(.timeLimit(.minutes(10)))
struct MomentOfResolving {
  enum Time: CaseIterable, Sendable { case before, after }

  private let log = Log<String>()

  private func observed() -> (promise: Promise<Int>, resolver: Resolver<Int>) {
    let pair = Promise<Int>.pending(on: .inline)
    pair.promise.always { [log] result in
      switch result {
      case .success(let value): log.append("fulfilled \(value)")
      case .failure(let error): log.append(error.isCancellation ? "cancelled" : "rejected")
      }
    }
    return pair
  }

  private func resolve(_ resolver: Resolver<Int>, _ other: Promise<Int>) {
    resolver.resolve(other, after: { [log] in log.append("timing") })
  }

  @Test(arguments: Time.allCases)
  func itComesBeforeTheHandlersOfTheValue(_ time: Time) {
    let (_, resolver) = observed()
    let other = Promise<Int>.pending(on: .inline)
    if time == .before { other.resolver.fulfill(7) }
    resolve(resolver, other.promise)
    other.resolver.fulfill(7)
    #expect(log.entries == ["timing", "fulfilled 7"])
  }

  @Test(arguments: Time.allCases)
  func itComesBeforeTheHandlersOfTheError(_ time: Time) {
    let (_, resolver) = observed()
    let other = Promise<Int>.pending(on: .inline)
    if time == .before { other.resolver.reject(TestError()) }
    resolve(resolver, other.promise)
    other.resolver.reject(TestError())
    #expect(log.entries == ["timing", "rejected"])
  }

  @Test func ofAPromiseCancelledBeforeItComesWhenTheOtherHasSettled() {
    let (promise, resolver) = observed()
    let other = Promise<Int>.pending(on: .inline)
    other.promise.done { _ in }
    promise.cancel()
    resolve(resolver, other.promise)
    #expect(log.entries == ["cancelled"])
    other.resolver.fulfill(7)
    #expect(log.entries == ["cancelled", "timing"])
  }

  @Test func ofAPromiseCancelledAfterwardsItComesAsTheOtherIsCancelled() {
    let (promise, resolver) = observed()
    let other = Promise<Int>.pending(on: .inline)
    resolve(resolver, other.promise)
    promise.cancel()
    #expect(log.entries == ["cancelled", "timing"])
    other.resolver.fulfill(7)
    #expect(log.entries == ["cancelled", "timing"])
  }

  /// Cancelled reactions are removed from time to time; a trailing reaction must not be among them.
  @Test func itComesThoughManyConsumersOfTheOtherHaveLeft() {
    let other = Promise<Int>.pending(on: .inline)
    other.promise.done { _ in }
    let (promise, resolver) = observed()
    resolve(resolver, other.promise)
    let others = (0..<100).map { _ in other.promise.then { $0 } }
    promise.cancel()
    for other in others { other.cancel() }
    #expect(log.entries == ["cancelled"])
    other.resolver.fulfill(7)
    #expect(log.entries == ["cancelled", "timing"])
  }

  @Test func itComesWhereThePromiseWouldFollowItself() {
    let (promise, resolver) = observed()
    resolve(resolver, promise)
    #expect(log.entries == ["timing", "rejected"])
  }
}
