import Foundation

/// The state machine of the events of one call.
///
/// It numbers, orders and timestamps the events.
///
/// ```
/// created --queue--> queued --start--> started --begin--> in a hop --end--> finished
///                                         ^                  |
///                                         +-- redirected, challenged, retrying,
///                                             credentialsRefreshed
/// ```
///
/// It ignores events of a hop that is over, such as one that timed out.
struct CallEventMachine: ~Copyable {
  private let call: NetworkEvent.CallID
  private let callStart: Date
  private var request: NetworkError.RequestSummary?
  /// The wire request before the first hop.
  ///
  /// Its summary is made when an event other than the start of a hop needs it, because that masks the URL.
  private var wireRequest: HTTPRequest?
  private var attempt = 0
  private var hop = 0
  /// The time of the last event.
  private var latest = Duration.zero
  /// The current hop; `nil` between hops.
  private var current: HopEventMachine?
  /// The final event.
  private(set) var finalEvent: NetworkEvent?
  /// The size limit in bytes of the bodies that sinks receive; 0 disables them.
  private let bodyLimit: Int
  /// The number of response sources so far: hops, shared requests, and interceptors that returned
  /// their own response.
  ///
  /// It is also the number of the current hop.
  private(set) var responseSourceCount = 0

  init(_ call: NetworkEvent.CallID, callStart: Date, bodyLimit: Int = 0) {
    self.call = call
    self.bodyLimit = bodyLimit
    self.callStart = callStart
  }

  /// The response body of the current hop; `nil` if it is not collected.
  var received: Data? { current?.received }

  /// Adds the call to the queue.
  mutating func queue(_ request: NetworkError.RequestSummary, at now: Duration) -> [NetworkEvent] {
    self.request = request
    return emit([(.queued, now)], now)
  }

  /// Replaces the request of the events before the first hop.
  mutating func build(_ request: HTTPRequest) {
    wireRequest = request
  }

  /// Adds an event outside a hop.
  ///
  /// Ends the current hop.
  mutating func add(_ kind: NetworkEvent.Kind, at now: Duration) -> [NetworkEvent] {
    current = nil
    return emit([(kind, now)], now)
  }

  /// Begins a hop.
  ///
  /// - Returns: The number of the hop within the call, and the events.
  mutating func begin(
    _ request: NetworkError.RequestSummary, headers: HTTPHeaders, bodySize: Int64?, attempt: Int,
    hop: Int, at now: Duration
  ) -> (number: Int, events: [NetworkEvent]) {
    guard finalEvent == nil else { return (responseSourceCount, []) }
    responseSourceCount += 1
    self.request = request
    wireRequest = nil
    self.attempt = attempt
    self.hop = hop
    current = HopEventMachine(bodySize: bodySize, began: now, bodyLimit: bodyLimit)
    return (responseSourceCount, emit([(.sending(headers: headers, bodySize: bodySize), now)], now))
  }

  /// Adds the events of a hop.
  ///
  /// Ignores a hop that is not current.
  mutating func receive(
    _ number: Int, at now: Duration,
    _ update: (inout HopEventMachine) -> [HopEventMachine.TimedEventKind]
  ) -> [NetworkEvent] {
    guard number == responseSourceCount, var hop = current.take() else { return [] }
    let events = update(&hop)
    current = hop
    return emit(events, now)
  }

  /// Ends a hop without an event, because its result is no longer needed.
  mutating func abandon(_ number: Int) {
    if number == responseSourceCount { current = nil }
  }

  /// Notes that the call waits for the response of another call.
  mutating func share(with other: NetworkEvent.CallID?, at now: Duration) -> [NetworkEvent] {
    responseSourceCount += 1
    return add(.shared(with: other), at: now)
  }

  /// Notes that an interceptor has returned a response.
  ///
  /// Adds no event if the response came from a source that was added after `previousCount`.
  mutating func servedLocally(by name: String, since previousCount: Int, at now: Duration)
    -> [NetworkEvent]
  {
    guard responseSourceCount == previousCount else { return [] }
    responseSourceCount += 1
    return add(.servedLocally(by: name), at: now)
  }

  /// Notes that the cache has provided the response.
  mutating func serveFromCache(
    _ request: NetworkError.RequestSummary, _ source: Response.Source, at now: Duration
  ) -> [NetworkEvent] {
    responseSourceCount += 1
    self.request = request
    wireRequest = nil
    return add(.servedFromCache(source), at: now)
  }

  /// Ends the call.
  mutating func end(_ kind: NetworkEvent.Kind, at now: Duration) -> [NetworkEvent] {
    let events = add(kind, at: now)
    finalEvent = finalEvent ?? events.last
    return events
  }

