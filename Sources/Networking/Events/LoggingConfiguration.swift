/// The log settings of a client: the level, the loggers and the size limit of bodies.
///
/// ```swift
/// var configuration = NetworkingConfiguration()
/// configuration.logging = .info                    // to the standard logger
/// configuration.logging.errorLogger = Alerts()     // failures to another logger
/// ```
///
/// - **Secrets.** Values with secret names are masked in URLs, header fields and bodies, by the
///   same rules as in a ``NetworkEvent``. ``NetworkingConfiguration/secretNames`` adds names.
/// - **Threads.** Loggers run on a serial queue that belongs to the client, in the order of the
///   events. A ``ClosureLogger`` in the code of an actor runs on this actor, in the same order. No
///   call waits for them.
/// - **Cost.** None at the level ``Level-swift.enum/none``.
public struct LoggingConfiguration: Sendable {
  /// The level of detail of a client's log.
  ///
  /// Each level includes the levels below it.
  public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Nothing.
    case none
    /// One line for each failed call: method, URL, reason, number of attempts and time.
    ///
    /// A response is not a failure, regardless of its status. If its status is not 2xx, and its body is
    /// decoded without a validation of the status, there is one line about that.
    case error
    /// One line for each call that begins to send or joins an identical request, for each retry,
    /// redirect and credential refresh, and for the end of each call, with status, time and sizes.
    case info
    /// All events, with the header fields, and with text bodies that are not larger than
    /// ``LoggingConfiguration/maximumBodySize``.
    case verbose

    /// Returns whether the first level logs less than the second.
    ///
    /// - Parameters:
    ///   - left: The first level.
    ///   - right: The second level.
    /// - Returns: `true` if the first level logs less.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// The log level.
  public var level: Level
  /// The logger for requests, retries, redirects and credential refreshes.
  ///
  /// `nil` discards their entries.
  public var requestLogger: (any NetworkLogger)?
  /// The logger for responses and for the ends of calls that did not fail.
  ///
  /// `nil` discards their entries.
  public var responseLogger: (any NetworkLogger)?
  /// The logger for failed calls, and for bodies that were decoded whatever the status.
  ///
  /// `nil` discards their entries.
  public var errorLogger: (any NetworkLogger)?
  /// The largest body in bytes that the level ``Level-swift.enum/verbose`` shows.
  ///
  /// 0 shows no bodies.
  ///
  /// Only the size of a larger body is logged. Bodies are shown whole or not at all, because
  /// secrets cannot be recognized in a part. Request bodies are shown only if they are in memory,
  /// not if they come from a file or a stream.
  public var maximumBodySize = 4 << 10

  /// Creates a configuration with one logger for all entries.
  ///
  /// - Parameters:
  ///   - level: The log level.
  ///   - logger: The logger for requests, responses and failures.
  public init(_ level: Level, to logger: any NetworkLogger = StandardLogger()) {
    self.level = level
    requestLogger = logger
    responseLogger = logger
    errorLogger = logger
  }

  /// Logs nothing.
  public static let none = LoggingConfiguration(.none)
  /// Logs failures to the ``StandardLogger``.
  public static let error = LoggingConfiguration(.error)
  /// Logs the start and end of calls, retries and redirects to the ``StandardLogger``.
  public static let info = LoggingConfiguration(.info)
  /// Logs all events with header fields and small bodies to the ``StandardLogger``.
  public static let verbose = LoggingConfiguration(.verbose)
}

/// A destination for the log entries of a client.
///
/// ```swift
/// struct Journal: NetworkLogger {
///   func log(_ entry: NetworkLogEntry) { journal.append(entry.description) }
/// }
///
/// configuration.logging = LoggingConfiguration(.info, to: Journal())
/// ```
public protocol NetworkLogger: Sendable {
  /// Logs an entry.
  ///
  /// The entries of a client arrive one at a time, on a serial queue of the client, in the order of
  /// the events. Entries of different clients may arrive concurrently. A slow logger does not delay
  /// calls: entries are queued for it in memory, without limit.
  ///
  /// - Parameter entry: The entry, without secrets.
  func log(_ entry: NetworkLogEntry)
}

extension LoggingConfiguration: BrieflyDescribed {
  /// The level: `LoggingConfiguration(info)`.
  public var description: String { "LoggingConfiguration(\(level))" }
}
