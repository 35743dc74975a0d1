import TestGate
import TestSupport
import Testing

@testable import PromisesCombine

@Suite(.gated)
struct PublisherDeliveriesTests {
  /// Applies mutating calls in order, outside of the macro, which captures values.
  private func results<Machine, Result>(
    _ machine: inout Machine, _ calls: ((inout Machine) -> Result)...
  ) -> [Result] {
    calls.map { $0(&machine) }
  }

  @Test func aValueIsDeliveredOnceThereIsDemandForIt() {
    var early = SingleDelivery<Int>()
    let earlyValues = results(&early, { $0.settle(1) }, { $0.request() }, { $0.request() })
    #expect(earlyValues == [nil, 1, nil])
    var late = SingleDelivery<Int>()
    let lateValues = results(&late, { $0.request() }, { $0.settle(1) }, { $0.settle(2) })
    #expect(lateValues == [nil, 1, nil])
  }

  @Test func nothingFollowsTheEnd() {
    var delivery = SingleDelivery<Int>()
    _ = delivery.settle(1)
    let ends = results(&delivery, { $0.end() }, { $0.end() })
    #expect(ends == [true, false])
    let value = delivery.request()
    #expect(value == nil)
  }

  @Test func eachElementTakesOneOfTheDemand() {
    var delivery = SequenceDelivery()
    _ = delivery.request(2)
    let isWanted = results(&delivery, { $0.next { _ in } }, { $0.next { _ in } })
    #expect(isWanted == [true, true])
    #expect(delivery.isIdle)
  }

  @Test func aTaskThatWaitsResumesWithTheNextDemand() {
    let resumptions = Log<Bool>()
    var delivery = SequenceDelivery()
    let isWanted = delivery.next { resumptions.append($0) }
    #expect(isWanted == nil)
    delivery.request(0)?(true)
    #expect(resumptions.entries.isEmpty)
    delivery.request(1)?(true)
    #expect(resumptions.entries == [true])
    #expect(delivery.isIdle)
  }

  @Test func theEndResumesTheTaskOnce() {
    let resumptions = Log<Bool>()
    var delivery = SequenceDelivery()
    _ = delivery.next { resumptions.append($0) }
    let first = delivery.end()
    first.waiter?(false)
    let second = delivery.end()
    second.waiter?(false)
    #expect([first.isFirst, second.isFirst] == [true, false])
    #expect(resumptions.entries == [false])
    let isWanted = delivery.next { _ in }
    #expect(isWanted == false)
  }

  @Test func theSumOfDemandsDoesNotOverflow() {
    var delivery = SequenceDelivery()
    _ = delivery.request(.max)
    _ = delivery.request(.max)
    let isWanted = delivery.next { _ in }
    #expect(isWanted == true)
    #expect(!delivery.isIdle)
  }
}
