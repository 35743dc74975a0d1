import Foundation
import Promises

/// Feeds a client's log with the calls that are made while a level holds.
///
/// The feeds of a client have one queue, so that its loggers have one entry at a time, and all in order, also when the
/// level changes while calls are under way.
final class LogFeed: EventSink {
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
  func changed(to level: LoggingConfiguration.Level) -> LogFeed { LogFeed(monitor, queue, level) }

  func take(_ event: NetworkEvent, _ body: Data?) {
    // A call that could not even be queued has its end alone.
    if event.kind == .queued || event.isEnd { monitor.begin(event.call, at: level) }
    queue.take(event, (body?.count ?? 0) > bodyLimit ? nil : body)
  }

  func deliver() { queue.deliver() }
}
