/// A log entry: the text for one event of a call, without secrets.
public struct NetworkLogEntry: Sendable, Hashable, CustomStringConvertible {
  /// The category of an entry, which selects its logger.
  public enum Category: String, Sendable, Hashable, CaseIterable {
    /// An event of a request, a connection, a retry, a redirect or a credential refresh.
    case request
    /// An event of a response, or the end of a call that did not fail.
    case response
    /// The failure of a call, or a body that was decoded although the status is not 2xx.
    case error
  }

  /// The lowest level that logs the entry.
  public let level: LoggingConfiguration.Level
  /// The category of the entry.
  public let category: Category
  /// The event.
  public let event: NetworkEvent
  /// The text, at least one line.
  ///
  /// At the level ``LoggingConfiguration/Level-swift.enum/verbose``, the header fields and the body
  /// follow the first line.
  ///
  /// Each line begins with the identifier of the call, ``NetworkEvent/call``. No line contains a
  /// line break or another control character, even if the server sends one.
  public let lines: [String]

  /// Creates an entry, for tests of loggers.
  ///
  /// - Parameters:
  ///   - level: The lowest level that logs the entry.
  ///   - category: The category of the entry.
  ///   - event: The event.
  ///   - lines: The text, without secrets.
  public init(
    level: LoggingConfiguration.Level, category: Category, event: NetworkEvent, lines: [String]
  ) {
    self.level = level
    self.category = category
    self.event = event
    self.lines = lines.map(NetworkError.singleLine)
  }

  /// The lines, separated by line breaks, without a trailing line break.
  public var description: String { lines.joined(separator: "\n") }
}
