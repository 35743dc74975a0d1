public import Foundation

/// The errors of an OpenAPI document: all that were found, in the order of the files.
///
/// A document has errors if nothing sensible can be served. Other mistakes are ``Contract/warnings``, unless
/// the contract is strict.
///
/// ```
/// api.yaml:12:7: /openapi: expected the version 3.0 or 3.1, found 4.0.0
/// ```
public struct ContractError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The errors, at least one.
  public let issues: [ContractIssue]

  /// The errors, one a line.
  public var description: String { issues.map(\.description).joined(separator: "\n") }
}

/// An error in an OpenAPI document, or a warning about it.
public struct ContractIssue: Sendable, Hashable, CustomStringConvertible {
  /// The file.
  public let file: URL
  /// The line, counted from 1.
  public let line: Int
  /// The column in characters, counted from 1.
  public let column: Int
  /// The JSON pointer of the value.
  ///
  /// Empty for the root, and for an error in the syntax.
  ///
  /// Source: RFC 6901.
  public let pointer: String
  /// The expected and the actual value, and for a mistake the assumption with which the document is served.
  public let message: String
  /// Whether the document does not keep the specification.
  ///
  /// `false` for a valid part of a document that has no effect, such as a pattern with look-around. A
  /// mistake is an error of a strict contract.
  public let isMistake: Bool

  /// The file, the line, the column, the pointer and the message.
  public var description: String {
    let place = pointer.isEmpty ? "" : " \(pointer):"
    return "\(file.relativePath):\(line):\(column):\(place) \(message)"
  }
}

extension ContractIssue {
  /// Returns issues in the order of their files and positions.
  static func sorted(_ issues: [ContractIssue]) -> [ContractIssue] {
    issues.sorted { ($0.file.path, $0.line, $0.column) < ($1.file.path, $1.line, $1.column) }
  }
}
