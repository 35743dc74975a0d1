/// An element of a ``Heap``.
@usableFromInline package protocol HeapElement {
  /// Returns whether this element must be removed before another one.
  ///
  /// It defines a strict weak ordering.
  ///
  /// - Parameter other: The other element.
  /// - Returns: Whether this element comes first.
  func precedes(_ other: Self) -> Bool

  /// Stores the index of this element in its heap.
  ///
  /// The heap calls this method each time the index changes. An element that stores the index can
  /// be removed by ``Heap/remove(at:)``. By default this method does nothing.
  ///
  /// - Parameter index: The index, or `nil` after the element is removed.
  func setHeapIndex(_ index: Int?)
}

extension HeapElement {
  @inlinable package func setHeapIndex(_ index: Int?) {}
}

/// A priority queue, stored as a binary heap in an array.
///
/// The order of elements is unspecified if neither precedes the other.
@usableFromInline package struct Heap<Element: HeapElement> {
  @usableFromInline var elements: [Element] = []

  /// Creates an empty heap.
  @inlinable package init() {}

  /// The number of elements.
  @inlinable package var count: Int { elements.count }

  /// The element that is removed next, or `nil` if the heap is empty.
  @inlinable package var first: Element? { elements.first }

  /// Adds an element, in logarithmic time.
  ///
  /// - Parameter element: The element.
  @inlinable
  package mutating func insert(_ element: Element) {
    elements.append(element)
    element.setHeapIndex(elements.count - 1)
    siftUp(from: elements.count - 1)
  }

  /// Removes and returns the first element, in logarithmic time.
  ///
  /// - Returns: The element, or `nil` if the heap is empty.
  @inlinable
  @discardableResult
  package mutating func popFirst() -> Element? { elements.isEmpty ? nil : remove(at: 0) }

  /// Removes and returns an element by its index, in logarithmic time.
  ///
  /// - Parameter index: The index that the heap last passed to ``HeapElement/setHeapIndex(_:)``.
  /// - Returns: The element.
  @inlinable
  @discardableResult
  package mutating func remove(at index: Int) -> Element {
    elements.swapAt(index, elements.count - 1)
    let removed = elements.removeLast()
    removed.setHeapIndex(nil)
    guard index < elements.count else { return removed }
    elements[index].setHeapIndex(index)
    siftUp(from: index)
    siftDown(from: index)
    return removed
  }

  /// Removes the elements that satisfy a condition, in linear time.
  ///
  /// - Parameter condition: The condition.
  @inlinable
  package mutating func removeAll(where condition: (Element) -> Bool) {
    elements.removeAll { element in
      guard condition(element) else { return false }
      element.setHeapIndex(nil)
      return true
    }
    for index in elements.indices { elements[index].setHeapIndex(index) }
    for index in elements.indices.prefix(elements.count / 2).reversed() { siftDown(from: index) }
  }

  @inlinable
  mutating func siftUp(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard elements[child].precedes(elements[parent]) else { return }
      exchange(child, parent)
      child = parent
    }
  }

  @inlinable
  mutating func siftDown(from start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in (2 * parent + 1)...(2 * parent + 2)
      where child < elements.count && elements[child].precedes(elements[least]) {
        least = child
      }
      guard least != parent else { return }
      exchange(parent, least)
      parent = least
    }
  }

  @inlinable
  mutating func exchange(_ left: Int, _ right: Int) {
    elements.swapAt(left, right)
    elements[left].setHeapIndex(left)
    elements[right].setHeapIndex(right)
  }
}

extension Heap: Sendable where Element: Sendable {}
