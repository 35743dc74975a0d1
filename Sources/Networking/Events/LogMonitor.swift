import CatenaSystem
import Foundation
import Promises

/// A logger of the events of a client's calls.
///
/// Each call keeps the level it started with.
final class LogMonitor: Sendable {
  let bodyLimit: Int
  private let logging: LoggingConfiguration
  private let machine = Mutex(CallLogMachine())
  /// The levels of the active calls.
  ///
  /// They have a separate lock, so that a new call does not wait while `machine` formats an entry.
  private let levels = Mutex<[NetworkEvent.CallID: LoggingConfiguration.Level]>([:])

  init(_ logging: LoggingConfiguration) {
    self.logging = logging
    bodyLimit = max(logging.maximumBodySize, 0)
  }

  /// Sets the level of a call until its final event.
  ///
  /// Keeps a level that is already set.
  func setLevel(_ level: LoggingConfiguration.Level, for call: NetworkEvent.CallID) {
    levels.withLock { $0[call] = $0[call] ?? level }
  }

  /// Logs that the body of a response has been decoded whose status is neither 2xx nor validated.
  ///
  /// - Parameters:
  ///   - event: The final event of the call.
  ///   - status: The status.
  func logDecoding(after event: NetworkEvent, status: Int) {
    let line =
      CallLogMachine.start(event)
      + ": the body was decoded although the status is \(status); validate() rejects such a response"
    logging.errorLogger?.log(
      NetworkLogEntry(level: .error, category: .error, event: event, lines: [line]))
  }

  func observe(_ event: NetworkEvent, _ body: Data?) {
    let level = levels.withLock { levels in
      event.isFinal ? levels.removeValue(forKey: event.call) : levels[event.call]
    }
    guard let level, let entry = machine.withLock({ $0.entry(for: event, body, at: level) })
    else { return }
    switch entry.category {
    case .request: logging.requestLogger?.log(entry)
    case .response: logging.responseLogger?.log(entry)
    case .error: logging.errorLogger?.log(entry)
    }
  }
}

/// An event sink that logs new calls at a fixed level.
///
/// All log sinks of a client share one queue. So the loggers receive one entry at a time and in
/// order, even if the level changes during a call.
final class LogSink: EventSink {
  let level: LoggingConfiguration.Level
  let bodyLimit: Int
  private let monitor: LogMonitor
  private let queue: MonitorQueue

  private init(
    _ monitor: LogMonitor, _ queue: MonitorQueue, _ level: LoggingConfiguration.Level
  ) {
    self.monitor = monitor
    self.queue = queue
    self.level = level
    bodyLimit = level == .verbose ? monitor.bodyLimit : 0
  }

  /// Creates the first log sink of a client.
  convenience init(
    _ logging: LoggingConfiguration, at level: LoggingConfiguration.Level, scheduler: any Scheduler
  ) {
    let monitor = LogMonitor(logging.tracked(by: scheduler))
    let queue = MonitorQueue(bodyLimit: monitor.bodyLimit, scheduler: scheduler) {
      monitor.observe($0, $1)
    }
    self.init(monitor, queue, level)
  }

  /// Returns a sink for the same log at another level.
  func withLevel(_ level: LoggingConfiguration.Level) -> LogSink { LogSink(monitor, queue, level) }

  func enqueue(_ event: NetworkEvent, _ body: Data?) {
    // A call that fails before it is queued has only its final event.
    if event.kind == .queued || event.isFinal { monitor.setLevel(level, for: event.call) }
    queue.enqueue(event, (body?.count ?? 0) > bodyLimit ? nil : body)
  }

  /// Logs that the body of a response has been decoded whose status is neither 2xx nor validated.
  ///
  /// The entry follows those of the call.
  func logDecoding(after event: NetworkEvent, status: Int) {
    queue.whenDelivered { [monitor] in monitor.logDecoding(after: event, status: status) }
  }

  func deliver() { queue.deliver() }

  func whenDelivered(_ action: @escaping @Sendable () -> Void) { queue.whenDelivered(action) }
}

/// A state machine that turns the events of a client's calls into log entries.
struct CallLogMachine {
  /// The state of an active call.
  private struct Call {
    var hasBegun = false
    var contentType: String?
  }

  /// The active calls.
  ///
  /// The final event of a call removes it.
  private var calls: [NetworkEvent.CallID: Call] = [:]

  /// Returns the log entry for an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - body: The body that was sent or received. `nil` if it is too large to log.
  ///   - level: The log level of the call.
  /// - Returns: The entry. `nil` if the level excludes the event.
  mutating func entry(
    for event: NetworkEvent, _ body: Data?, at level: LoggingConfiguration.Level
  ) -> NetworkLogEntry? {
    var call = calls[event.call] ?? Call()
    defer { calls[event.call] = event.isFinal ? nil : call }
    let (minimumLevel, category) = Self.levelAndCategory(of: event.kind, isFirst: !call.hasBegun)
    var fields: HTTPHeaders = [:]
    switch event.kind {
    case .sending(let headers, _):
      call.hasBegun = true
      fields = headers
      call.contentType = fields["Content-Type"]
    case .head(let head):
      fields = head.headers
      call.contentType = fields["Content-Type"]
    default: break
    }
    guard minimumLevel <= level else { return nil }
    var lines = [Self.line(event)]
    if level == .verbose {
      lines += fields.map { "\(event.call)   \($0.name): \($0.value)" }
      let redactor = event.request?.attributes.redactor ?? .standard
      if let body, let text = redactor.maskedBody(body, contentType: call.contentType) {
        lines.append("\(event.call)   \(text)")
      }
    }
    return NetworkLogEntry(level: minimumLevel, category: category, event: event, lines: lines)
  }

  /// Returns the lowest level that logs an event, and the category of its entry.
  private static func levelAndCategory(
    of kind: NetworkEvent.Kind, isFirst: Bool
  ) -> (LoggingConfiguration.Level, NetworkLogEntry.Category) {
    switch kind {
    case .failed: (.error, .error)
    case .finished, .cancelled: (.info, .response)
    case .sending where isFirst: (.info, .request)
    case .shared, .waiting, .redirected, .challenged, .retrying, .credentialsRefreshed:
      (.info, .request)
    case .servedFromCache: (.info, .response)
    case .head, .body, .servedLocally: (.verbose, .response)
    default: (.verbose, .request)
    }
  }

  /// The start of a line: the call and its request.
  static func start(_ event: NetworkEvent) -> String {
    "\(event.call)\(event.request.map { " \($0)" } ?? "")"
  }

  private static func line(_ event: NetworkEvent) -> String {
    let start = start(event)
    let time = String(format: "%.3f s", event.elapsed / .seconds(1))
    let attempts = event.attempt == 1 ? "1 attempt" : "\(event.attempt) attempts"
    switch event.kind {
    case .finished(let status, let metrics):
      let sizes = "\(metrics.bytesSent) bytes sent, \(metrics.bytesReceived) received"
      return "\(start): finished with \(status) after \(attempts), \(time), \(sizes)"
        + (metrics.tls?.isVerified == false ? ", WITHOUT VERIFICATION OF THE SERVER" : "")
    case .failed(let failure):
      let code = failure.code.map { " (\($0))" } ?? ""
      return "\(start): failed\(code) after \(attempts), \(time): \(failure)"
    case .cancelled: return "\(start): cancelled after \(attempts), \(time)"
    default: return event.description
    }
  }
}
