import Networking

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

  /// The path of the value as a JSON pointer.
  var pointer: String { path.map(JSONPointer.escaped).joined() }
}

extension SchemaViolation: CustomStringConvertible {
  var description: String { "\(pointer.isEmpty ? "the value" : pointer): \(message)" }
}
