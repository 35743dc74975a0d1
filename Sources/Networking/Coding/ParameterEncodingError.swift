/// An error of a parameter encoder.
///
/// It describes the position and the problem of a value, but does not contain the value. The
/// request fails with ``NetworkError/Code-swift.enum/encodingFailed`` and has this error as its
/// ``NetworkError/underlying`` error.
public struct ParameterEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The path to the value, such as `filter.tags[2]`.
  ///
  /// Empty for the root.
  public var keyPath: String
  /// The problem, such as `is not a number`.
  ///
  /// It completes a sentence that starts with the key path.
  public var reason: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - keyPath: The path to the value. Empty for the root.
  ///   - reason: The problem. It completes a sentence that starts with the key path.
  public init(keyPath: String, reason: String) {
    self.keyPath = keyPath
    self.reason = reason
  }

  /// A sentence with the key path and the problem.
  public var description: String {
    "\(keyPath.isEmpty ? "the root of the parameters" : "the parameter \(keyPath)") \(reason)"
  }

  /// The maximum depth of a tree of parameters.
  ///
  /// Deeper recursion could exhaust the stack.
  static let depthLimit = JSON.maximumDepth
  static func tooDeep(_ keyPath: String) -> Self {
    Self(keyPath: String(keyPath.prefix(60)) + "...", reason: "is nested too deeply")
  }
}
