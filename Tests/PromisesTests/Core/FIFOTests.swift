import TestGate
import TestSupport
import Testing

@testable import Promises

@Suite(.gated)
struct FIFOTests {
  @Test(arguments: 1...4)
  func itBehavesLikeAnArray(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = FIFO<Int>()
    var model: [Int] = []
    var appends = 6
    for number in 0..<12_000 {
      // Phases in which the queue grows, and phases in which it shrinks.
      if number.isMultiple(of: 2_000) { appends = 9 - appends }
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<(10 * appends):
        queue.append(number)
        model.append(number)
      case 98:
        queue.append(contentsOf: [-number, -number])
        model += [-number, -number]
      case 99:
        let element = model.randomElement(using: &random)
        #expect(queue.removeFirst { $0 == element } == element)
        if let index = model.firstIndex(where: { $0 == element }) { model.remove(at: index) }
      default:
        #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      }
      #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
      #expect(queue.first == model.first && queue.last == model.last)
      if number.isMultiple(of: 100) { #expect(Array(queue) == model) }
    }
  }

  @Test func anEmptyQueueHasNoElement() {
    var queue = FIFO<Int>()
    #expect(queue.popFirst() == nil && queue.first == nil)
    #expect(queue.removeFirst { _ in true } == nil)
    queue.append(1)
    #expect(queue.popFirst() == 1)
    #expect(queue.popFirst() == nil && queue.isEmpty)
  }

  @Test func onlyTheFirstMatchIsRemoved() {
    var queue = FIFO<Int>()
    queue.append(contentsOf: [0, 1, 2, 3, 4, 5])
    #expect(queue.popFirst() == 0)
    #expect(queue.removeFirst { $0 > 2 } == 3)
    #expect(queue.removeFirst { $0 == 9 } == nil)
    #expect(queue.removeFirst { $0 == 1 } == 1)
    #expect(Array(queue) == [2, 4, 5] && queue[1] == 4)
  }

  @Test func aCopyIsIndependent() {
    var queue = FIFO<Int>()
    queue.append(contentsOf: 0..<3)
    var copy = queue
    #expect(copy.popFirst() == 0)
    copy.append(3)
    #expect(Array(queue) == [0, 1, 2] && Array(copy) == [1, 2, 3])
  }

  @Test func anElementIsReleasedWhenItIsRemoved() {
    let live = InstanceCounter()
    var queue = FIFO<AnyObject>()
    for _ in 0..<1_000 { queue.append(live.token()) }
    for left in (0..<1_000).reversed() {
      _ = queue.popFirst()
      #expect(live.liveCount == left)
    }
    for _ in 0..<10 { queue.append(live.token()) }
    _ = queue.popFirst()
    _ = queue.removeFirst { _ in true }
    #expect(live.liveCount == 8)
    queue = FIFO()
    #expect(live.liveCount == 0 && queue.isEmpty)
  }

  // MARK: Storage

  @Test func aSmallBurstDoesNotAllocateAgain() {
    var queue = FIFO<Int>()
    queue.append(contentsOf: 0..<500)
    let capacity = queue.slots.capacity
    while queue.popFirst() != nil {}
    #expect(queue.slots.capacity == capacity)
  }

  @Test func aLongQueueReleasesStorageAsItShrinks() {
    var queue = FIFO<Int>()
    queue.append(contentsOf: 0..<100_000)
    while queue.count > 10_000 { _ = queue.popFirst() }
    #expect(queue.slots.capacity <= 50_000)
    while queue.count > 1 { _ = queue.popFirst() }
    #expect(queue.slots.capacity <= FIFO<Int>.retainedCapacity)
    _ = queue.popFirst()
    #expect(queue.slots.capacity <= FIFO<Int>.retainedCapacity)
  }

  @Test func largeElementsDoNotKeepMoreStorage() {
    typealias Line = (Int, Int, Int, Int, Int, Int, Int, Int)
    #expect(FIFO<Line>.retainedCapacity * MemoryLayout<Line?>.stride <= 32 << 10)
    var queue = FIFO<Line>()
    for number in 0..<10_000 { queue.append((number, 0, 0, 0, 0, 0, 0, 0)) }
    while queue.popFirst() != nil {}
    #expect(queue.slots.capacity <= FIFO<Line>.retainedCapacity)
  }

  @Test func aQueueThatIsNeverEmptyStaysSmall() {
    var queue = FIFO<Int>()
    queue.append(0)
    for number in 1...10_000 {
      queue.append(number)
      #expect(queue.popFirst() == number - 1)
    }
    #expect(queue.slots.capacity <= 512)
  }

  @Test func emptySlotsNeverOutnumberTheElementsByMuch() {
    var queue = FIFO<Int>()
    queue.append(contentsOf: 0..<10_000)
    while queue.popFirst() != nil {
      #expect(queue.head < max(queue.count + 1, FIFO<Int>.minimumCompaction))
    }
  }
}

extension FIFO {
  fileprivate mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }
}
