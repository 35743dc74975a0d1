import Foundation
import Synchronization

#if canImport(os)
  import os
#endif

/// Writes to stderr or, on Apple's platforms, to the system's log.
///
/// To stderr each line goes with the time at which it happened before it, in UTC. An entry is written at once, and no
/// two entries are mixed, also of two clients. A stderr that nobody reads is no reason for a failure: what cannot be
/// written is lost.
///
/// In the system's log the subsystem is `Catena`, and the category that of the entry.
public struct StandardLogger: NetworkLogger {
  #if !canImport(os)
    /// One writer at a time, in the whole process.
    private static let turn = Mutex<Void>(())
  #endif

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
      let data = Data(Self.text(entry).utf8)
      Self.turn.withLock { _ in try? FileHandle.standardError.write(contentsOf: data) }
    #endif
  }

  /// Whole lines, each with the time.
  static func text(_ entry: NetworkLogEntry) -> String {
    let time = entry.event.date.formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: true))
    return entry.lines.map { "\(time)Z \($0)\n" }.joined()
  }
}
