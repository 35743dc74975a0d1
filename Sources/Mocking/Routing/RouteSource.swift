/// The place of a route in a stub file.
///
/// ```swift
/// for route in server.routes.all {
///   print(route.source?.description ?? "code", route.description)   // boards.json:3:5 GET /boards
/// }
/// ```
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

extension Mock {
  /// Returns a sequence that a file describes.
  ///
  /// - Parameters:
  ///   - mocks: The responses.
  ///   - end: The responses after the last mock.
  ///   - source: The place of the sequence, which identifies its position.
  /// - Returns: The mock.
  package static func sequence(
    _ mocks: [Mock], then end: SequenceEnd, at source: RouteSource
  ) -> Mock {
    var mock = Mock()
    mock.source = .sequence(
      ResponseSequence(
        mocks, end,
        .init(file: source.file, line: UInt(source.line), column: UInt(source.column))))
    return mock
  }
}
