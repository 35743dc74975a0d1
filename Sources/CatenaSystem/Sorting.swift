extension Sequence {
  /// Returns the elements, sorted by a closure.
  ///
  /// ```swift
  /// callers.sortedByPositions { $0.key < $1.key }
  /// ```
  ///
  /// Equal elements keep their order.
  ///
  /// Each specialization of `sorted(by:)` adds 4 KB to a program.
  /// This method has one for all types of elements, because it sorts positions, and because callers
  /// in other modules cannot specialize it. Each comparison therefore takes longer: it is for
  /// collections that are small, or seldom sorted.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of elements, with a second array for their
  ///   positions.
  ///
  /// - Parameter areInIncreasingOrder: A strict weak order of the elements.
  /// - Returns: The sorted elements.
  @inline(never)
  package func sortedByPositions(by areInIncreasingOrder: (Element, Element) -> Bool) -> [Element] {
    let elements = Array(self)
    return elements.indices.sorted { areInIncreasingOrder(elements[$0], elements[$1]) }
      .map { elements[$0] }
  }
}
