import CatenaAdapterSupport
import CoreMetrics
import Networking

/// A measurement of an event, with the label and the dimensions of its metric.
struct CallMeasurement {
  enum Value {
    case duration(Duration)
    case count
    case size(Int64)
    /// A change of the value of a meter.
    case change(Double)
  }

  let label: String
  let dimensions: [(String, String)]
  let value: Value

  /// Records the measurement.
  func record(by factory: any MetricsFactory) {
    switch value {
    case .duration(let duration):
      CoreMetrics.Timer(label: label, dimensions: dimensions, factory: factory)
        .recordNanoseconds(duration.wholeNanoseconds)
    case .count: Counter(label: label, dimensions: dimensions, factory: factory).increment()
    case .size(let bytes):
      Recorder(label: label, dimensions: dimensions, factory: factory).record(bytes)
    case .change(let amount):
      let meter = Meter(label: label, dimensions: dimensions, factory: factory)
      // A meter ignores negative amounts.
      if amount < 0 { meter.decrement(by: -amount) } else { meter.increment(by: amount) }
    }
  }
}

extension Duration {
  fileprivate var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue
      + attoseconds / 1_000_000_000
  }
}

/// A state machine that turns the events of calls into measurements.
struct CallMeasurements {
  /// A hop that has not ended.
  private struct Hop {
    let start: Duration
    let server: [(String, String)]
    var request: [(String, String)]
    var status: Int?
    var version: String?
    /// The time at which the connection was ready, with TLS.
    var connected: Duration?
    var reusesConnection = true
  }

  private struct Call {
    var isQueued = false
    var dimensions: [(String, String)] = []
    var hop: Hop?
  }

  /// The calls that have not ended.
  private var calls: [NetworkEvent.CallID: Call] = [:]
  private var measurements: [CallMeasurement] = []

  /// The number of calls that have not ended.
  var activeCalls: Int { calls.count }

  /// Returns the measurements of an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - own: The dimensions that the user adds.
  /// - Returns: The measurements.
  mutating func measure(_ event: NetworkEvent, _ own: [(String, String)]) -> [CallMeasurement] {
    measurements = []
    var call = calls[event.call] ?? Call()
    call.dimensions = [("http.request.method", event.request?.method.knownName ?? "_OTHER")] + own
    leaveQueue(at: event, &call)
    switch event.kind {
    case .queued:
      call.isQueued = true
      add("catena.client.queue.length", [], .change(1))
    case .sending(_, let size):
      endHop(of: &call, at: event.elapsed)
      begin(event, size, of: &call)
    case .connected(let connection):
      call.hop?.reusesConnection = connection.isReused
      call.hop?.connected = event.elapsed
      if let hop = call.hop {
        let reused = ("reused", "\(connection.isReused)")
        add("catena.client.connections", hop.server + [reused], .count)
      }
    case .secured: call.hop?.connected = event.elapsed
    case .head(let head):
      call.hop?.status = head.status
      call.hop?.version = head.version
    case .body(let bytes):
      if let hop = call.hop {
        add("http.client.response.body.size", hop.request, .size(bytes))
      }
      endHop(of: &call, at: event.elapsed)
    case .retrying(_, let failure, _):
      endHop(of: &call, at: event.elapsed, error: failure.errorType)
      add("catena.client.retries", [("error.type", failure.errorType)], .count)
    case .servedFromCache(let source):
      add("catena.client.cache.hits", [("source", "\(source)")], .count)
    case .finished(let status, _): end(&call, event, [("http.response.status_code", "\(status)")])
    case .failed(let failure): end(&call, event, [("error.type", failure.errorType)])
    case .cancelled: end(&call, event, [("error.type", "cancelled")])
    default: break
    }
    calls[event.call] = event.isFinal ? nil : call
    return measurements
  }

  private mutating func add(
    _ label: String, _ dimensions: [(String, String)], _ value: CallMeasurement.Value
  ) {
    measurements.append(CallMeasurement(label: label, dimensions: dimensions, value: value))
  }

  /// Ends the wait in the queue, which the second event of a call ends.
  private mutating func leaveQueue(at event: NetworkEvent, _ call: inout Call) {
    guard call.isQueued else { return }
    call.isQueued = false
    add("catena.client.queue.length", [], .change(-1))
    add("catena.client.queue.duration", [], .duration(event.elapsed))
  }

  private mutating func begin(_ event: NetworkEvent, _ size: Int64?, of call: inout Call) {
    let origin = event.request?.origin
    let server = origin.map {
      [("server.address", $0.host), ("server.port", "\($0.port)"), ("url.scheme", $0.scheme)]
    }
    call.hop = Hop(
      start: event.elapsed, server: server ?? [], request: call.dimensions + (server ?? []))
    add("http.client.active_requests", server ?? [], .change(1))
    if let size, size > 0 {
      add("http.client.request.body.size", call.hop?.request ?? [], .size(size))
    }
  }

  private mutating func endHop(of call: inout Call, at time: Duration, error: String? = nil) {
    guard let hop = call.hop.take() else { return }
    add("http.client.active_requests", hop.server, .change(-1))
    if let connected = hop.connected, !hop.reusesConnection {
      add("catena.client.connection.duration", hop.server, .duration(connected - hop.start))
    }
    var dimensions = hop.request
    if let version = hop.version { dimensions.append(("network.protocol.version", version)) }
    if let status = hop.status { dimensions.append(("http.response.status_code", "\(status)")) }
    let failedStatus = hop.status.flatMap { $0 >= 400 ? "\($0)" : nil }
    if let type = hop.status == nil ? error : failedStatus ?? error {
      dimensions.append(("error.type", type))
    }
    add("http.client.request.duration", dimensions, .duration(time - hop.start))
  }

  private mutating func end(
    _ call: inout Call, _ event: NetworkEvent, _ outcome: [(String, String)]
  ) {
    let error = outcome.first { $0.0 == "error.type" }?.1
    endHop(of: &call, at: event.elapsed, error: error)
    add("catena.client.call.duration", call.dimensions + outcome, .duration(event.elapsed))
  }
}
