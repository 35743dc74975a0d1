import Foundation

/// What is told of one call: what happens goes in, the events to tell come out, in their order.
///
/// ```
/// made --queue--> queued --start--> started --begin--> in a hop --end--> over
///                                      ^                 |
///                                      +-- redirected, retrying, credentialsRefreshed
/// ```
///
/// What belongs to a hop that is over, such as one that timed out, is not told any more.
struct CallEventMachine {
  private let call: NetworkEvent.CallID
  private let callStart: Date
  private var request: NetworkError.RequestSummary?
  private var attempt = 0
  private var hop = 0
  /// When the last event happened.
  private var latest = Duration.zero
  /// The hop under way; nil between two.
  private var current: HopEventMachine?
  private var isFinished = false
  /// How many bytes a body may have to be kept for those who watch; 0 is for none.
  private let bodyLimit: Int
  /// How many times the call was answered, or a hop begun to that end.
  private(set) var responderCount = 0

  init(_ call: NetworkEvent.CallID, callStart: Date, bodyLimit: Int = 0) {
    self.call = call
    self.bodyLimit = bodyLimit
    self.callStart = callStart
  }

  /// The response's body in the hop under way, if it is kept.
  var received: Data? { current?.received }

  /// The call joins the queue, with this request.
  mutating func queue(_ request: NetworkError.RequestSummary, at now: Duration) -> [NetworkEvent] {
    self.request = request
    return emit([(.queued, now)], now)
  }

  /// Something happens that belongs to no hop, or comes behind one.
  mutating func add(_ kind: NetworkEvent.Kind, at now: Duration) -> [NetworkEvent] {
    current = nil
    return emit([(kind, now)], now)
  }

  /// A hop begins.
  ///
  /// - Returns: its number among all of the call, and the event.
  mutating func begin(
    _ request: NetworkError.RequestSummary, headers: HTTPHeaders, bodySize: Int64?, attempt: Int,
    hop: Int, at now: Duration
  ) -> (number: Int, events: [NetworkEvent]) {
    guard !isFinished else { return (responderCount, []) }
    responderCount += 1
    self.request = request
    self.attempt = attempt
    self.hop = hop
    current = HopEventMachine(bodySize: bodySize, began: now, bodyLimit: bodyLimit)
    return (responderCount, emit([(.sending(headers: headers, bodySize: bodySize), now)], now))
  }

  /// Something happens in a hop.
  mutating func receive(
    _ number: Int, at now: Duration,
    _ update: (inout HopEventMachine) -> [HopEventMachine.TimedEventKind]
  ) -> [NetworkEvent] {
    guard number == responderCount, var hop = current.take() else { return [] }
    let events = update(&hop)
    current = hop
    return emit(events, now)
  }

  /// Nobody waits for a hop any more.
  mutating func abandon(_ number: Int) {
    if number == responderCount { current = nil }
  }

  /// The call waits for the answer to another.
  mutating func share(with other: NetworkEvent.CallID?, at now: Duration) -> [NetworkEvent] {
    responderCount += 1
    return add(.shared(with: other), at: now)
  }

  /// An interceptor has an answer; it is its own if nobody has answered since.
  mutating func answer(by name: String, since before: Int, at now: Duration) -> [NetworkEvent] {
    guard responderCount == before else { return [] }
    responderCount += 1
    return add(.servedLocally(by: name), at: now)
  }

  /// The call is over.
  mutating func end(_ kind: NetworkEvent.Kind, at now: Duration) -> [NetworkEvent] {
    let events = add(kind, at: now)
    isFinished = true
    return events
  }

  private mutating func emit(
    _ events: [HopEventMachine.TimedEventKind], _ now: Duration
  ) -> [NetworkEvent] {
    guard !isFinished else { return [] }
    return events.map { kind, time in
      // What a transport has measured is by another clock.
      latest = max(latest, min(time, now))
      return NetworkEvent(
        kind, call: call, request: request, attempt: attempt, hop: hop, elapsed: latest,
        callStart: callStart)
    }
  }
}

/// What the events of a transport's exchange come to for those who watch; a pure function of them.
struct HopEventMachine {
  /// What happened, and when, counted from the moment when the call was made.
  typealias TimedEventKind = (kind: NetworkEvent.Kind, time: Duration)

