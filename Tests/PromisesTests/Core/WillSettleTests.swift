import Promises
import TestGate
import TestSupport
import Testing

/// The `willSettle` closure of a resolver that adopts a promise.
@Suite(.gated)
struct WillSettleTests {
  enum AdoptionTime: CaseIterable, Sendable { case before, after }

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
    resolver.resolve(other, willSettle: { [log] in log.append("willSettle") })
  }

  @Test(arguments: AdoptionTime.allCases)
  func theClosureRunsBeforeFulfilmentHandlers(_ time: AdoptionTime) {
    let (_, resolver) = observed()
    let other = Promise<Int>.pending(on: .inline)
    if time == .before { other.resolver.fulfill(7) }
    resolve(resolver, other.promise)
    other.resolver.fulfill(7)
    #expect(log.entries == ["willSettle", "fulfilled 7"])
  }

  @Test(arguments: AdoptionTime.allCases)
  func theClosureRunsBeforeRejectionHandlers(_ time: AdoptionTime) {
    let (_, resolver) = observed()
    let other = Promise<Int>.pending(on: .inline)
    if time == .before { other.resolver.reject(TestError()) }
    resolve(resolver, other.promise)
    other.resolver.reject(TestError())
    #expect(log.entries == ["willSettle", "rejected"])
  }

  @Test func theClosureOfACancelledPromiseRunsWhenTheAdoptedPromiseSettles() {
    let (promise, resolver) = observed()
    let other = Promise<Int>.pending(on: .inline)
    other.promise.done { _ in }
    promise.cancel()
    resolve(resolver, other.promise)
    #expect(log.entries == ["cancelled"])
    other.resolver.fulfill(7)
    #expect(log.entries == ["cancelled", "willSettle"])
  }

  @Test func cancellationAfterTheAdoptionRunsTheClosure() {
    let (promise, resolver) = observed()
    let other = Promise<Int>.pending(on: .inline)
    resolve(resolver, other.promise)
    promise.cancel()
    #expect(log.entries == ["cancelled", "willSettle"])
    other.resolver.fulfill(7)
    #expect(log.entries == ["cancelled", "willSettle"])
  }

  // Cancelled reactions are removed periodically. The reaction of the closure must not be removed
  // with them.
  @Test func theClosureRunsAlthoughManyConsumersWereCancelled() {
    let other = Promise<Int>.pending(on: .inline)
    other.promise.done { _ in }
    let (promise, resolver) = observed()
    resolve(resolver, other.promise)
    let others = (0..<100).map { _ in other.promise.then { $0 } }
    promise.cancel()
    for other in others { other.cancel() }
    #expect(log.entries == ["cancelled"])
    other.resolver.fulfill(7)
    #expect(log.entries == ["cancelled", "willSettle"])
  }

  @Test func theClosureRunsBeforeACycleIsRejected() {
    let (promise, resolver) = observed()
    resolve(resolver, promise)
    #expect(log.entries == ["willSettle", "rejected"])
  }
}
