/// What a client writes about its calls, and where to.
///
/// ```swift
/// var configuration = NetworkingConfiguration()
/// configuration.logging = .info                    // to stderr, or to the system's log on Apple's platforms
/// configuration.logging.errorLogger = Alerts()     // failures go elsewhere
/// ```
///
/// - **Secrets.** What goes by a telling name is masked, in URLs, header fields and bodies, by the same rules as in a
///   ``NetworkEvent``; ``NetworkingConfiguration/secretNames`` adds to them.
/// - **Threads.** Loggers run on a serial queue of the client's own, in the order in which things happened. No call
///   waits for them.
/// - **Cost.** Nothing at the level ``Level-swift.enum/none``.
public struct LoggingConfiguration: Sendable {
  /// How much to say about a client's calls; each level says what those below it do.
  public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Nothing.
    case none
    /// One line for each call that failed: method, URL, what was wrong, how many attempts it took and how long.
    ///
    /// A response is none, whatever its status.
    case error
    /// One line for each call that begins to send or waits for another's answer, one for each retry, redirect and
    /// refresh of credentials, and one for its end, with status, time and sizes.
    case info
    /// All events, with the header fields, and with bodies that are text and not larger than
    /// ``LoggingConfiguration/maximumBodySize``.
    case verbose

    /// Whether one says less than another.
    ///
    /// - Parameters:
    ///   - left: one level.
    ///   - right: the other.
    /// - Returns: true when the first says less.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// How much to say.
  public var level: Level
  /// Who takes what has to do with requests: their way to the server, retries and redirects; nil is nobody.
  public var requestLogger: (any NetworkLogger)?
  /// Who takes what has to do with responses, and the ends of calls that did not fail; nil is nobody.
  public var responseLogger: (any NetworkLogger)?
  /// Who takes the failures of calls; nil is nobody.
  public var errorLogger: (any NetworkLogger)?
  /// How many bytes a body may have to be shown at the level ``Level-swift.enum/verbose``; of a larger one there is its
  /// size alone, and 0 shows none.
  ///
  /// Bodies are shown whole or not at all, as no secret could be told in a part. Those of requests are shown when they
  /// are in memory, not from files or streams.
  public var maximumBodySize = 4 << 10

  /// Makes a configuration.
  ///
  /// - Parameters:
  ///   - level: how much to say.
  ///   - logger: who takes it all.
  public init(_ level: Level, to logger: any NetworkLogger = StandardLogger()) {
    self.level = level
    requestLogger = logger
    responseLogger = logger
    errorLogger = logger
  }

  /// Nothing is written.
  public static let none = LoggingConfiguration(.none)
  /// Failures, to the ``StandardLogger``.
  public static let error = LoggingConfiguration(.error)
  /// Beginnings and ends, retries and redirects, to the ``StandardLogger``.
  public static let info = LoggingConfiguration(.info)
  /// All events with header fields and small bodies, to the ``StandardLogger``.
  public static let verbose = LoggingConfiguration(.verbose)
}

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
    self.lines = lines.map(NetworkError.singleLine)
  }

  /// The lines, without a line break behind the last.
  public var description: String { lines.joined(separator: "\n") }
}

/// Writes down what a client says about its calls.
///
/// ```swift
/// struct Journal: NetworkLogger {
///   func log(_ entry: NetworkLogEntry) { journal.append(entry.description) }
/// }
///
/// configuration.logging = LoggingConfiguration(.info, to: Journal())
/// ```
public protocol NetworkLogger: Sendable {
  /// Takes an entry.
  ///
  /// The entries of a client come one at a time, on a serial queue of its own, in the order in which things happened;
  /// those of two clients may come at once. It may take its time: calls do not wait, and what happens meanwhile is
  /// kept for it, without limit.
  ///
  /// - Parameter entry: what to write; without secrets.
  func log(_ entry: NetworkLogEntry)
}

/// A logger that is a closure.
///
/// ```swift
/// configuration.logging.errorLogger = ClosureLogger { entry in alert(entry.description) }
/// ```
public struct ClosureLogger: NetworkLogger {
  private let closure: @Sendable (NetworkLogEntry) -> Void

  /// Makes a logger.
  ///
  /// - Parameter closure: runs as ``NetworkLogger/log(_:)`` does, on a serial queue.
  public init(_ closure: @escaping @Sendable (_ entry: NetworkLogEntry) -> Void) {
    self.closure = closure
  }

  /// Hands the entry to the closure.
  ///
  /// - Parameter entry: what to write.
  public func log(_ entry: NetworkLogEntry) { closure(entry) }
}
