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
      case .literal(let literal):
        distance += min(10, EditDistance.between(literal, path[index]) * 2)
      }
    }
    return distance
  }
}
