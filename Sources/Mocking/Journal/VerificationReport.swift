/// The report of a failed verification.
///
/// The verification methods of ``RequestJournal`` return `nil` if the verification passes.
struct VerificationReport {
  var lines: [String]
  var differences: [RequestDifference] = []

  init(_ firstLine: String) {
    lines = [firstLine]
  }

  var text: String { lines.joined(separator: "\n") }

  /// Adds a list of at most ten requests, and the number of the others.
  fileprivate mutating func list(_ entries: [JournalEntry]) {
    lines += entries.prefix(10).map { "  \($0)" }
    if entries.count > 10 { lines.append("  and \(entries.count - 10) more") }
  }

  /// Adds the requests nearest to a pattern, and the differences of the first one from the pattern.
  fileprivate mutating func addNearest(to pattern: RequestPattern, in snapshot: JournalSnapshot) {
    let others = snapshot.nearest(to: pattern, count: 3)
    guard let nearest = others.first else {
      if snapshot.entries.isEmpty { lines.append("no requests were received") }
      return
    }
    differences = pattern.differences(from: nearest.request)
    lines.append("nearest request:")
    lines.append("  \(nearest)")
    lines += differences.prefix(20).map { "    \($0)" }
    if let hint = pattern.pathHint(for: nearest.request) {
      lines.append("    \(hint)")
    }
    if others.count > 1 {
      lines.append("next nearest:")
      lines += others.dropFirst().map { "  \($0)" }
    }
  }

  /// Adds the number of requests whose bodies would be needed, if there are any.
  fileprivate mutating func addUndecided(_ count: Int) {
    guard count > 0 else { return }
    let requests = count == 1 ? "the body of 1 request" : "the bodies of \(count) requests"
    lines.append(
      "the journal has not kept \(requests) that may match; see JournalLimits.bodyBytes")
  }

  /// Adds the number of requests that the journal has discarded, if there are any.
  fileprivate mutating func addDiscarded(in snapshot: JournalSnapshot) {
    let count = snapshot.discardedCount
    guard count > 0 else { return }
    let requests = count == 1 ? "the first request" : "the first \(count) requests"
    lines.append("the journal has discarded \(requests); see JournalLimits")
  }
}

extension RequestJournal {
  /// Checks the number of requests that match a pattern, and marks them as verified.
  ///
  /// Requests without their bodies count as unknown if the pattern reads the body: the check passes
  /// only if it passes with any number of them.
  func reportCount(of pattern: RequestPattern, _ count: RequestCount) -> VerificationReport? {
    if let validationError = pattern.validationError {
      let isQuery = pattern.path?.contains("?") == true
      let hint = isQuery ? #", such as `where: .query("page", "2")`"# : ""
      return VerificationReport("expected \(count) \(pattern), but \(validationError)\(hint)")
    }
    let snapshot = snapshot()
    let found = snapshot.matching(pattern)
    markVerified(found)
    let undecided = snapshot.undecided(by: pattern).count
    // The numbers that a count allows are a range without gaps.
    if count.contains(found.count), count.contains(found.count + undecided) { return nil }
    let received = found.isEmpty && undecided == 0 ? "none" : "\(found.count)"
    var report = VerificationReport(
      "expected \(count) \(pattern), received \(received)"
        + (undecided > 0 ? " to \(found.count + undecided)" : ""))
    report.list(found)
    if found.count < count.minimum { report.addNearest(to: pattern, in: snapshot) }
    report.addUndecided(undecided)
    report.addDiscarded(in: snapshot)
    return report
  }

  /// Checks that requests match patterns in order, and marks the matching requests as verified.
  func reportOrder(of patterns: [RequestPattern], _ gaps: OrderGaps) -> VerificationReport? {
    if let validationError = patterns.lazy.compactMap(\.validationError).first {
      return VerificationReport("expected requests in order, but \(validationError)")
    }
    let snapshot = snapshot()
    let found = gaps == .allowed ? snapshot.inOrder(patterns) : snapshot.consecutive(patterns)
    markVerified(found)
    guard found.count < patterns.count else { return nil }
    let consecutive = gaps == .allowed ? "" : " without others between them"
    var report = VerificationReport("expected requests in this order\(consecutive):")
    for (index, pattern) in patterns.enumerated() {
      let state =
        if index < found.count {
          "request \(found[index].number)"
        } else if index == found.count {
          "missing" + (found.last.map { " after request \($0.number)" } ?? "")
        } else {
          "not checked"
        }
      report.lines.append("  \(pattern): \(state)")
    }
    report.lines.append(snapshot.entries.isEmpty ? "no requests were received" : "received:")
    report.list(snapshot.entries.map(\.entry))
    report.addUndecided(snapshot.undecided(by: patterns[found.count]).count)
    report.addDiscarded(in: snapshot)
    return report
  }

  /// Checks that all requests are verified.
  func reportUnverified() -> VerificationReport? {
    let snapshot = snapshot()
    let others = snapshot.entries.filter { !$0.isVerified }.map(\.entry)
    guard !others.isEmpty || snapshot.discardedCount > 0 else { return nil }
    var report = VerificationReport(
      others.isEmpty
        ? "expected no other requests, but the journal is incomplete"
        : "expected no other requests, received \(others.count)")
    report.list(others)
    report.addDiscarded(in: snapshot)
    return report
  }

  /// Checks that each current route has responded to a request.
  func reportUnusedStubs() -> VerificationReport? {
    let snapshot = snapshot()
    let unused = snapshot.unusedRoutes
    guard !unused.isEmpty else { return nil }
    let were = unused.count == 1 ? "was" : "were"
    var report = VerificationReport(
      "expected all \(snapshot.routeCount) stubs to be used, but \(unused.count) \(were) not")
    report.lines += unused.prefix(10).map { "  \(ReportFormatter.bounded($0))" }
    if unused.count > 10 { report.lines.append("  and \(unused.count - 10) more") }
    return report
  }
}
