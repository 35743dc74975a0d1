import CatenaSystem
import Foundation
import Promises

/// A logger of the events of a client's calls.
///
/// All sinks of a log share one queue, whatever their level is. So the loggers receive one entry at a
/// time and in order, even if the level changes during a call.
final class LogMonitor: Sendable {
  private let logging: LoggingConfiguration
  private let scheduler: any Scheduler
  private let machine = Mutex(CallLogMachine())

  private init(_ logging: LoggingConfiguration, scheduler: any Scheduler) {
    self.logging = logging
    self.scheduler = scheduler
  }

  /// Creates a queue whose entries are logged.
  static func queue(_ logging: LoggingConfiguration, scheduler: any Scheduler) -> EventQueue {
    let monitor = LogMonitor(logging, scheduler: scheduler)
    return EventQueue(scheduler: scheduler) { monitor.observe($0) }
  }

  private func observe(_ entry: EventQueue.Entry) {
    guard let entry = machine.withLock({ $0.entry(for: entry) }) else { return }
    let logger =
      switch entry.category {
      case .request: logging.requestLogger
      case .response: logging.responseLogger
      case .error: logging.errorLogger
      }
    // The queue runs the loggers, except for the closures that run on an actor.
    if let isolated = logger as? ClosureLogger {
      isolated.closure.run(entry, awaitedBy: scheduler)
    } else {
      logger?.log(entry)
    }
  }
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
  /// - Parameter entry: The event, with the body and the level of the call.
  /// - Returns: The entry. `nil` if the level excludes the event.
  mutating func entry(for entry: EventQueue.Entry) -> NetworkLogEntry? {
    let (event, level) = (entry.event, entry.level)
    if entry.isDecodingNote { return Self.decodingNote(after: event) }
    var call = calls[event.call] ?? Call()
    defer { calls[event.call] = event.isFinal ? nil : call }
    let isFirst = !call.hasBegun
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
    let (minimumLevel, category) = Self.levelAndCategory(of: event.kind, isFirst: isFirst)
    guard minimumLevel <= level else { return nil }
    var lines = [Self.line(event)]
    if level == .verbose {
      lines += fields.map { "\(event.call)   \($0.name): \($0.value)" }
      if let body = entry.body,
        let text = event.redactor.maskedBody(body, contentType: call.contentType)
      {
        lines.append("\(event.call)   \(text)")
      }
    }
    return NetworkLogEntry(level: minimumLevel, category: category, event: event, lines: lines)
  }

  /// Returns the entry about the body of a response that has been decoded although its status is
  /// neither 2xx nor validated.
  private static func decodingNote(after event: NetworkEvent) -> NetworkLogEntry? {
    guard case .finished(let status, _) = event.kind else { return nil }
    let line =
      "\(event.context)"
      + ": the body was decoded although the status is \(status); validate() rejects such a response"
    return NetworkLogEntry(level: .error, category: .error, event: event, lines: [line])
  }

  /// Returns whether a log of a level receives an event.
  static func logs(_ kind: NetworkEvent.Kind, at level: LoggingConfiguration.Level) -> Bool {
    levelAndCategory(of: kind, isFirst: true).0 <= level
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

  private static func line(_ event: NetworkEvent) -> String {
    let start = "\(event.context)"
    var time: String {
      // `String(format:)` would take as long as the rest of the line.
      let milliseconds = (event.elapsed.wholeNanoseconds + 500_000) / 1_000_000
      return "\(milliseconds / 1_000).\("\(1_000 + milliseconds % 1_000)".dropFirst()) s"
    }
    var attempts: String { event.attempt == 1 ? "1 attempt" : "\(event.attempt) attempts" }
    switch event.kind {
    case .finished(let status, let metrics):
      let sizes = "\(metrics.bytesSent) bytes sent, \(metrics.bytesReceived) received"
      return "\(start): finished with \(status) after \(attempts), \(time), \(sizes)"
        + (metrics.tls?.isVerified == false ? ", WITHOUT VERIFICATION OF THE SERVER" : "")
    case .failed(let failure):
      let code = failure.code.map { " (\($0))" } ?? ""
      return "\(start): failed\(code) after \(attempts), \(time): \(failure)"
    case .cancelled: return "\(start): cancelled after \(attempts), \(time)"
    default: return "\(start): \(event.kind)"
    }
  }
}
