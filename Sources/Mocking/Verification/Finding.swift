/// What a verification has found wrong, before it is known whose it was.
struct Finding {
  var lines: [String]
  var differences: [RequestDifference] = []

  /// Adds a list of requests, of which the first ten are named.
  mutating func list(_ entries: [JournalEntry]) {
    lines += entries.prefix(10).map { "  \($0)" }
    if entries.count > 10 { lines.append("  and \(entries.count - 10) more") }
  }

  /// Adds the request that comes nearest to a pattern, and in what it differs.
  mutating func compare(_ pattern: RequestPattern, in snapshot: JournalSnapshot) {
    guard let nearest = snapshot.nearest(to: pattern) else {
      if snapshot.entries.isEmpty { lines.append("nothing has been asked at all") }
      return
    }
    differences = pattern.differences(from: nearest.request, base: snapshot.base)
    lines.append("the nearest:")
    lines.append("  \(nearest)")
    lines += differences.prefix(20).map { "    \($0)" }
  }

  /// Says that the journal is not complete, if it is not.
  mutating func confess(_ snapshot: JournalSnapshot) {
    guard snapshot.forgottenCount > 0 else { return }
    lines.append(
      "the journal has forgotten the first \(snapshot.forgottenCount); see JournalLimits")
  }
}
