import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct CancellationBagTests {
  @Test func promisesOfDifferentTypesAreCancelledInTheOrderOfAdding() {
    let bag = CancellationBag()
    let log = Log<String>()
    let (number, numberResolver) = Promise<Int>.pending(on: .inline)
    let (text, textResolver) = Promise<String>.pending(on: .inline)
    numberResolver.onCancel { log.append("number") }
    textResolver.onCancel { log.append("text") }
    text.cancelled(by: bag)
    number.cancelled(by: bag)
    #expect(bag.count == 2)
    bag.cancelAll()
    #expect(log.entries == ["text", "number"])
    #expect(number.currentError is CancellationError && text.currentError is CancellationError)
    #expect(bag.count == 0)
    bag.cancelAll()
    #expect(log.entries.count == 2)
  }

  @Test func aDoneHandlerDoesNotPreventTheCancellationOfTheWork() {
    let bag = CancellationBag()
    let log = Log<String>()
    let (source, resolver) = Promise<Int>.pending(on: .inline)
    resolver.onCancel { log.append("work cancelled") }
    source.map { $0 + 1 }
      .done { _ in log.append("done") }
      .fail { _ in log.append("fail") }
      .always { log.append("always") }
      .cancelled(by: bag)
    bag.cancelAll()
    resolver.fulfill(1)
    #expect(log.entries == ["work cancelled", "always"])
  }

  @Test func theReleaseOfTheBagCancels() {
    let (promise, resolver) = Promise<Int>.pending(on: .inline)
    var bag: CancellationBag? = CancellationBag()
    if let bag { promise.cancelled(by: bag) }
    #expect(promise.isPending)
    bag = nil
    #expect(bag == nil && promise.currentError is CancellationError)
    withExtendedLifetime(resolver) {}
  }

  @Test func settledPromisesLeaveTheBagAndAreReleased() {
    let bag = CancellationBag()
    Promise.fulfilled(1).cancelled(by: bag)
    #expect(bag.count == 0)
    weak var released: Promise<Int>?
    do {
      let (promise, resolver) = Promise<Int>.pending(on: .inline)
      promise.cancelled(by: bag)
      released = promise
      #expect(bag.count == 1)
      resolver.fulfill(1)
    }
    #expect(bag.count == 0 && released == nil)
  }

  @Test func aPromiseAddedByAHandlerOfTheCancellationIsNotCancelled() {
    let bag = CancellationBag()
    let (first, firstResolver) = Promise<Int>.pending(on: .inline)
    let (second, secondResolver) = Promise<Int>.pending(on: .inline)
    first.always(on: .inline) { _ in second.cancelled(by: bag) }.cancelled(by: bag)
    bag.cancelAll()
    #expect(first.isRejected && second.isPending && bag.count == 1)
    bag.cancelAll()
    #expect(second.isRejected)
    withExtendedLifetime((firstResolver, secondResolver)) {}
  }

  @Test func workWithAnotherConsumerContinues() {
    let bag = CancellationBag()
    let (source, resolver) = Promise<Int>.pending(on: .inline)
    let other = source.map { $0 + 1 }
    source.map { $0 * 2 }.cancelled(by: bag)
    bag.cancelAll()
    resolver.fulfill(1)
    #expect(other.currentValue == 2)
  }

  @Test func promisesAddedConcurrentlyAreAllCancelled() async {
    let bag = CancellationBag()
    let pairs = (0..<200).map { _ in Promise<Int>.pending(on: .inline) }
    await withTaskGroup(of: Void.self) { group in
      for pair in pairs {
        group.addTask { pair.promise.cancelled(by: bag) }
        group.addTask { bag.cancelAll() }
      }
    }
    bag.cancelAll()
    #expect(pairs.allSatisfy { $0.promise.isRejected })
    #expect(bag.count == 0)
  }
}
