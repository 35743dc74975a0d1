import Promises

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

/// A logger that calls a closure.
///
/// ```swift
/// configuration.logging.errorLogger = ClosureLogger { entry in alert(entry.description) }
/// ```
///
/// A closure that is written in the code of an actor runs on this actor.
public struct ClosureLogger: NetworkLogger {
  private let closure: IsolatedClosure<NetworkLogEntry, Void>
  /// The scheduler that waits for the closure.
  ///
  /// `nil` if none does.
  private var scheduler: (any Scheduler)?

  /// Creates a logger.
  ///
  /// - Parameter closure: The handler of each entry. It receives one entry at a time, in order, on
  ///   its actor or, without one, on a serial queue, like ``NetworkLogger/log(_:)``.
  public init(
    @_inheritActorContext _ closure:
      @escaping @Sendable @isolated(any) (_ entry: NetworkLogEntry) -> Void
  ) {
    self.closure = IsolatedClosure(closure)
  }

  /// Passes an entry to the closure.
  ///
  /// If the closure is isolated to an actor, this method returns before the closure has run.
  ///
  /// - Parameter entry: The entry.
  public func log(_ entry: NetworkLogEntry) {
    closure.run(entry, awaitedBy: scheduler)
  }

  /// Returns the logger with a scheduler that waits for its closure.
  func tracked(by scheduler: any Scheduler) -> ClosureLogger {
    var logger = self
    logger.scheduler = scheduler
    return logger
  }
}

extension LoggingConfiguration {
  /// Returns the configuration with a scheduler that waits for its loggers.
  ///
  /// Other loggers than closures run on the queue of the client, which the scheduler tracks.
  func tracked(by scheduler: any Scheduler) -> LoggingConfiguration {
    func tracked(_ logger: (any NetworkLogger)?) -> (any NetworkLogger)? {
      (logger as? ClosureLogger)?.tracked(by: scheduler) ?? logger
    }
    var configuration = self
    configuration.requestLogger = tracked(requestLogger)
    configuration.responseLogger = tracked(responseLogger)
    configuration.errorLogger = tracked(errorLogger)
    return configuration
  }
}

extension LoggingConfiguration: BrieflyDescribed {
  /// The level: `LoggingConfiguration(info)`.
  public var description: String { "LoggingConfiguration(\(level))" }
}
