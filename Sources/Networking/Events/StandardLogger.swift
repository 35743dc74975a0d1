import CatenaSystem
import Foundation

#if canImport(os)
  import os
#endif

/// A logger that writes to stderr or, on Apple platforms, to the system log.
///
/// On stderr, the UTC time of the event precedes each line. Each entry is written as a whole, so
/// the entries of several clients do not interleave. If stderr is closed, full or read-only, or is a
/// pipe without a reader, the output is lost; this causes no failure and raises no `SIGPIPE`. If the
/// pipe is full because its reader is slow, the loggers of all clients wait. Calls do not wait, but
/// pending entries are kept in memory, without limit.
///
/// In the system log, the category is the category of the entry. Each line is a message of its own, and a
/// long line several, because the system truncates long messages.
public struct StandardLogger: NetworkLogger {
  private let subsystem: String

  /// Creates a logger.
  ///
  /// All instances write to the same destination.
  ///
  /// - Parameter subsystem: The subsystem in the system log, such as the identifier of the app's bundle.
  ///   It has no effect on stderr.
  public init(subsystem: String = "Catena") { self.subsystem = subsystem }

  /// Writes an entry.
  ///
  /// - Parameter entry: The entry.
  public func log(_ entry: NetworkLogEntry) {
    #if canImport(os)
      let logger = Logger(subsystem: subsystem, category: entry.category.rawValue)
      let type: OSLogType =
        switch entry.level {
        case .none, .verbose: .debug
        case .error: .error
        case .info: .info
        }
      for message in Self.messages(entry) {
        // Public because the entry is already redacted.
        logger.log(level: type, "\(message, privacy: .public)")
      }
    #else
      StandardStream.error.write(Self.text(entry), waitingAtMost: .never)
    #endif
  }

  /// The messages of an entry for the system log, which keeps 1,024 bytes of each with its other data.
  ///
  /// - Returns: The lines, divided into pieces of at most 960 bytes of UTF-8. No character is divided,
  ///   unless it alone is longer.
  static func messages(_ entry: NetworkLogEntry) -> [String] {
    let limit = 960
    return entry.lines.flatMap { line in
      // Fast path: most lines are short.
      guard line.utf8.count > limit else { return [line] }
      return line.reduce(into: [""]) { messages, character in
        let size = messages[messages.count - 1].utf8.count
        if size > 0, size + character.utf8.count > limit { messages.append("") }
        messages[messages.count - 1].append(character)
      }
    }
  }

  /// The lines of an entry, each with its time and a line break.
  static func text(_ entry: NetworkLogEntry) -> String {
    let time = entry.event.date.formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: true))
    return entry.lines.map { "\(time)Z \($0)\n" }.joined()
  }
}
