import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// How long the exchanges of a session may take, as far as its configuration says so.
struct URLSessionLimits: Sendable {
  /// The silence allowed; nil when the configuration leaves it at the platform's.
  let idle: Duration?
  /// The time for the whole; nil when the configuration leaves it at the platform's.
  let total: Duration?

  init(_ configuration: URLSessionConfiguration) {
    let usual = URLSessionConfiguration.default
    idle = Self.limit(
      configuration.timeoutIntervalForRequest, unless: usual.timeoutIntervalForRequest)
    total = Self.limit(
      configuration.timeoutIntervalForResource, unless: usual.timeoutIntervalForResource)
  }

  func times(of request: HTTPRequest) -> ExchangeTimes {
    ExchangeTimes(
      connect: request.connectTimeout,
      idle: [request.idleTimeout, idle].compactMap { $0 }.min(), total: total,
      showsConnection: request.body.byteCount ?? 0 > 0)
  }

  private static func limit(_ interval: TimeInterval, unless usual: TimeInterval) -> Duration? {
    guard interval != usual, interval > 0, interval < 1e9 else { return nil }
    return .seconds(interval)
  }
}
