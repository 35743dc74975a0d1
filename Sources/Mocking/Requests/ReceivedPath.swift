/// The path of a received request, with the values of the route's variables.
public struct ReceivedPath: Sendable, Hashable, CustomStringConvertible {
  /// The path as sent, percent-encoded, without the query.
  public let text: String
  /// The segments between the slashes, each percent-decoded separately.
  public let segments: [String]
  /// The percent-decoded values of the variables by name.
  public internal(set) var variables: [String: String]

  init(text: String, _ segments: [String] = [], _ variables: [String: String] = [:]) {
    self.text = text
    self.segments = segments
    self.variables = variables
  }

  /// Creates the path of a request target, without variables.
  init(of target: String) {
    let parsed = RequestTarget(target)
    self.init(text: parsed.map { String($0.path) } ?? target, parsed?.segments ?? [])
  }

  /// The percent-decoded value of a variable.
  ///
  /// Empty if the template has no variable with this name.
  ///
  /// - Parameter name: The name between the braces of the template, without the `*`.
  public subscript(name: String) -> String { variables[name] ?? "" }

  /// The path as sent.
  public var description: String { text }
}
