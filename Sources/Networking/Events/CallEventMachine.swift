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
  /// A closure that receives an event, and with ``NetworkEvent/Kind/body(bytes:)`` the body if it is
  /// collected.
  typealias Receiver = (_ event: NetworkEvent, _ body: Data?) -> Void

  private let call: NetworkEvent.CallID
  private let callStart: Date
  private var request = NetworkEvent.Context.RequestSource.summary(nil)
  private var attempt = 0
  private var hop = 0
  /// The properties of the next event; `nil` if they have changed.
  private var context: NetworkEvent.Context?
  /// The time of the last event.
  private(set) var latest = Duration.zero
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
    self.callStart = callStart
    self.bodyLimit = bodyLimit
  }

  /// Replaces the request of the next events.
  mutating func use(_ request: NetworkEvent.Context.RequestSource) {
    self.request = request
    context = nil
  }

  /// Adds an event outside a hop.
  ///
  /// Ends the current hop.
  mutating func add(_ kind: NetworkEvent.Kind, at now: Duration, _ receive: Receiver) {
    current = nil
    emit(kind, nil, at: now, receive)
  }

  /// Begins a hop.
  ///
  /// - Returns: The number of the hop within the call.
  mutating func begin(
    _ request: NetworkEvent.Context.RequestSource, headers: HTTPHeaders, bodySize: Int64?,
    body: Data?,
    attempt: Int, hop: Int, at now: Duration, _ receive: Receiver
  ) -> Int {
    guard finalEvent == nil else { return responseSourceCount }
    responseSourceCount += 1
    use(request)
    self.attempt = attempt
    self.hop = hop
    current = HopEventMachine(bodySize: bodySize, began: now, bodyLimit: bodyLimit)
    emit(.sending(headers: headers, bodySize: bodySize), body, at: now, receive)
    return responseSourceCount
  }

  /// Adds the events of a hop.
  ///
  /// Ignores a hop that is not current.
  ///
  /// - Parameters:
  ///   - event: The event of the transport. `nil` ends the body early.
  ///   - number: The number of the hop.
  ///   - now: The time.
  ///   - receive: The receiver of the events.
  mutating func receive(
    _ event: TransportEvent?, ofHop number: Int, at now: Duration, _ receive: Receiver
  ) {
    guard number == responseSourceCount, var hop = current.take() else { return }
    hop.receive(event, at: now) { kind, time, body in
      // The transport measures its times with another clock.
      emit(kind, body, at: min(time, now), receive)
    }
    if event != nil { current = hop }
  }

  /// Ends a hop without an event, because its result is no longer needed.
  mutating func abandon(_ number: Int) {
    if number == responseSourceCount { current = nil }
  }

  /// Notes that the call waits for the response of another call.
  mutating func share(
    with other: NetworkEvent.CallID?, at now: Duration, _ receive: Receiver
  ) {
    responseSourceCount += 1
    add(.shared(with: other), at: now, receive)
  }

  /// Notes that an interceptor has returned a response.
  ///
  /// Adds no event if the response came from a source that was added after `previousCount`.
  mutating func servedLocally(
    by name: String, since previousCount: Int, at now: Duration, _ receive: Receiver
  ) {
    guard responseSourceCount == previousCount else { return }
    responseSourceCount += 1
    add(.servedLocally(by: name), at: now, receive)
  }

  /// Notes that the cache has provided the response.
  mutating func serveFromCache(
    _ request: NetworkEvent.Context.RequestSource, _ source: Response.Source, at now: Duration,
    _ receive: Receiver
  ) {
    responseSourceCount += 1
    use(request)
    add(.servedFromCache(source), at: now, receive)
  }

  private mutating func emit(
    _ kind: NetworkEvent.Kind, _ body: Data?, at time: Duration, _ receive: Receiver
  ) {
    guard finalEvent == nil else { return }
    latest = max(latest, time)
    let context =
      context
      ?? NetworkEvent.Context(call, request, attempt: attempt, hop: hop, callStart: callStart)
    self.context = context
    let event = NetworkEvent(kind, context, elapsed: latest)
    if event.isFinal { finalEvent = event }
    receive(event, body)
  }
}

/// A state machine that turns the transport events of one hop into network events.
struct HopEventMachine {
  /// A closure that receives the kind of an event, its time since the creation of the call, and the
  /// body with ``NetworkEvent/Kind/body(bytes:)`` if it is collected.
  typealias Receiver = (_ kind: NetworkEvent.Kind, _ time: Duration, _ body: Data?) -> Void

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
  private var received: Data?

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

  /// Adds the network events for a transport event.
  ///
  /// - Parameters:
  ///   - event: The event. `nil` ends the response body early, because the rest of it is discarded.
  ///   - now: The time.
  ///   - receive: The receiver of the events.
  mutating func receive(_ event: TransportEvent?, at now: Duration, _ receive: Receiver) {
    switch event {
    case .connected(let metrics):
      hasConnection = true
      isRequestSent = false
      addConnection(metrics, now, receive)
      if bodySize == 0 { addRequestSent(now, receive) }
    case .servedLocally(let name):
      hasConnection = true
      receive(.servedLocally(by: name), now, nil)
      if bodySize == 0 { addRequestSent(now, receive) }
    case .sent(let bytes, let total):
      progress.sent = .init(bytes: bytes, total: total)
      if bytes == total && !hasHead {
        addRequestSent(now, receive)
      } else {
        addProgress(progress.sent, after: reportedProgress.sent, now, receive)
      }
    case .head(let head):
      addRequestSent(now, receive)
      hasHead = true
      progress.received.total = ProgressReporter.total(head)
      receive(.head(head), now, nil)
    case .body(let data):
      progress.received.bytes += Int64(data.count)
      if let count = received?.count {
        if count + data.count > bodyLimit { received = nil } else { received?.append(data) }
      }
      addProgress(progress.received, after: reportedProgress.received, now, receive)
    case .trailers: break
    case .end(let metrics):
      if hasHead { receive(.body(bytes: metrics.bytesReceived), now, received) }
    case .failure(let failure):
      if !hasConnection && !hasHead { addConnection(failure.metrics, now, receive) }
    case nil:
      if hasHead { receive(.body(bytes: progress.received.bytes), now, received) }
    }
  }

  /// Adds the events of the phases before the request, as far as the transport measured them.
  private func addConnection(_ metrics: TransportMetrics, _ now: Duration, _ receive: Receiver) {
    if let resolved = metrics.nameResolved { receive(.resolved, began + resolved, nil) }
    if metrics.connected != nil || metrics.reusedConnection {
      let connection = NetworkEvent.Connection(
        address: metrics.remoteAddress, port: metrics.remotePort, isReused: metrics.reusedConnection
      )
      receive(.connected(connection), metrics.connected.map { began + $0 } ?? now, nil)
    }
    if let secured = metrics.secured { receive(.secured, began + secured, nil) }
  }

  private mutating func addRequestSent(_ now: Duration, _ receive: Receiver) {
    guard !isRequestSent else { return }
    isRequestSent = true
    receive(.requestSent(bytes: progress.sent.bytes), now, nil)
  }

  private mutating func addProgress(
    _ amount: TransferProgress.Amount, after reported: TransferProgress.Amount, _ now: Duration,
    _ receive: Receiver
  ) {
    let step = max(Self.minimumStep, (amount.total ?? amount.bytes) / 100)
    // Another event reports the end of the body.
    guard amount.bytes - reported.bytes >= step, amount.bytes != amount.total
    else { return }
    reportedProgress = progress
    receive(.progress(progress), now, nil)
  }
}
