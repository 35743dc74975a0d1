/// Why parameters cannot be encoded: where in the tree, and what is wrong there, never the value itself.
///
/// A ``ParameterEncoding`` throws it; a request fails with
/// ``NetworkError/Code-swift.enum/encodingFailed`` and this as the cause.
public struct ParameterEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The names and positions that lead to the value, such as `filter.tags[2]`; empty for the root.
  public var keyPath: String
  /// What is wrong, as the end of a sentence that starts with the key path: `is not a number`.
  public var reason: String

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - keyPath: the names and positions that lead to the value; empty for the root.
  ///   - reason: what is wrong, as the end of a sentence that starts with the key path.
  public init(keyPath: String, reason: String) {
    self.keyPath = keyPath
    self.reason = reason
  }

  /// The key path and what is wrong there.
  public var description: String {
    "\(keyPath.isEmpty ? "the root of the parameters" : "the parameter \(keyPath)") \(reason)"
  }

  /// As far down as a tree of parameters may go; deeper, a recursion could exhaust the stack.
  static let depthLimit = 512

  static func notFinite(_ keyPath: String) -> Self {
    Self(keyPath: keyPath, reason: "is not a finite number")
  }

  static func tooDeep(_ keyPath: String) -> Self {
    Self(keyPath: String(keyPath.prefix(60)) + "...", reason: "is nested too deeply")
  }
}
