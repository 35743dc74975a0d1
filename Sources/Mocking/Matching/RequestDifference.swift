/// One thing in which a request is not as it was expected to be.
public struct RequestDifference: Sendable, Hashable {
  /// What of the request: `method`, `path`, `query "page"`, `header "Accept"`, `JSON .type`.
  public let aspect: String
  /// What was expected of it, without secrets, of 200 characters at the most.
  public let expected: String
  /// What it was instead, without secrets, of 200 characters at the most.
  public let actual: String
}

extension RequestDifference: CustomStringConvertible {
  /// All three in one line.
  public var description: String { "\(aspect): expected \(expected), actual \(actual)" }
}
