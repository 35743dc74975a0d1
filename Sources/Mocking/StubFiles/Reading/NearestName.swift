/// Finds what somebody who mistyped a name has probably meant.
enum NearestName {
  /// The nearest of the names, when it is near enough to be meant.
  static func of(_ name: String, among names: [String]) -> String? {
    let distances = names.map { (distance(name.lowercased(), $0.lowercased()), $0) }
    guard let nearest = distances.min(by: { $0 < $1 }) else { return nil }
    return nearest.0 <= max(1, min(name.count, nearest.1.count) / 2) ? nearest.1 : nil
  }

  /// How many letters are to be changed, put in, left out, or swapped with the next.
  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8.prefix(64)), Array(right.utf8.prefix(64)))
    var rows = [Array(0...right.count)]
    for i in left.indices {
      var row = [i + 1]
      for j in right.indices {
        let change = rows[i][j] + (left[i] == right[j] ? 0 : 1)
        var best = min(change, rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
