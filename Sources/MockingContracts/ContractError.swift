public import Foundation

/// The errors of an OpenAPI document: all that were found, in the order of the files.
///
/// ```
/// api.yaml:12:7: /paths/~1pets/get/responses/200: expected an object
/// api.yaml:31:15: /components/schemas/Pet/properties/tag/$ref: the reference #/Tag leads nowhere
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
  /// The expected and the actual value.
  public let message: String

  /// The file, the line, the column, the pointer and the message.
  public var description: String {
    let place = pointer.isEmpty ? "" : " \(pointer):"
    return "\(file.relativePath):\(line):\(column):\(place) \(message)"
  }
}
