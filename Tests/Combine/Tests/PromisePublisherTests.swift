import Combine
import Dispatch
import Promises
import PromisesCombine
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PromisePublisherTests {
  typealias IntProbe = Probe<Int, any Error>

  private func subscription(
    onValue: @escaping @Sendable (IntProbe) -> Subscribers.Demand = { _ in .none }
  ) -> (IntProbe, Resolver<Int>) {
    let (promise, resolver) = Promise<Int>.pending()
    let probe = IntProbe(onValue: onValue)
    promise.publisher.subscribe(probe)
    return (probe, resolver)
  }

  @Test func aValueWaitsForDemand() {
    let (probe, resolver) = subscription()
    resolver.fulfill(7)
    #expect(probe.log == [])
    probe.request(.max(1))
    #expect(probe.log == ["7", "finished"])
  }

  @Test func nothingIsDeliveredAfterTheEnd() {
    let (probe, resolver) = subscription()
    probe.request(.unlimited)
    resolver.fulfill(7)
    probe.request(.unlimited)
    #expect(probe.log == ["7", "finished"])
  }

  @Test func anErrorOfThePromiseIsTheFailure() {
    let (probe, resolver) = subscription()
    probe.request(.unlimited)
    resolver.reject(Failed())
    #expect(probe.log == ["Failed()"])
  }

  @Test func aFailureNeedsNoDemand() {
    let (probe, resolver) = subscription()
    resolver.reject(Failed())
    #expect(probe.log == ["Failed()"])
  }

  @Test func aSubscriberThatCancelsWithinItsValueReceivesNoEnd() {
    let (probe, resolver) = subscription { probe in
      probe.cancel()
      return .none
    }
    probe.request(.unlimited)
    resolver.fulfill(1)
    #expect(probe.log == ["1"])
  }

  @Test func aSettledPromiseDeliversWithinTheRequest() {
    let probe = IntProbe()
    Promise.fulfilled(3).publisher.subscribe(probe)
    #expect(probe.log == [])
    probe.request(.max(2))
    #expect(probe.log == ["3", "finished"])
  }

  @Test func theLastSubscriptionToCancelCancelsThePromise() {
    let stops = Mutex(0)
    let (promise, resolver) = Promise<Int>.pending()
    resolver.onCancel { stops.withLock { $0 += 1 } }
    let subscriptions = (0..<2).map { _ in
      promise.publisher.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    }
    subscriptions[0].cancel()
    #expect(stops.withLock { $0 } == 0)
    subscriptions[1].cancel()
    #expect(stops.withLock { $0 } == 1)
  }

  @Test func aCancelledPromiseIsAFailure() {
    let (promise, resolver) = Promise<Int>.pending()
    let probe = IntProbe()
    promise.publisher.subscribe(probe)
    promise.cancel()
    #expect(probe.log == ["CancellationError()"])
    withExtendedLifetime(resolver) {}
  }

  @Test func operatorsOfBothSidesCombine() {
    let (promise, resolver) = Promise<Int>.pending()
    let received = Mutex<[String]>([])
    let subscription = promise.map(on: .inline) { $0 * 2 }.publisher.map { "\($0)" }
      .sink(
        receiveCompletion: { completion in received.withLock { $0.append("\(completion)") } },
        receiveValue: { value in received.withLock { $0.append(value) } })
    resolver.fulfill(21)
    #expect(received.withLock { $0 } == ["42", "finished"])
    withExtendedLifetime(subscription) {}
  }

  @Test func settlingAndSubscribingAtOnceDeliversOnce() {
    for _ in 0..<500 {
      let (promise, resolver) = Promise<Int>.pending()
      let publisher = promise.publisher
      let probe = IntProbe()
      DispatchQueue.concurrentPerform(iterations: 2) { turn in
        if turn == 0 {
          resolver.fulfill(1)
        } else {
          publisher.subscribe(probe)
          probe.request(.max(1))
        }
      }
      #expect(probe.log == ["1", "finished"])
    }
  }

  /// Applies random events to a subscription, and compares its log with that of a model.
  @Test(arguments: 0..<200) func randomEventsMatchTheModel(seed: Int) {
    var numbers = SeededNumbers(seed: seed)
    let (promise, resolver) = Promise<Int>.pending()
    let probe = IntProbe()
    promise.publisher.subscribe(probe)
    var (isWanted, value, isOver) = (false, Int?.none, false)
    var expected: [String] = []
    for step in 0..<12 {
      let isSettled = value != nil || isOver
      switch Int.random(in: 0..<8, using: &numbers) {
      case 0...2:
        probe.request(.max(Int.random(in: 1...3, using: &numbers)))
        if !isOver, let value { expected += ["\(value)", "finished"] }
        isOver = isOver || value != nil
        isWanted = true
      case 3 where !isSettled:
        resolver.fulfill(step)
        if isWanted { expected += ["\(step)", "finished"] }
        isOver = isWanted
        value = step
      case 4 where !isSettled:
        resolver.reject(Failed())
        expected.append("Failed()")
        isOver = true
      case 5:
        probe.cancel()
        isOver = true
      case 6 where step > 8:
        promise.cancel()
        if !isSettled { expected.append("CancellationError()") }
        isOver = isOver || value == nil
      default: probe.request(.none)
      }
      #expect(probe.log == expected, "step \(step)")
    }
  }
}
