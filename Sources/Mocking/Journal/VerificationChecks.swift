import Foundation

extension RequestJournal {
  /// Counts the requests that match.
  func check(_ pattern: RequestPattern, _ count: RequestCount) -> VerificationReport? {
    if let validationError = pattern.validationError {
      return VerificationReport(lines: ["expected \(count) \(pattern), but \(validationError)"])
    }
    let snapshot = snapshot()
    let found = snapshot.matching(pattern)
    markVerified(found)
    guard !count.contains(found.count) else { return nil }
    let was =
      found.count == 1 ? "there was 1" : "there were \(found.isEmpty ? "none" : "\(found.count)")"
    var finding = VerificationReport(lines: ["expected \(count) \(pattern), but \(was)"])
    finding.list(found)
    if found.count < count.least { finding.compare(pattern, in: snapshot) }
    finding.noteForgottenRequests(snapshot)
    return finding
  }

  /// Looks for requests that match one after the other.
  func checkOrder(_ patterns: [RequestPattern], _ gaps: OrderGaps) -> VerificationReport? {
    if let validationError = patterns.lazy.compactMap(\.validationError).first {
      return VerificationReport(lines: ["expected an order, but \(validationError)"])
    }
    let snapshot = snapshot()
    let run = gaps == .allowed ? snapshot.inOrder(patterns) : snapshot.consecutive(patterns)
    markVerified(run)
    guard run.count < patterns.count else { return nil }
    let between = gaps == .allowed ? "" : ", with nothing between"
    var finding = VerificationReport(lines: ["expected in this order\(between):"])
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
    finding.noteForgottenRequests(snapshot)
    return finding
  }

  /// Looks for requests that no verification has covered.
  func checkNothingElse() -> VerificationReport? {
    let snapshot = snapshot()
    let others = snapshot.entries.filter { !$0.isVerified }.map(\.entry)
    guard !others.isEmpty || snapshot.forgottenCount > 0 else { return nil }
    guard !others.isEmpty else {
      var finding = VerificationReport(lines: [
        "expected nothing else, which nobody can tell any more"
      ])
      finding.noteForgottenRequests(snapshot)
      return finding
    }
    let were = others.count == 1 ? "was 1 request" : "were \(others.count) requests"
    var finding = VerificationReport(lines: ["expected nothing else, but there \(were) more"])
    finding.list(others)
    finding.noteForgottenRequests(snapshot)
    return finding
  }

  /// Looks for routes that have not answered.
  func checkUnusedStubs() -> VerificationReport? {
    let snapshot = snapshot()
    let unused = snapshot.unused
    guard !unused.isEmpty else { return nil }
    var finding = VerificationReport(
      lines: [
        "expected all \(snapshot.routeCount) stubs to be used, but \(unused.count) "
          + (unused.count == 1 ? "was not" : "were not")
      ])
    finding.lines += unused.prefix(10).map { "  \(ReportFormatter.bounded($0))" }
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
  fileprivate func consecutive(_ patterns: [RequestPattern]) -> [JournalEntry] {
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

/// What a verification has found wrong, before it is known whose it was.
struct VerificationReport {
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
  mutating func noteForgottenRequests(_ snapshot: JournalSnapshot) {
    guard snapshot.forgottenCount > 0 else { return }
    lines.append(
      "the journal has forgotten the first \(snapshot.forgottenCount); see JournalLimits")
  }
}

/// What a verification has found wrong.
///
/// It knows where in the test it was asked for, so a test framework can be told to report it there:
///
/// ```swift
/// // With Swift Testing:
/// func record(_ failure: VerificationFailure) {
///   Issue.record(
///     "\(failure.report)",
///     sourceLocation: SourceLocation(
///       fileID: "\(failure.fileID)", filePath: "\(failure.filePath)", line: Int(failure.line),
///       column: Int(failure.column)))
/// }
/// // With XCTest:
/// func record(_ failure: VerificationFailure) {
///   XCTFail(failure.report, file: failure.filePath, line: failure.line)
/// }
///
/// provider.mismatch(.get, "boards", .exactly(1)).map(record)
/// ```
public struct VerificationFailure: Error, Sendable {
  /// What was expected, what came instead, and what comes nearest, on several lines.
  ///
  /// Bounded and without secrets: values of telling names are masked.
  public let report: String
  /// In what the nearest request is not as expected; empty where no single request is to blame.
  public let differences: [RequestDifference]
  /// The module and file of the test.
  public let fileID: StaticString
  /// The path of the test's file.
  public let filePath: StaticString
  /// The line of the verification.
  public let line: UInt
  /// The column of the verification.
  public let column: UInt

  init(
    _ finding: VerificationReport, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt,
    _ column: UInt
  ) {
    report = finding.lines.joined(separator: "\n")
    differences = finding.differences
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }
}

extension VerificationFailure: CustomStringConvertible, LocalizedError {
  /// The file's name and the line, as `BoardsTests.swift:12`, and then the ``report``.
  public var description: String {
    let file = "\(fileID)"
    return "\(file.split(separator: "/").last.map(String.init) ?? file):\(line): \(report)"
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

/// Whether other requests may come between those whose order is verified.
public enum OrderGaps: Sendable, Hashable {
  /// Others may come before, between and behind them.
  case allowed
  /// Others may come before and behind them, but not between.
  case forbidden
}

/// How many requests a verification expects.
public struct RequestCount: Sendable, Hashable {
  let least: Int
  /// Nil is without end.
  let most: Int?

  /// So many.
  ///
  /// - Parameter count: how many.
  /// - Returns: the expectation.
  public static func exactly(_ count: Int) -> RequestCount {
    RequestCount(least: count, most: count)
  }

  /// So many or more.
  ///
  /// - Parameter count: how many.
  /// - Returns: the expectation.
  public static func atLeast(_ count: Int) -> RequestCount {
    RequestCount(least: count, most: nil)
  }

  /// So many or fewer, even none.
  ///
  /// - Parameter count: how many.
  /// - Returns: the expectation.
  public static func atMost(_ count: Int) -> RequestCount {
    RequestCount(least: 0, most: count)
  }

  /// As many as a range has it.
  ///
  /// - Parameter range: how many, both ends included.
  /// - Returns: the expectation.
  public static func between(_ range: ClosedRange<Int>) -> RequestCount {
    RequestCount(least: range.lowerBound, most: range.upperBound)
  }

  /// None.
  public static let never = RequestCount.exactly(0)

  func contains(_ count: Int) -> Bool {
    count >= least && count <= most ?? .max
  }
}

extension RequestCount: CustomStringConvertible {
  /// What is expected, such as `exactly 2 requests`.
  public var description: String {
    func requests(_ count: Int) -> String { count == 1 ? "1 request" : "\(count) requests" }
    guard let most else { return "at least \(requests(least))" }
    if most == least { return least == 0 ? "no request" : "exactly \(requests(least))" }
    return least == 0 ? "at most \(requests(most))" : "\(least) to \(requests(most))"
  }
}
