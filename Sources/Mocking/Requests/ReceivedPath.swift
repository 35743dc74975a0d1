/// The path of a received request, with the values of the route's variables.
public struct ReceivedPath: Sendable, Hashable, CustomStringConvertible {
  /// The path as sent, percent-encoded, without the query.
  public let text: String
  /// The segments between the slashes, each percent-decoded separately.
  public let segments: [String]
  /// The percent-decoded values of the variables by name.
  public internal(set) var variables: [String: String]
  /// The number of the first segments that are the path of the client's base URL.
  ///
  /// 0 for a request that a server has received.
  let baseCount: Int

  init(
    text: String, _ segments: [String] = [], _ variables: [String: String] = [:],
    below base: String = ""
  ) {
    self.text = text
    self.segments = segments
    self.variables = variables
    baseCount = Self.baseCount(of: text, base)
  }

  /// Creates the path of a request target, without variables.
  init(of target: String, below base: String = "") {
    let parsed = RequestTarget(target)
    self.init(
      text: parsed.map { String($0.path) } ?? target, parsed?.segments ?? [], below: base)
  }

  /// The segments after the path of the client's base URL.
  ///
  /// One empty segment for a request to the base URL itself, as for the root of a server.
  var segmentsAfterBase: [String] {
    segments.count == baseCount ? [""] : Array(segments[baseCount...])
  }

  /// Returns the number of segments of a base path, or 0 if a path is not below it.
  private static func baseCount(of text: String, _ base: String) -> Int {
    // Fast path: most base URLs have no path.
    guard base.utf8.count > 1 else { return 0 }
    let slash = UInt8(ascii: "/")
    let base = base.utf8.last == slash ? base.utf8.dropLast() : base.utf8[...]
    let rest = text.utf8.dropFirst(base.count)
    guard text.utf8.starts(with: base), rest.isEmpty || rest.first == slash else { return 0 }
    return base.count { $0 == slash }
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
