import Networking

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
