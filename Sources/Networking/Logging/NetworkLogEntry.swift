/// Something for a log: what happened to a call, in words, without secrets.
public struct NetworkLogEntry: Sendable, Hashable, CustomStringConvertible {
  /// What an entry has to do with.
  public enum Category: String, Sendable, Hashable, CaseIterable {
    /// A request on its way.
    case request
    /// A response, or the end of a call that did not fail.
    case response
    /// A call's failure.
    case error
  }

  /// The lowest level at which it is written.
  public let level: LoggingConfiguration.Level
  /// What it has to do with.
  public let category: Category
  /// What happened.
  public let event: NetworkEvent
  /// The words, at least one line; behind the first are header fields and a body, at the level
  /// ``LoggingConfiguration/Level-swift.enum/verbose`` alone.
  ///
  /// Each begins with the number of the call, ``NetworkEvent/call``. No line has a line break or another control
  /// character in it, whatever a server sends.
  public let lines: [String]

  /// Makes an entry, for tests of loggers.
  ///
  /// - Parameters:
  ///   - level: the lowest level at which it is written.
  ///   - category: what it has to do with.
  ///   - event: what happened.
  ///   - lines: the words, without secrets.
  public init(
    level: LoggingConfiguration.Level, category: Category, event: NetworkEvent, lines: [String]
  ) {
    self.level = level
    self.category = category
    self.event = event
    self.lines = lines.map(NetworkError.inOneLine)
  }

  /// The lines, without a line break behind the last.
  public var description: String { lines.joined(separator: "\n") }
}
