/// A journal at one moment, as a verification looks at it.
struct JournalSnapshot {
  struct Seen {
    let entry: JournalEntry
    /// Whether an earlier verification has covered it.
    let isVerified: Bool
  }

  let entries: [Seen]
  let forgottenCount: Int
  /// The descriptions of the routes that have not answered.
  let unused: [String]
  let routeCount: Int
  /// The segments of the base URL's path; nil when there is none.
  let base: [String]?

  func matching(_ pattern: RequestPattern) -> [JournalEntry] {
    entries.map(\.entry).filter { pattern.matches($0.request, base: base) }
  }

  /// The request that comes nearest to a pattern without matching it; of equals the last.
  func nearest(to pattern: RequestPattern) -> JournalEntry? {
    entries.map(\.entry)
      .filter { !pattern.matches($0.request, base: base) }
      .map { (pattern.distance(from: $0.request, base: base), $0) }
      .reversed()
      .min { $0.0 < $1.0 }?.1
  }
}
