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

/// The place of a route in a stub file.
public struct RouteSource: Sendable, Hashable, CustomStringConvertible {
  /// The name of the file.
  public let file: String
  /// The line, from 1.
  public let line: Int
  /// The column in characters, from 1.
  public let column: Int

  /// Creates a place.
  package init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// The place in the format of compiler diagnostics, such as `boards.json:3:5`.
  public var description: String { "\(file):\(line):\(column)" }
}
