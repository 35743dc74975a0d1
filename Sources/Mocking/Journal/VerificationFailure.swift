public import Foundation

/// The error of a verification that failed, with its report.
///
/// Verifications throw it as a typed error, so a `catch` clause needs no cast. It contains the
/// source location of the verification, so that a test can record the failure there and continue:
///
/// ```swift
/// do {
///   try provider.verify(.get, "boards", .exactly(1))
/// } catch {
///   error.record()                                   // Swift Testing, with `import CatenaTesting`
///   XCTFail(error.report, file: error.filePath, line: error.line)              // XCTest
/// }
/// ```
public struct VerificationFailure: Error, Sendable {
  /// The expected requests, the received ones and the nearest one, on several lines.
  ///
  /// The length is bounded. The values of secret names are masked.
  public let report: String
  /// The differences between the nearest request and the pattern.
  ///
  /// Empty unless the verification expected more matching requests than were received.
  public let differences: [RequestDifference]
  /// The module and the file of the verification.
  public let fileID: StaticString
  /// The file path of the verification.
  public let filePath: StaticString
  /// The line of the verification.
  public let line: UInt
  /// The column of the verification.
  public let column: UInt

  init(
    _ report: VerificationReport, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt,
    _ column: UInt
  ) {
    self.report = report.text
    differences = report.differences
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }
}

extension VerificationFailure: CustomStringConvertible, LocalizedError {
  /// The file name and the line, such as `BoardsTests.swift:12`, followed by the ``report``.
  public var description: String {
    let file = "\(fileID)"
    return "\(file.split(separator: "/").last.map(String.init) ?? file):\(line): \(report)"
  }

  /// The same text as ``description``.
  public var errorDescription: String? { description }
}
