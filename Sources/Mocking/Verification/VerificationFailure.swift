import Foundation

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
    _ finding: Finding, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt,
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
