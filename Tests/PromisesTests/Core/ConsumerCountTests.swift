import TestSupport
import Testing

@testable import Promises

@Suite(.timeLimit(.minutes(10)))
struct ConsumerCountTests {
  @Test func aSettledPromiseTakesMoreConsumersThanCanBeCounted() {
    let promise = Promise.fulfilled(1)
    promise.machine.withLock { $0.consumers = .max }
    let log = Log<Int>()
    promise.done(on: .inline) { log.append($0) }
    #expect(log.entries == [1])
  }
}
