import Networking

/// What stands in for a backend and can be asked what it was asked: a ``MockProvider``, a
/// ``MockTransport`` or a ``MockServer``.
///
/// ```swift
/// try provider.verify(.post, "boards", .exactly(2))
/// try provider.verifyOrder(.post("login"), .get("boards"))
/// try provider.verifyNothingElse()
/// ```
///
/// Each verification is there twice: as a method that throws a ``VerificationFailure``, and as a value that
/// is nil when all is well, which tests assert on, so that their framework names their own line.
public protocol MockBackend: Sendable {
  /// What it has been asked.
  var journal: RequestJournal { get }
  /// The states of its scenarios.
  var scenarios: ScenarioStates { get }
}

extension MockBackend {
  /// Verifies how many requests look so.
  ///
  /// It looks at the requests until now, under way or answered, and waits for none. What it has counted,
  /// rightly or not, is covered for ``verifyNothingElse(fileID:filePath:line:column:)``.
  ///
  /// - Parameters:
  ///   - pattern: the requests counted.
  ///   - count: how many there are to be.
  ///   - fileID: where it is asked for.
  ///   - filePath: where it is asked for.
  ///   - line: where it is asked for.
  ///   - column: where it is asked for.
  /// - Throws: ``VerificationFailure`` with a report.
  public func verify(
    _ pattern: RequestPattern, _ count: RequestCount = .exactly(1),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(VerificationFailure) {
    if let finding = journal.check(pattern, count) {
      throw VerificationFailure(finding, fileID, filePath, line, column)
    }
  }

  /// Verifies how many requests there were of a method and path.
  ///
  /// It looks at the requests until now, under way or answered, and waits for none. What it has counted,
  /// rightly or not, is covered for ``verifyNothingElse(fileID:filePath:line:column:)``.
  ///
  /// - Parameters:
  ///   - method: the method; nil stands for every one.
  ///   - path: the path with its variables, relative without a leading slash, as ``RequestPattern/path``
  ///     says.
  ///   - count: how many there are to be.
  ///   - conditions: what else a request has to have; all of it.
  ///   - fileID: where it is asked for.
  ///   - filePath: where it is asked for.
  ///   - line: where it is asked for.
  ///   - column: where it is asked for.
  /// - Throws: ``VerificationFailure`` with a report.
  public func verify(
    _ method: HTTPMethod?, _ path: String, _ count: RequestCount = .exactly(1),
    where conditions: RequestCondition..., fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(VerificationFailure) {
    try verify(
      RequestPattern(method, path, where: conditions), count, fileID: fileID, filePath: filePath,
      line: line, column: column)
  }

  /// Verifies that requests came one after the other.
  ///
  /// The order is that in which the requests arrived. Those found are covered for
  /// ``verifyNothingElse(fileID:filePath:line:column:)``.
  ///
  /// - Parameters:
  ///   - patterns: what the requests look like, the first one first; each stands for one request.
  ///   - gaps: whether others may come between.
  ///   - fileID: where it is asked for.
  ///   - filePath: where it is asked for.
  ///   - line: where it is asked for.
  ///   - column: where it is asked for.
  /// - Throws: ``VerificationFailure`` with a report.
  public func verifyOrder(
    _ patterns: RequestPattern..., gaps: OrderGaps = .allowed,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(VerificationFailure) {
    if let finding = journal.checkOrder(patterns, gaps) {
      throw VerificationFailure(finding, fileID, filePath, line, column)
    }
  }

  /// Verifies that earlier verifications have covered all requests.
  ///
  /// It also fails when the journal has forgotten requests, since nobody knows what they were.
  ///
  /// - Parameters:
  ///   - fileID: where it is asked for.
  ///   - filePath: where it is asked for.
  ///   - line: where it is asked for.
  ///   - column: where it is asked for.
  /// - Throws: ``VerificationFailure`` with a report.
  public func verifyNothingElse(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(VerificationFailure) {
    if let finding = journal.checkNothingElse() {
      throw VerificationFailure(finding, fileID, filePath, line, column)
    }
  }

  /// Verifies that every route has been chosen to answer at least once.
  ///
  /// A provider made of a closure has no routes, so it always passes.
  ///
  /// - Parameters:
  ///   - fileID: where it is asked for.
  ///   - filePath: where it is asked for.
  ///   - line: where it is asked for.
  ///   - column: where it is asked for.
  /// - Throws: ``VerificationFailure`` with a report.
  public func verifyNoUnusedStubs(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(VerificationFailure) {
    if let finding = journal.checkUnusedStubs() {
      throw VerificationFailure(finding, fileID, filePath, line, column)
    }
  }
}

extension MockBackend {
  /// What is wrong with how many requests look so; nil for nothing.
  ///
  /// It looks at the requests until now, under way or answered, and waits for none. What it has counted,
  /// rightly or not, is covered for ``verifyNothingElse(fileID:filePath:line:column:)``.
  ///
  /// - Parameters:
  ///   - pattern: the requests counted.
  ///   - count: how many there are to be.
  ///   - fileID: where it is asked for.
  ///   - filePath: where it is asked for.
  ///   - line: where it is asked for.
  ///   - column: where it is asked for.
  /// - Returns: the failure, or nil when all is well.
  public func mismatch(
    _ pattern: RequestPattern, _ count: RequestCount = .exactly(1),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> VerificationFailure? {
    journal.check(pattern, count).map { VerificationFailure($0, fileID, filePath, line, column) }
  }

  /// What is wrong with how many requests there were of a method and path; nil for nothing.
  ///
  /// It looks at the requests until now, under way or answered, and waits for none. What it has counted,
  /// rightly or not, is covered for ``verifyNothingElse(fileID:filePath:line:column:)``.
  ///
  /// - Parameters:
  ///   - method: the method; nil stands for every one.
  ///   - path: the path with its variables, relative without a leading slash, as ``RequestPattern/path``
  ///     says.
  ///   - count: how many there are to be.
  ///   - conditions: what else a request has to have; all of it.
  ///   - fileID: where it is asked for.
  ///   - filePath: where it is asked for.
  ///   - line: where it is asked for.
  ///   - column: where it is asked for.
  /// - Returns: the failure, or nil when all is well.
  public func mismatch(
    _ method: HTTPMethod?, _ path: String, _ count: RequestCount = .exactly(1),
    where conditions: RequestCondition..., fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> VerificationFailure? {
    mismatch(
      RequestPattern(method, path, where: conditions), count, fileID: fileID, filePath: filePath,
      line: line, column: column)
  }

  /// What speaks against it that requests came one after the other; nil for nothing.
  ///
  /// The order is that in which the requests arrived. Those found are covered for
  /// ``verifyNothingElse(fileID:filePath:line:column:)``.
  ///
  /// - Parameters:
  ///   - patterns: what the requests look like, the first one first; each stands for one request.
  ///   - gaps: whether others may come between.
  ///   - fileID: where it is asked for.
  ///   - filePath: where it is asked for.
  ///   - line: where it is asked for.
  ///   - column: where it is asked for.
  /// - Returns: the failure, or nil when all is well.
  public func orderMismatch(
    _ patterns: RequestPattern..., gaps: OrderGaps = .allowed,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> VerificationFailure? {
    journal.checkOrder(patterns, gaps).map {
      VerificationFailure($0, fileID, filePath, line, column)
    }
  }

  /// What speaks against it that earlier verifications have covered all requests; nil for nothing.
  ///
  /// It is also not nil when the journal has forgotten requests, since nobody knows what they were.
  ///
  /// - Parameters:
  ///   - fileID: where it is asked for.
  ///   - filePath: where it is asked for.
  ///   - line: where it is asked for.
  ///   - column: where it is asked for.
  /// - Returns: the failure, or nil when all is well.
  public func remainderMismatch(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> VerificationFailure? {
    journal.checkNothingElse().map { VerificationFailure($0, fileID, filePath, line, column) }
  }

  /// What speaks against it that every route has been chosen to answer at least once; nil for nothing.
  ///
  /// A provider made of a closure has no routes, so it is nil.
  ///
  /// - Parameters:
  ///   - fileID: where it is asked for.
  ///   - filePath: where it is asked for.
  ///   - line: where it is asked for.
  ///   - column: where it is asked for.
  /// - Returns: the failure, or nil when all is well.
  public func unusedStubsMismatch(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> VerificationFailure? {
    journal.checkUnusedStubs().map { VerificationFailure($0, fileID, filePath, line, column) }
  }
}
