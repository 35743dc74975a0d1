import Foundation

#if canImport(os)
  import os
#endif

/// Writes to stderr or, on Apple's platforms, to the system's log.
///
/// To stderr each line goes with the time at which it happened before it, in UTC. An entry is written at once, and no
/// two entries are mixed, also of two clients. A stderr that is closed, or a pipe whose reader has gone, is no reason for
/// a failure, and raises no `SIGPIPE`: what cannot be written is lost. A pipe that is full, as its reader is slow, is
/// waited for, by the loggers of all clients. No call waits for them, but what there is to log meanwhile is kept in
/// memory, without limit.
///
/// In the system's log the subsystem is `Catena`, and the category that of the entry.
public struct StandardLogger: NetworkLogger {
  /// Makes a logger; all of them write to the same place.
  public init() {}

  /// Writes an entry.
  ///
  /// - Parameter entry: what to write.
  public func log(_ entry: NetworkLogEntry) {
    #if canImport(os)
      let logger = Logger(subsystem: "Catena", category: entry.category.rawValue)
      let type: OSLogType =
        switch entry.level {
        case .none, .verbose: .debug
        case .error: .error
        case .info: .info
        }
      // Public, as the secrets are masked already.
      logger.log(level: type, "\(entry.description, privacy: .public)")
    #else
      StandardError.write(Self.text(entry))
    #endif
  }

  /// Whole lines, each with the time.
  static func text(_ entry: NetworkLogEntry) -> String {
    let time = entry.event.date.formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: true))
    return entry.lines.map { "\(time)Z \($0)\n" }.joined()
  }
}
