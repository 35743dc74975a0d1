import Foundation
import Promises
import Synchronization

/// Has what happens to a client's calls written down, for each call at the level that held when it was made.
final class LogMonitor: BodyMonitor {
  let bodyLimit: Int
  private let logging: LoggingConfiguration
  private let machine = Mutex(CallLogMachine())
  /// Those of the calls under way; apart, as calls are made while lines are put into words.
  private let levels = Mutex<[NetworkEvent.CallID: LoggingConfiguration.Level]>([:])

  init(_ logging: LoggingConfiguration) {
    self.logging = logging
    bodyLimit = max(logging.maximumBodySize, 0)
  }

  /// A call is logged at a level, to its end.
  func begin(_ call: NetworkEvent.CallID, at level: LoggingConfiguration.Level) {
    levels.withLock { $0[call] = $0[call] ?? level }
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

/// Feeds a client's log with the calls that are made while a level holds.
///
/// The feeds of a client have one queue, so that its loggers have one entry at a time, and all in order, also when the
/// level changes while calls are under way.
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

  /// The first of a client.
  convenience init(
    _ logging: LoggingConfiguration, at level: LoggingConfiguration.Level, scheduler: any Scheduler
  ) {
    let monitor = LogMonitor(logging)
    self.init(monitor, MonitorQueue(monitor, scheduler: scheduler), level)
  }

  /// The same log at another level.
  func withLevel(to level: LoggingConfiguration.Level) -> LogSink { LogSink(monitor, queue, level) }

  func take(_ event: NetworkEvent, _ body: Data?) {
    // A call that could not even be queued has its end alone.
    if event.kind == .queued || event.isFinal { monitor.begin(event.call, at: level) }
    queue.take(event, (body?.count ?? 0) > bodyLimit ? nil : body)
  }

  func deliver() { queue.deliver() }
}

/// What a log says about the calls of a client: events go in, and come out as words.
struct CallLogMachine {
  /// What a later line needs to know of a call under way.
  private struct Call {
    var hasBegun = false
    var contentType: String?
  }

  /// The calls under way; each has its end some day.
  private var calls: [NetworkEvent.CallID: Call] = [:]

  /// Takes an event.
  ///
  /// - Parameters:
  ///   - event: what happened.
  ///   - body: the body that was sent or received, if it is small enough to be shown.
  ///   - level: how much to say about this call.
  /// - Returns: what to write; nil for nothing.
  mutating func entry(
    for event: NetworkEvent, _ body: Data?, at level: LoggingConfiguration.Level
  ) -> NetworkLogEntry? {
    var call = calls[event.call] ?? Call()
    defer { calls[event.call] = event.isFinal ? nil : call }
    let (lowest, category) = Self.place(of: event.kind, isFirst: !call.hasBegun)
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
    guard lowest <= level else { return nil }
    var lines = [Self.line(event)]
    if level == .verbose {
      lines += fields.map { "\(event.call)   \($0.name): \($0.value)" }
      if let body, let text = Redactor.standard.maskedBody(body, contentType: call.contentType) {
        lines.append("\(event.call)   \(text)")
      }
    }
    return NetworkLogEntry(level: lowest, category: category, event: event, lines: lines)
  }

  /// The lowest level that has an event, and whom it is for.
  private static func place(
    of kind: NetworkEvent.Kind, isFirst: Bool
  ) -> (LoggingConfiguration.Level, NetworkLogEntry.Category) {
    switch kind {
    case .failed: (.error, .error)
    case .finished, .cancelled: (.info, .response)
    case .sending where isFirst: (.info, .request)
    case .shared, .redirected, .retrying, .credentialsRefreshed: (.info, .request)
    case .head, .body, .servedLocally: (.verbose, .response)
    default: (.verbose, .request)
    }
  }

  private static func line(_ event: NetworkEvent) -> String {
    let start = "\(event.call)\(event.request.map { " \($0)" } ?? "")"
    let time = String(format: "%.3f s", event.elapsed / .seconds(1))
    let attempts = event.attempt == 1 ? "1 attempt" : "\(event.attempt) attempts"
    switch event.kind {
    case .finished(let status, let metrics):
      return
        "\(start): finished with \(status) after \(attempts), \(time), \(metrics.bytesSent) bytes sent, \(metrics.bytesReceived) received"
    case .failed(let failure):
      let code = failure.code.map { " (\($0))" } ?? ""
      return "\(start): failed\(code) after \(attempts), \(time): \(failure)"
    case .cancelled: return "\(start): cancelled after \(attempts), \(time)"
    default: return event.description
    }
  }
}
