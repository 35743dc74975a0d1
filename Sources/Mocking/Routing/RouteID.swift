/// The identifier of a route of a mocked backend.
///
/// A backend gives each route a number, which it does not use again. A route can have an identifier
/// of its own, which stays the same when a stub file is read again:
///
/// ```swift
/// Route(.post, "/login", .status(401)).id("login")
/// ```
public struct RouteID: RawRepresentable, Sendable, Hashable, Codable {
  /// The text of the identifier.
  public let rawValue: String

  /// Creates an identifier.
  ///
  /// - Parameter rawValue: The text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates the identifier of a route without its own one.
  init(number: Int) { rawValue = "\(number + 1)" }
}

extension RouteID: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Creates an identifier.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The text of the identifier.
  public var description: String { rawValue }
}
