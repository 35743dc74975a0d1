/// How far two texts are from each other.
enum EditDistance {
  /// How many bytes are to be changed, put in, left out, or swapped with the next; of each text the first
  /// 64 count.
  static func between(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8.prefix(64)), Array(right.utf8.prefix(64)))
    var (before, last) = ([Int](), Array(0...right.count))
    for i in left.indices {
      var row = [i + 1]
      row.reserveCapacity(last.count)
      for j in right.indices {
        let change = last[j] + (left[i] == right[j] ? 0 : 1)
        var best = min(change, last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          best = min(best, before[j - 1] + 1)
        }
        row.append(best)
      }
      (before, last) = (last, row)
    }
    return last[right.count]
  }
}
