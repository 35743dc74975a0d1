/// A suggestion of a known name for a mistyped one.
package enum NameSuggestion {
  /// Returns the most similar name, or `nil` if no name is similar enough.
  package static func of(_ name: String, among names: [String]) -> String? {
    let distances = names.map { (EditDistance.between(name.lowercased(), $0.lowercased()), $0) }
    guard let nearest = distances.min(by: { $0 < $1 }) else { return nil }
    return nearest.0 <= max(1, min(name.count, nearest.1.count) / 2) ? nearest.1 : nil
  }

  /// Returns the names that are most similar to another one, the nearest one first.
  package static func nearest(_ count: Int, to name: String, among names: [String]) -> [String] {
    let distances = names.map { (EditDistance.between(name.lowercased(), $0.lowercased()), $0) }
    return distances.sorted { $0 < $1 }.prefix(count).map(\.1)
  }
}

/// The edit distance between two texts.
enum EditDistance {
  /// Returns the number of edits that turn one text into the other.
  ///
  /// An edit replaces, inserts or deletes a byte, or swaps two adjacent bytes. Only the first 64
  /// bytes of each text are compared. The time is proportional to their number times the limit,
  /// because a cell of the table that is farther from the diagonal exceeds the limit.
  ///
  /// - Parameters:
  ///   - left: A text.
  ///   - right: The other text.
  ///   - limit: The largest number of edits that is of interest.
  /// - Returns: The number of edits, or `limit + 1` if there are more.
  static func between(_ left: String, _ right: String, limit: Int = 64) -> Int {
    let (left, right) = (Array(left.utf8.prefix(64)), Array(right.utf8.prefix(64)))
    let far = limit + 1
    guard abs(left.count - right.count) <= limit else { return far }
    var (rowBeforeLast, last) = ([Int](), Array(0...right.count))
    for i in left.indices {
      let (low, high) = (max(0, i - limit), min(right.count, i + limit + 1))
      var row = Array(repeating: far, count: right.count + 1)
      if low == 0 { row[0] = i + 1 }
      for j in low..<high {
        let change = last[j] + (left[i] == right[j] ? 0 : 1)
        var best = min(change, last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          best = min(best, rowBeforeLast[j - 1] + 1)
        }
        row[j + 1] = best
      }
      (rowBeforeLast, last) = (last, row)
    }
    return min(last[right.count], far)
  }
}
