public import CoreMetrics
import Foundation
public import Networking

/// A monitor that records the metrics of a client's calls by swift-metrics.
///
/// ```swift
/// var configuration = NetworkingConfiguration()
/// configuration.monitors = [MetricsMonitor()]
/// ```
///
/// | metric | kind | dimensions |
/// |---|---|---|
/// | `http.client.request.duration` | timer: a hop | method, server, status, error, version |
/// | `http.client.active_requests` | meter: the hops in progress | server |
/// | `http.client.request.body.size` | recorder, in bytes | method, server |
/// | `http.client.response.body.size` | recorder, in bytes, as received | method, server |
/// | `catena.client.call.duration` | timer: a call with its waits, attempts and redirects | method, status, error |
/// | `catena.client.queue.length` | meter: the calls that wait in the queue | |
/// | `catena.client.queue.duration` | timer: the wait in the queue | |
/// | `catena.client.connections` | counter: the uses of connections | server, `reused` |
/// | `catena.client.connection.duration` | timer: to connect, with TLS | server |
/// | `catena.client.retries` | counter | error |
/// | `catena.client.cache.hits` | counter | `source` |
///
/// The dimensions are `http.request.method`, `server.address` with `server.port` and `url.scheme`,
/// `http.response.status_code`, `error.type`, and `network.protocol.version`. There is no path among them, because
/// it has too many values. The attributes of a request are a source of further dimensions:
///
/// ```swift
/// let monitor = MetricsMonitor { request in
///   [("operation", request.attributes[OperationKey.self])]
/// }
/// ```
///
/// The names that begin with `http.client` are those of OpenTelemetry. Times are those of the client's scheduler, so
/// they are exact in virtual time.
///
/// One monitor may serve several clients. A monitor that is removed during a call leaves the meters too high.
///
/// Source: OpenTelemetry semantic conventions, "Semantic conventions for HTTP metrics".
public final class MetricsMonitor: NetworkMonitor, @unchecked Sendable {
  /// A closure that returns further dimensions of the metrics of a request, always the same names.
  ///
  /// It runs for each event, on the queue of the monitor.
  public typealias Dimensions =
    @Sendable (_ request: NetworkError.RequestSummary) -> [(String, String)]

  private let factory: any MetricsFactory
  private let dimensions: Dimensions?
  // `measurements` is guarded by the lock. The system's `Mutex` needs macOS 15.
  private let lock = NSLock()
  private var measurements = CallMeasurements()

  /// Creates a monitor.
  ///
  /// - Parameters:
  ///   - factory: The factory of the metrics. `nil` uses the one of `MetricsSystem` at this time.
  ///   - dimensions: A closure that returns further dimensions. `nil` adds none.
  public init(factory: (any MetricsFactory)? = nil, dimensions: Dimensions? = nil) {
    self.factory = factory ?? MetricsSystem.factory
    self.dimensions = dimensions
  }

  /// Records the metrics of an event.
  ///
  /// - Parameter event: The event.
  public func observe(_ event: NetworkEvent) {
    let own = dimensions.flatMap { dimensions in event.request.map(dimensions) } ?? []
    // The factory is code of the user, which does not run under the lock.
    for measurement in lock.withLock({ measurements.measure(event, own) }) {
      measurement.record(by: factory)
    }
  }
}
