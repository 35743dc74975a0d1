import MockingDocuments

/// A value that does not keep a schema.
///
/// The message names types, limits and the values that the schema allows, never the value itself.
struct SchemaViolation: Sendable, Hashable {
  /// The path of the value from the root.
  let path: [String]
  /// The place of the schema.
  let schema: SchemaPlace
  /// The keyword, such as `minLength`.
  let keyword: String
  let message: String

  /// Whether the validation has ended before its result was known.
  ///
  /// Only an interruption has the keyword `$ref`, which is not a condition itself.
  var isIncomplete: Bool { keyword == "$ref" }

  /// The path of the value as a JSON pointer.
  var pointer: String { JSONValuePath(tokens: path).pointer }
}

extension SchemaViolation: CustomStringConvertible {
  var description: String { "\(pointer.isEmpty ? "the value" : pointer): \(message)" }
}
