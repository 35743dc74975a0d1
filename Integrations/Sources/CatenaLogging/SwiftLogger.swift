import CatenaAdapterSupport
public import Logging
public import Networking

/// A destination of a client's log that writes to a `Logger` of swift-log.
///
/// ```swift
/// var configuration = NetworkingConfiguration()
/// configuration.logging = LoggingConfiguration(Logger(label: "boards"))
/// ```
///
/// Each entry is one message: its first line. The level `error` is logged as `error`, `info` as `info`, and
/// `verbose` as `debug`. The metadata are:
///
/// | key | value |
/// |---|---|
/// | `call` | the identifier of the call, such as `#17` |
/// | `http.request.method` | the method |
/// | `url.full` | the URL, or the path before the request is built |
/// | `http.request.resend_count` | the number of earlier attempts, if there were some |
/// | `http.response.status_code` | the status, when the head has arrived and at the end of the call |
/// | `error.type` | the error code of a call that failed |
/// | `details` | the header fields and the body, at the level `verbose` |
///
/// Secrets are masked in all of them. The metadata provider of the logger runs on the queue of the client's log,
/// not in the task that makes the call.
public struct SwiftLogger: NetworkLogger {
  private let logger: Logger

  /// Creates a destination.
  ///
  /// - Parameter logger: The logger. Its log level decides in addition to that of the client.
  public init(_ logger: Logger) { self.logger = logger }

  /// Logs an entry.
  ///
  /// - Parameter entry: The entry, without secrets.
  public func log(_ entry: NetworkLogEntry) {
    let level: Logger.Level =
      switch entry.level {
      case .error: .error
      case .info: .info
      case .verbose, .none: .debug
      }
    logger.log(
      level: level, "\(entry.lines.first ?? "")", metadata: metadata(of: entry),
      source: "Networking")
  }

  private func metadata(of entry: NetworkLogEntry) -> Logger.Metadata {
    let event = entry.event
    var metadata: Logger.Metadata = ["call": "\(event.call)"]
    if let request = event.request {
      metadata["http.request.method"] = "\(request.method)"
      metadata["url.full"] = "\(request.url)"
    }
    if event.attempt > 1 { metadata["http.request.resend_count"] = "\(event.attempt - 1)" }
    switch event.kind {
    case .head(let head): metadata["http.response.status_code"] = "\(head.status)"
    case .finished(let status, _): metadata["http.response.status_code"] = "\(status)"
    case .failed(let failure): metadata["error.type"] = "\(failure.errorType)"
    default: break
    }
    if entry.lines.count > 1 {
      metadata["details"] = .array(entry.lines.dropFirst().map { "\($0)" })
    }
    return metadata
  }
}

extension LoggingConfiguration {
  /// Creates a configuration that logs to a `Logger` of swift-log, at the level of this logger.
  ///
  /// The client logs all events for `trace` and `debug`, calls for `info`, and failures for any other level. A
  /// later change of the logger's level has no effect.
  ///
  /// - Parameter logger: The logger.
  public init(_ logger: Logger) {
    let level: Level =
      switch logger.logLevel {
      case .trace, .debug: .verbose
      case .info: .info
      default: .error
      }
    self.init(level, to: SwiftLogger(logger))
  }
}
