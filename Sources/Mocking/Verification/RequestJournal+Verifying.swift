extension RequestJournal {
  /// Counts the requests that match.
  func check(_ pattern: RequestPattern, _ count: RequestCount) -> Finding? {
    if let flaw = pattern.flaw {
      return Finding(lines: ["expected \(count) \(pattern), but \(flaw)"])
    }
    let snapshot = snapshot()
    let found = snapshot.matching(pattern)
    markVerified(found)
    guard !count.contains(found.count) else { return nil }
    let was =
      found.count == 1 ? "there was 1" : "there were \(found.isEmpty ? "none" : "\(found.count)")"
    var finding = Finding(lines: ["expected \(count) \(pattern), but \(was)"])
    finding.list(found)
    if found.count < count.least { finding.compare(pattern, in: snapshot) }
    finding.confess(snapshot)
    return finding
  }

  /// Looks for requests that match one after the other.
  func checkOrder(_ patterns: [RequestPattern], _ gaps: OrderGaps) -> Finding? {
    if let flaw = patterns.lazy.compactMap(\.flaw).first {
      return Finding(lines: ["expected an order, but \(flaw)"])
    }
    let snapshot = snapshot()
    let run = gaps == .allowed ? snapshot.inOrder(patterns) : snapshot.inRow(patterns)
    markVerified(run)
    guard run.count < patterns.count else { return nil }
    let between = gaps == .allowed ? "" : ", with nothing between"
    var finding = Finding(lines: ["expected in this order\(between):"])
    for (index, pattern) in patterns.enumerated() {
      let state =
        if index < run.count {
          "request \(run[index].number)"
        } else if index == run.count {
          "missing" + (run.last.map { " after request \($0.number)" } ?? "")
        } else {
          "not looked for"
        }
      finding.lines.append("  \(pattern): \(state)")
    }
    finding.lines.append(snapshot.entries.isEmpty ? "nothing has been asked at all" : "what came:")
    finding.list(snapshot.entries.map(\.entry))
    finding.confess(snapshot)
    return finding
  }

  /// Looks for requests that no verification has covered.
  func checkNothingElse() -> Finding? {
    let snapshot = snapshot()
    let others = snapshot.entries.filter { !$0.isVerified }.map(\.entry)
    guard !others.isEmpty || snapshot.forgottenCount > 0 else { return nil }
    guard !others.isEmpty else {
      var finding = Finding(lines: ["expected nothing else, which nobody can tell any more"])
      finding.confess(snapshot)
      return finding
    }
    let were = others.count == 1 ? "was 1 request" : "were \(others.count) requests"
    var finding = Finding(lines: ["expected nothing else, but there \(were) more"])
    finding.list(others)
    finding.confess(snapshot)
    return finding
  }

  /// Looks for routes that have not answered.
  func checkUnusedStubs() -> Finding? {
    let snapshot = snapshot()
    let unused = snapshot.unused
    guard !unused.isEmpty else { return nil }
    var finding = Finding(
      lines: [
        "expected all \(snapshot.routeCount) stubs to be used, but \(unused.count) "
          + (unused.count == 1 ? "was not" : "were not")
      ])
    finding.lines += unused.prefix(10).map { "  \(ReportText.bounded($0))" }
    if unused.count > 10 { finding.lines.append("  and \(unused.count - 10) more") }
    return finding
  }
}

extension JournalSnapshot {
  /// The first requests that match the patterns one after the other, as far as there are any.
  fileprivate func inOrder(_ patterns: [RequestPattern]) -> [JournalEntry] {
    var found: [JournalEntry] = []
    for seen in entries where found.count < patterns.count {
      if patterns[found.count].matches(seen.entry.request, base: base) { found.append(seen.entry) }
    }
    return found
  }

  /// The first longest run of requests that match the patterns from the first on, with nothing between.
  fileprivate func inRow(_ patterns: [RequestPattern]) -> [JournalEntry] {
    var longest: [JournalEntry] = []
    for start in entries.indices {
      let run = zip(entries[start...], patterns).prefix { seen, pattern in
        pattern.matches(seen.entry.request, base: base)
      }.map(\.0.entry)
      if run.count > longest.count { longest = run }
      if longest.count == patterns.count { break }
    }
    return longest
  }
}
