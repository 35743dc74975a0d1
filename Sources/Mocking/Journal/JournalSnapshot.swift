/// A consistent snapshot of a journal, for one verification.
struct JournalSnapshot {
  struct Entry {
    let entry: JournalEntry
    /// Whether an earlier verification has matched the request.
    let isVerified: Bool
  }

  let entries: [Entry]
  let discardedCount: Int
  /// The descriptions of the routes that have not responded to any request.
  let unusedRoutes: [String]
  let routeCount: Int

  func matching(_ pattern: RequestPattern) -> [JournalEntry] {
    entries.map(\.entry).filter { matches(pattern, $0) }
  }

  private func matches(_ pattern: RequestPattern, _ entry: JournalEntry) -> Bool {
    pattern.matches(entry.request)
      && (entry.isBodyKept || !pattern.conditions.contains(where: \.readsBody))
  }

  /// Returns the requests that match a pattern apart from its conditions on the body, which cannot be
  /// tested because the body has not been kept.
  func undecided(by pattern: RequestPattern) -> [JournalEntry] {
    let others = pattern.conditions.filter { !$0.readsBody }
    guard others.count < pattern.conditions.count else { return [] }
    let rest = RequestPattern(pattern.method, pattern.path, where: others)
    return entries.map(\.entry).filter {
      !$0.isBodyKept && rest.matches($0.request)
    }
  }

  /// Returns the request with the smallest distance to a pattern that does not match it.
  ///
  /// If several have the same distance, the last one is returned.
  func nearest(to pattern: RequestPattern) -> JournalEntry? {
    nearest(to: pattern, count: 1).first
  }

  /// Returns the requests with the smallest distances to a pattern that does not match them.
  ///
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - count: The maximum number of requests.
  /// - Returns: The requests, the nearest one first. Of several with the same distance, later ones
  ///   precede.
  func nearest(to pattern: RequestPattern, count: Int) -> [JournalEntry] {
    entries.map(\.entry)
      .filter { !pattern.matches($0.request) }
      .map { (pattern.distance(from: $0.request), $0) }
      .sorted { ($0.0, $1.1.number) < ($1.0, $0.1.number) }
      .prefix(count).map(\.1)
  }

  /// Returns the first requests that match the patterns in order; other requests may be between
  /// them.
  ///
  /// The result is shorter than the list of patterns if not all of them match.
  func inOrder(_ patterns: [RequestPattern]) -> [JournalEntry] {
    var found: [JournalEntry] = []
    for element in entries where found.count < patterns.count {
      if matches(patterns[found.count], element.entry) { found.append(element.entry) }
    }
    return found
  }

  /// Returns the longest run of consecutive requests that match the patterns, starting with the
  /// first pattern.
  ///
  /// If several runs have the same length, the first one is returned.
  func consecutive(_ patterns: [RequestPattern]) -> [JournalEntry] {
    var longest: [JournalEntry] = []
    for start in entries.indices {
      let run = zip(entries[start...], patterns).prefix { element, pattern in
        matches(pattern, element.entry)
      }.map(\.0.entry)
      if run.count > longest.count { longest = run }
      if longest.count == patterns.count { break }
    }
    return longest
  }
}

extension RequestCondition {
  /// Whether the condition may depend on the body of a request.
  fileprivate var readsBody: Bool {
    switch kind {
    case .form, .text, .json, .computedJSON, .jsonPath, .part: true
    // A closure and an expression can read the body.
    case .satisfying, .passing, .expression: true
    case .query(_, let value), .header(_, let value), .cookie(_, let value): value.isComputed
    case .variable(_, let value): value.isComputed
    case .all(let conditions), .any(let conditions): conditions.contains(where: \.readsBody)
    case .not(let condition): condition.readsBody
    }
  }
}
