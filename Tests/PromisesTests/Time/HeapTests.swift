import TestGate
import TestSupport
import Testing

@testable import Promises

@Suite(.gated)
struct HeapTests {
  @Test(arguments: 1...8)
  func itBehavesLikeASortedArray(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var heap = Heap<Entry>()
    var model: [Entry] = []
    for number in 0..<2_000 {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<55:
        let entry = Entry(Int.random(in: 0..<1_000, using: &random), number)
        heap.insert(entry)
        model.append(entry)
      case 55..<75:
        let least = model.min { $0.precedes($1) }
        #expect(heap.popFirst() === least)
        #expect(least?.index == nil)
        model.removeAll { $0 === least }
      case 75..<99:
        guard let place = model.indices.randomElement(using: &random) else { continue }
        let entry = model.remove(at: place)
        guard let index = entry.index else {
          Issue.record("The entry has no index")
          return
        }
        #expect(heap.remove(at: index) === entry)
        #expect(entry.index == nil)
      default:
        let divisor = Int.random(in: 2..<5, using: &random)
        heap.removeAll { $0.key.isMultiple(of: divisor) }
        for entry in model where entry.key.isMultiple(of: divisor) { #expect(entry.index == nil) }
        model.removeAll { $0.key.isMultiple(of: divisor) }
      }
      #expect(heap.count == model.count)
      guard number.isMultiple(of: 20) else { continue }
      #expect(heap.first === model.min { $0.precedes($1) })
      #expect(model.allSatisfy { entry in entry.index.map { heap.elements[$0] } === entry })
    }
    var left: [Int] = []
    while let entry = heap.popFirst() { left.append(entry.key) }
    #expect(left == model.map(\.key).sorted())
  }

  @Test func anEmptyHeapHasNoElement() {
    var heap = Heap<Entry>()
    #expect(heap.first == nil && heap.popFirst() == nil && heap.count == 0)
    heap.removeAll { _ in true }
    #expect(heap.count == 0)
  }

  @Test func theOnlyElementIsRemovedByItsIndex() {
    var heap = Heap<Entry>()
    let entry = Entry(1, 0)
    heap.insert(entry)
    #expect(entry.index == 0)
    #expect(heap.remove(at: 0) === entry)
    #expect(entry.index == nil && heap.count == 0)
  }

  @Test func allEqualElementsAreRemoved() {
    var heap = Heap<Number>()
    for _ in 0..<100 { heap.insert(Number(value: 1)) }
    heap.insert(Number(value: 0))
    heap.insert(Number(value: 2))
    var values: [Int] = []
    while let number = heap.popFirst() { values.append(number.value) }
    #expect(values == [0] + Array(repeating: 1, count: 100) + [2])
  }

  @Test func anElementIsReleasedWhenItIsRemoved() {
    let live = InstanceCounter()
    var heap = Heap<Entry>()
    var entries: [Entry] = []
    for number in 0..<100 {
      let entry = Entry(number, number)
      entry.token = live.token()
      heap.insert(entry)
      if number < 2 { entries.append(entry) }
    }
    for entry in entries { if let index = entry.index { heap.remove(at: index) } }
    entries = []
    #expect(live.liveCount == 98)
    heap.popFirst()
    #expect(live.liveCount == 97)
    heap.removeAll { $0.key >= 50 }
    #expect(live.liveCount == 47)
  }
}

/// An element that stores its index; elements with equal keys are ordered by number.
private final class Entry: HeapElement {
  let key: Int
  let number: Int
  var index: Int?
  var token: AnyObject?

  init(_ key: Int, _ number: Int) {
    self.key = key
    self.number = number
  }

  func precedes(_ other: Entry) -> Bool { (key, number) < (other.key, other.number) }
  func setHeapIndex(_ index: Int?) { self.index = index }
}

/// An element that does not store its index.
private struct Number: HeapElement {
  let value: Int

  func precedes(_ other: Number) -> Bool { value < other.value }
}
