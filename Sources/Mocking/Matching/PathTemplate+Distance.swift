extension PathTemplate {
  /// How much of a path would have to change for it to match.
  func distance(from path: [String]) -> Int {
    var distance = 0
    for index in 0..<max(segments.count, path.count) {
      guard index < segments.count, index < path.count else {
        distance += 10
        continue
      }
      switch segments[index] {
      case .variable: distance += path[index].isEmpty ? 10 : 1
      case .rest: return distance + 1
      case .literal(let literal): distance += min(10, Self.editDistance(literal, path[index]) * 2)
      }
    }
    return distance
  }

  private static func editDistance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8.prefix(64)), Array(right.utf8.prefix(64)))
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in right.enumerated() {
        let change = diagonal + (a == b ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(change, row[j] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
