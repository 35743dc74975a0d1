/// A first-in, first-out queue.
///
/// Appending an element and removing the first one take constant time on average. An element is
/// released as soon as it is removed. An empty queue keeps storage of at most 32 KiB, so that
/// repeated small bursts do not allocate. A longer queue releases storage as it shrinks.
///
/// The queue is inlinable because other modules use it on their hot paths. Without
/// `@usableFromInline` on the type, the compiler would not specialize its methods there.
@usableFromInline package struct FIFO<Element> {
  /// The empty slots of removed elements, followed by the elements.
  @usableFromInline var slots: ContiguousArray<Element?> = []
  /// The number of empty slots.
  @usableFromInline var head = 0

  /// Creates an empty queue.
  @inlinable package init() {}

  /// Adds an element at the end.
  ///
  /// - Parameter element: The element.
  @inlinable
  package mutating func append(_ element: consuming Element) { slots.append(element) }

  /// Removes and returns the first element.
  ///
  /// - Returns: The element, or `nil` if the queue is empty.
  @inlinable
  package mutating func popFirst() -> Element? {
    guard head < slots.count else { return nil }
    let element = slots[head].take()
    head += 1
    // The number of elements moved is at most the number of elements removed since the last
    // compaction, so the amortized cost is constant.
    if head == slots.count || head >= Self.minimumCompaction && head * 2 >= slots.count {
      removeEmptySlots()
    }
    return element
  }

  /// Removes and returns the first element that satisfies a condition.
  ///
  /// Takes time proportional to the length of the queue.
  ///
  /// - Parameter condition: The condition.
  /// - Returns: The element, or `nil` if there is none.
  @inlinable
  package mutating func removeFirst(where condition: (Element) -> Bool) -> Element? {
    guard let index = firstIndex(where: condition) else { return nil }
    return index == 0 ? popFirst() : slots.remove(at: head + index)
  }

  /// Not inlined, so that the common path of ``popFirst()`` stays small.
  @inlinable
  @inline(never)
  mutating func removeEmptySlots() {
    let count = slots.count - head
    if slots.capacity > Swift.max(Self.retainedCapacity, 4 * count) {
      var elements: ContiguousArray<Element?> = []
      elements.reserveCapacity(count)
      // Moves the elements, because copies would retain and release references.
      for index in head..<slots.count { elements.append(slots[index].take()) }
      slots = elements
    } else {
      slots.removeFirst(head)
    }
    head = 0
  }

  /// The capacity that an empty queue may keep: the number of slots that fit into 32 KiB, but at
  /// least 16.
  @inlinable static var retainedCapacity: Int {
    Swift.max((32 << 10) / MemoryLayout<Element?>.stride, 16)
  }

  /// The minimum number of empty slots for a compaction of a queue that is not empty.
  @inlinable static var minimumCompaction: Int { 64 }
}

extension FIFO: RandomAccessCollection {
  @inlinable package var startIndex: Int { 0 }
  @inlinable package var endIndex: Int { slots.count - head }
  @inlinable package var isEmpty: Bool { head == slots.count }

  @inlinable
  package subscript(position: Int) -> Element {
    guard position >= 0, let element = slots[head + position] else {
      preconditionFailure("The index is out of range")
    }
    return element
  }
}

extension FIFO: Sendable where Element: Sendable {}
