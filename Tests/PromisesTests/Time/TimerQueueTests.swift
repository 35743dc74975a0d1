import TestGate
import TestSupport
import Testing

@testable import Promises

@Suite(.gated)
struct TimerQueueTests {
  @Test(arguments: 1...20)
  func theQueueBehavesLikeASortedArray(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var queue = TimerQueue()
    var model: [(due: Duration, id: TimerQueue.ID)] = []
    let ran = Log<TimerQueue.ID>()
    for _ in 0..<3_000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let due = Duration.seconds(Int.random(in: 0..<50, using: &random))
        let next = Log<TimerQueue.ID>()
        let id = queue.insert(due: due) { for id in next.entries { ran.append(id) } }
        next.append(id)
        model.insert((due, id), at: model.firstIndex { $0.due > due } ?? model.count)
      case 5..<8:
        guard let index = model.indices.randomElement(using: &random) else { continue }
        #expect(queue.cancel(model[index].id) != nil)
        #expect(queue.cancel(model.remove(at: index).id) == nil)
      default:
        let limit = Duration.seconds(Int.random(in: 0..<50, using: &random))
        let popped = queue.pop(dueBy: limit)
        guard let first = model.first, first.due <= limit else {
          #expect(popped == nil)
          continue
        }
        #expect(popped?.due == first.due)
        popped?.action()
        #expect(ran.entries.last == model.removeFirst().id)
      }
      #expect(queue.count == model.count)
      #expect(queue.nextDue == model.first?.due)
    }
  }

  @Test func equalTimesAreRemovedInInsertionOrder() {
    var queue = TimerQueue()
    let log = Log<Int>()
    for number in 0..<500 { _ = queue.insert(due: .seconds(number % 3)) { log.append(number) } }
    while let (_, action) = queue.pop(dueBy: .seconds(3)) { action() }
    let numbers: [[Int]] = (0..<3).map { rest in (0..<500).filter { $0 % 3 == rest } }
    #expect(log.entries == Array(numbers.joined()))
  }

  @Test func noActionIsDueBeforeItsTime() {
    var queue = TimerQueue()
    _ = queue.insert(due: .seconds(2)) {}
    #expect(queue.pop(dueBy: .milliseconds(1_999)) == nil)
    #expect(queue.pop(dueBy: .seconds(2)) != nil)
    #expect(queue.pop(dueBy: .seconds(2)) == nil)
  }

  @Test func aLimitThatIsLateHasAGracePeriodAfterEachSuspension() {
    var queue = TimerQueue()
    _ = queue.insert(due: .seconds(1), hasGrace: true) {}
    #expect(queue.pop(dueBy: .seconds(60)) == nil)
    #expect(queue.nextDue == .seconds(62))
    #expect(queue.pop(dueBy: .seconds(73)) == nil)
    #expect(queue.pop(dueBy: .milliseconds(74_999)) == nil)
    #expect(queue.pop(dueBy: .milliseconds(75_100))?.due == .seconds(75))
    #expect(queue.count == 0)
  }

  @Test func aLimitEndsOnAMachineThatIsAlwaysLate() {
    var queue = TimerQueue()
    _ = queue.insert(due: .seconds(1), hasGrace: true) {}
    #expect(queue.pop(dueBy: .seconds(5)) == nil)
    #expect(queue.pop(dueBy: .seconds(11))?.due == .seconds(7))
  }

  @Test func aPunctualLimitAndALateActionHaveNone() {
    var queue = TimerQueue()
    _ = queue.insert(due: .seconds(1), hasGrace: true) {}
    #expect(queue.pop(dueBy: .milliseconds(1_100)) != nil)
    _ = queue.insert(due: .seconds(2)) {}
    #expect(queue.pop(dueBy: .seconds(60)) != nil)
  }

  @Test func aLateLimitDoesNotDelayOtherActionsAndCanBeCancelled() {
    var queue = TimerQueue()
    let id = queue.insert(due: .seconds(1), hasGrace: true) {}
    _ = queue.insert(due: .seconds(2)) {}
    #expect(queue.pop(dueBy: .seconds(60))?.due == .seconds(2))
    #expect(queue.cancel(id) != nil)
    #expect(queue.pop(dueBy: .seconds(99)) == nil)
    #expect(queue.nextDue == nil)
  }

  @Test func anEmptyQueueHasNoDueAction() {
    var queue = TimerQueue()
    #expect(queue.nextDue == nil)
    #expect(queue.cancel(1) == nil)
    #expect(queue.pop(dueBy: .seconds(1)) == nil)
  }

  @Test(arguments: 1...5)
  func atMostHalfOfTheKeysAreStale(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var queue = TimerQueue()
    let ids = (0..<1_000).map { queue.insert(due: .seconds($0)) {} }
    for id in ids.shuffled(using: &random) {
      _ = queue.cancel(id)
      #expect(queue.keyCount <= max(64, 2 * queue.count))
    }
  }

  @Test func cancelledActionsAreReleasedImmediately() {
    var queue = TimerQueue()
    let live = InstanceCounter()
    let ids = (0..<1_000).map { number in
      let token = live.token()
      return queue.insert(due: .seconds(number)) { withExtendedLifetime(token) {} }
    }
    for id in ids { _ = queue.cancel(id) }
    #expect(live.liveCount == 0)
    #expect(queue.count == 0)
    #expect(queue.nextDue == nil)
  }
}
