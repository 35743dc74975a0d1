import Dispatch
import TestGate
import TestSupport
import Testing

@testable import Promises

@Suite(.gated)
struct DeliveryOrderTests {
  @Test func aHandlerAttachedDuringDeliveryRunsAfterEarlierHandlers() async {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<Int>()
    promise.done(on: .inline) { _ in
      let attached = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        promise.done(on: .inline) { _ in log.append(2) }
        attached.signal()
      }
      attached.wait()
      log.append(0)
    }
    promise.done(on: .inline) { _ in log.append(1) }
    await onThread(stackSize: 1 << 20) { resolver.fulfill(1) }
    #expect(log.entries == [0, 1, 2])
  }

  @Test func trailingHandlersRunAfterAllDerivedHandlers() {
    let (promise, resolver) = Promise<Int>.pending()
    let log = Log<String>()
    promise.runAfterHandlers { log.append("trailing") }
    promise.map { $0 + 1 }.map { $0 + 1 }.always(on: .inline) { _ in log.append("derived") }
    promise.then(on: .inline) { _ in Promise.fulfilled(1) }
      .always(on: .inline) { _ in log.append("adopted") }
    resolver.fulfill(1)
    #expect(log.entries == ["adopted", "derived", "trailing"])
    promise.runAfterHandlers { log.append("late") }
    #expect(log.entries.last == "late")
  }

  @Test func manyTrailingPromisesDoNotGrowTheStack() async {
    let log = Log<Int>()
    let pairs = (0..<100_000).map { _ in Promise<Int>.pending() }
    for index in pairs.indices.dropLast() {
      pairs[index].promise.runAfterHandlers { pairs[index + 1].resolver.fulfill(index) }
    }
    pairs.last?.promise.done(on: .inline) { log.append($0) }
    await onThread(stackSize: 1 << 17) { pairs.first?.resolver.fulfill(0) }
    #expect(log.entries == [99_998])
  }

  @Test func deliveriesHaveTheOrderOfTheSettlements() {
    let log = Log<Int>()
    let pairs = (0..<5).map { _ in Promise<Int>.pending() }
    for (index, pair) in pairs.enumerated() {
      pair.promise.done(on: .inline) { _ in
        log.append(index)
        if index == 0 { pairs[4].resolver.fulfill(1) }
      }
    }
    Promise.fulfilled(1).done(on: .inline) { _ in
      for pair in pairs.prefix(4) { pair.resolver.fulfill(1) }
    }
    #expect(log.entries == [0, 1, 2, 3, 4])
  }

  @Test func theLiveSchedulerDeliversEarlierTimersFirst() async {
    let scheduler = LiveScheduler()
    let log = Log<Int>()
    _ = scheduler.schedule(after: .milliseconds(1)) { log.append(1) }
    _ = scheduler.schedule(after: .milliseconds(2)) { log.append(2) }
    #expect(await log.entries(2) == [1, 2])
    withExtendedLifetime(scheduler) {}
  }
}
