/// The path of a request received, with the values of its route's variables.
public struct ReceivedPath: Sendable, Hashable, CustomStringConvertible {
  /// The path as it was sent, still percent-encoded, without the query.
  public let text: String
  /// The segments between the slashes, each percent-decoded by itself.
  public let segments: [String]
  /// The values of the variables by name, percent-decoded.
  public internal(set) var variables: [String: String]

  init(text: String, _ segments: [String] = [], _ variables: [String: String] = [:]) {
    self.text = text
    self.segments = segments
    self.variables = variables
  }

  /// The value of a variable, percent-decoded; empty when the template has none of that name.
  ///
  /// - Parameter name: the name, as between the braces of the template, without the `*`.
  public subscript(name: String) -> String { variables[name] ?? "" }

  /// The path as it was sent.
  public var description: String { text }
}