  private mutating func emit(
    _ events: [HopEventMachine.TimedEventKind], _ now: Duration
  ) -> [NetworkEvent] {
    guard finalEvent == nil, !events.isEmpty else { return [] }
    if let wireRequest = wireRequest.take() { request = NetworkError.RequestSummary(wireRequest) }
    return events.map { kind, time in
      // The transport measures its times with another clock.
      latest = max(latest, min(time, now))
      return NetworkEvent(
        kind, call: call, request: request, attempt: attempt, hop: hop, elapsed: latest,
        callStart: callStart
      )
      .withRawFields()
    }
  }
}

/// A state machine that turns the transport events of one hop into network events.
struct HopEventMachine {
  /// An event kind and its time since the creation of the call.
  typealias TimedEventKind = (kind: NetworkEvent.Kind, time: Duration)

  /// The minimum number of bytes between two progress events.
  private static let minimumStep: Int64 = 64 << 10

  private let began: Duration
  /// The size of the request body in bytes; `nil` if it is unknown.
  private let bodySize: Int64?
  private var hasConnection = false
  private var isRequestSent = false
  private var hasHead = false
  private var progress = TransferProgress()
  /// The progress of the last progress event.
  private var reportedProgress = TransferProgress()
  /// The size limit in bytes of a collected response body; 0 disables collection.
  private let bodyLimit: Int
  /// The response body so far; `nil` if it is over the limit or not collected.
  private(set) var received: Data?

  /// - Parameters:
  ///   - bodySize: The size of the request body in bytes. `nil` if it is unknown.
  ///   - began: The time at which the hop began.
  ///   - bodyLimit: The size limit in bytes of a collected response body. 0 disables collection.
  init(bodySize: Int64?, began: Duration, bodyLimit: Int = 0) {
    self.bodySize = bodySize
    self.began = began
    progress.sent.total = bodySize
    self.bodyLimit = bodyLimit
    if bodyLimit > 0 { received = Data() }
  }

  /// Returns the network events for a transport event.
  mutating func receive(_ event: TransportEvent, at now: Duration) -> [TimedEventKind] {
    switch event {
    case .connected(let metrics):
      hasConnection = true
      isRequestSent = false
      return connectionEvents(metrics, now) + requestSentIfBodiless(now)
    case .servedLocally(let name):
      hasConnection = true
      return [(.servedLocally(by: name), now)] + requestSentIfBodiless(now)
    case .sent(let bytes, let total):
      progress.sent = .init(bytes: bytes, total: total)
      return bytes == total && !hasHead ? requestSent(now) : progressEvents(\.sent, now)
    case .head(let head):
      let sentEvents = isRequestSent ? [] : requestSent(now)
      hasHead = true
      progress.received.total = ProgressReporter.total(head)
      return sentEvents + [(.head(head), now)]
    case .body(let data):
      progress.received.bytes += Int64(data.count)
      if let count = received?.count {
        if count + data.count > bodyLimit { received = nil } else { received?.append(data) }
      }
      return progressEvents(\.received, now)
    case .trailers: return []
    case .end(let metrics): return hasHead ? [(.body(bytes: metrics.bytesReceived), now)] : []
    case .failure(let failure):
      return hasConnection || hasHead ? [] : connectionEvents(failure.metrics, now)
    }
  }

  /// Ends the response body early, because the rest of it is discarded.
  func truncate(at now: Duration) -> [TimedEventKind] {
    hasHead ? [(.body(bytes: progress.received.bytes), now)] : []
  }

  /// Returns the events of the phases before the request, as far as the transport measured them.
  private func connectionEvents(_ metrics: TransportMetrics, _ now: Duration) -> [TimedEventKind] {
    var events: [TimedEventKind] = []
    if let resolved = metrics.nameResolved { events.append((.resolved, began + resolved)) }
    if metrics.connected != nil || metrics.reusedConnection {
      let connection = NetworkEvent.Connection(
        address: metrics.remoteAddress, port: metrics.remotePort, isReused: metrics.reusedConnection
      )
      events.append((.connected(connection), metrics.connected.map { began + $0 } ?? now))
    }
    if let secured = metrics.secured { events.append((.secured, began + secured)) }
    return events
  }

  /// A request without a body is sent when the connection is ready: no `sent` event follows.
  private mutating func requestSentIfBodiless(_ now: Duration) -> [TimedEventKind] {
    bodySize == 0 ? requestSent(now) : []
  }

  private mutating func requestSent(_ now: Duration) -> [TimedEventKind] {
    guard !isRequestSent else { return [] }
    isRequestSent = true
    return [(.requestSent(bytes: progress.sent.bytes), now)]
  }

  private mutating func progressEvents(
    _ part: WritableKeyPath<TransferProgress, TransferProgress.Amount>, _ now: Duration
  ) -> [TimedEventKind] {
    let amount = progress[keyPath: part]
    let step = max(Self.minimumStep, (amount.total ?? amount.bytes) / 100)
    // Another event reports the end of the body.
    guard amount.bytes - reportedProgress[keyPath: part].bytes >= step, amount.bytes != amount.total
    else {
      return []
    }
    reportedProgress = progress
    return [(.progress(progress), now)]
  }
}
