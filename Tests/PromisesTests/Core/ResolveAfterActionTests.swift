import Promises
import TestSupport
import Testing

/// The `after` action of a resolver that adopts a promise.
@Suite(.timeLimit(.minutes(10)))
struct ResolveAfterActionTests {
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
    resolver.resolve(other, after: { [log] in log.append("after") })
  }

  @Test(arguments: Time.allCases)
  func theActionRunsBeforeFulfilmentHandlers(_ time: Time) {
    let (_, resolver) = observed()
    let other = Promise<Int>.pending(on: .inline)
    if time == .before { other.resolver.fulfill(7) }
    resolve(resolver, other.promise)
    other.resolver.fulfill(7)
    #expect(log.entries == ["after", "fulfilled 7"])
  }

  @Test(arguments: Time.allCases)
  func theActionRunsBeforeRejectionHandlers(_ time: Time) {
    let (_, resolver) = observed()
    let other = Promise<Int>.pending(on: .inline)
    if time == .before { other.resolver.reject(TestError()) }
    resolve(resolver, other.promise)
    other.resolver.reject(TestError())
    #expect(log.entries == ["after", "rejected"])
  }

  @Test func theActionOfACancelledPromiseRunsWhenTheAdoptedPromiseSettles() {
    let (promise, resolver) = observed()
    let other = Promise<Int>.pending(on: .inline)
    other.promise.done { _ in }
    promise.cancel()
    resolve(resolver, other.promise)
    #expect(log.entries == ["cancelled"])
    other.resolver.fulfill(7)
    #expect(log.entries == ["cancelled", "after"])
  }

  @Test func cancellationAfterTheAdoptionRunsTheAction() {
    let (promise, resolver) = observed()
    let other = Promise<Int>.pending(on: .inline)
    resolve(resolver, other.promise)
    promise.cancel()
    #expect(log.entries == ["cancelled", "after"])
    other.resolver.fulfill(7)
    #expect(log.entries == ["cancelled", "after"])
  }

  /// Cancelled reactions are removed from time to time; a trailing reaction must not be among them.
  @Test func theActionRunsAlthoughManyConsumersWereCancelled() {
    let other = Promise<Int>.pending(on: .inline)
    other.promise.done { _ in }
    let (promise, resolver) = observed()
    resolve(resolver, other.promise)
    let others = (0..<100).map { _ in other.promise.then { $0 } }
    promise.cancel()
    for other in others { other.cancel() }
    #expect(log.entries == ["cancelled"])
    other.resolver.fulfill(7)
    #expect(log.entries == ["cancelled", "after"])
  }

  @Test func theActionRunsBeforeACycleIsRejected() {
    let (promise, resolver) = observed()
    resolve(resolver, promise)
    #expect(log.entries == ["after", "rejected"])
  }
}