  /// How many bytes the progress goes on by at the least from one event to the next.
  private static let minimumStep: Int64 = 64 << 10

  private let began: Duration
  /// How many bytes of body there are to send; nil when that is not known.
  private let bodySize: Int64?
  private var hasConnection = false
  private var isSent = false
  private var hasHead = false
  private var progress = TransferProgress()
  /// As told last.
  private var reportedProgress = TransferProgress()
  /// How many bytes a body may have to be kept; 0 is for none.
  private let bodyLimit: Int
  /// What has come of the response's body; nil when that is too much, or not wanted.
  private(set) var received: Data?

  /// - Parameters:
  ///   - bodySize: how many bytes of body there are to send; nil when that is not known.
  ///   - began: when the hop began.
  ///   - bodyLimit: how many bytes a response's body may have to be kept; 0 is for none.
  init(bodySize: Int64?, began: Duration, bodyLimit: Int = 0) {
    self.bodySize = bodySize
    self.began = began
    progress.sent.total = bodySize
    self.bodyLimit = bodyLimit
    if bodyLimit > 0 { received = Data() }
  }

  /// Takes an event, the header fields of a head being redacted already.
  mutating func receive(_ event: TransportEvent, at now: Duration) -> [TimedEventKind] {
    switch event {
    case .connected(let metrics):
      hasConnection = true
      isSent = false
      return phases(metrics, now) + sentIfBodiless(now)
    case .servedLocally(let name):
      hasConnection = true
      return [(.servedLocally(by: name), now)] + sentIfBodiless(now)
    case .sent(let bytes, let total):
      progress.sent = .init(bytes: bytes, total: total)
      return bytes == total && !hasHead ? sent(now) : progressEvents(\.sent, now)
    case .head(let head):
      let before = isSent ? [] : sent(now)
      hasHead = true
      progress.received.total = ProgressReporter.total(head)
      return before + [(.head(head), now)]
    case .body(let data):
      progress.received.bytes += Int64(data.count)
      if let count = received?.count {
        if count + data.count > bodyLimit { received = nil } else { received?.append(data) }
      }
      return progressEvents(\.received, now)
    case .end(let metrics): return hasHead ? [(.body(bytes: metrics.bytesReceived), now)] : []
    case .failure(let failure):
      return hasConnection || hasHead ? [] : phases(failure.metrics, now)
    }
  }

  /// The rest of the body is left out.
  func truncate(at now: Duration) -> [TimedEventKind] {
    hasHead ? [(.body(bytes: progress.received.bytes), now)] : []
  }

  /// What lies before the request, as far as it was measured.
  private func phases(_ metrics: TransportMetrics, _ now: Duration) -> [TimedEventKind] {
    var phases: [TimedEventKind] = []
    if let resolved = metrics.nameResolved { phases.append((.resolved, began + resolved)) }
    if metrics.connected != nil || metrics.reusedConnection {
      let connection = NetworkEvent.Connection(
        address: metrics.remoteAddress, port: metrics.remotePort, isReused: metrics.reusedConnection
      )
      phases.append((.connected(connection), metrics.connected.map { began + $0 } ?? now))
    }
    if let secured = metrics.secured { phases.append((.secured, began + secured)) }
    return phases
  }

  /// Of a request without a body nothing more is heard before the answer comes.
  private mutating func sentIfBodiless(_ now: Duration) -> [TimedEventKind] {
    bodySize == 0 ? sent(now) : []
  }

  private mutating func sent(_ now: Duration) -> [TimedEventKind] {
    guard !isSent else { return [] }
    isSent = true
    return [(.requestSent(bytes: progress.sent.bytes), now)]
  }

  private mutating func progressEvents(
    _ part: WritableKeyPath<TransferProgress, TransferProgress.Amount>, _ now: Duration
  ) -> [TimedEventKind] {
    let amount = progress[keyPath: part]
    let step = max(Self.minimumStep, (amount.total ?? amount.bytes) / 100)
    // The last of it is told by another event.
    guard amount.bytes - reportedProgress[keyPath: part].bytes >= step, amount.bytes != amount.total
    else {
      return []
    }
    reportedProgress = progress
    return [(.progress(progress), now)]
  }
}
