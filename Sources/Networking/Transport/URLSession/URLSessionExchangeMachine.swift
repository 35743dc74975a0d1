/// What an exchange of a ``URLSessionTransport`` has come to: events go in, those to deliver come out.
struct URLSessionExchangeMachine: Sendable {
  /// Whether a last event is known, delivered or kept back.
  private(set) var hasFinalEvent = false
  /// Whether the last event has been given out.
  private(set) var isFinished = false
  /// Whether a final response has begun.
  private(set) var hasHead = false
  private(set) var isSuspended = false
  private var heldEvents: [TransportEvent] = []
  private let times: ExchangeTimeouts
  private let started: Duration
  private var lastActivity: Duration?
  private var firstByte: Duration?
  private var bytesSent: Int64 = 0
  private var bytesReceived: Int64 = 0
  /// What the platform has measured; nil where it does not tell, or not yet.
  private var collected: TransportMetrics?

  init(_ times: ExchangeTimeouts, started: Duration) {
    self.times = times
    self.started = started
  }

  /// The connection has shown that it stands.
  mutating func recordActivity(at now: Duration) {
    lastActivity = now
  }

  /// Something that is not the last has happened.
  ///
  /// - Returns: what to deliver now.
  mutating func add(_ event: TransportEvent, at now: Duration) -> [TransportEvent] {
    guard !hasFinalEvent else { return [] }
    lastActivity = now
    switch event {
    case .sent(let bytes, _):
      // The platform may tell the same twice.
      guard bytes > bytesSent else { return [] }
      bytesSent = bytes
    case .head:
      guard !hasHead else { return [] }
      hasHead = true
      firstByte = firstByte ?? now - started
    case .body(let data):
      guard !data.isEmpty else { return [] }
      bytesReceived += Int64(data.count)
    case .connected, .servedLocally: break
    case .end, .failure: return []
    }
    return emitOrHold(event)
  }

  /// The platform tells what it has measured.
  mutating func setMetrics(_ metrics: TransportMetrics) {
    collected = metrics
  }

  /// The response is complete.
  mutating func complete(at now: Duration) -> [TransportEvent] {
    guard hasHead else {
      return fail(
        TransportFailure(code: .malformedResponse, detail: "There is no head of a response"),
        at: now)
    }
    guard !hasFinalEvent else { return [] }
    hasFinalEvent = true
    return emitOrHold(.end(metrics(at: now)))
  }

  /// The exchange has come to nothing.
  mutating func fail(_ failure: TransportFailure, at now: Duration) -> [TransportEvent] {
    guard !hasFinalEvent else { return [] }
    hasFinalEvent = true
    return emitOrHold(.failure(measured(failure, at: now)))
  }

  /// The exchange is broken off: what was kept back is dropped.
  mutating func abort(_ failure: TransportFailure, at now: Duration) -> [TransportEvent] {
    guard !isFinished else { return [] }
    hasFinalEvent = true
    isFinished = true
    heldEvents = []
    return [.failure(measured(failure, at: now))]
  }

  mutating func suspend() {
    isSuspended = true
  }

  /// - Returns: what was kept back.
  mutating func resume(at now: Duration) -> [TransportEvent] {
    guard isSuspended else { return [] }
    isSuspended = false
    if lastActivity != nil { lastActivity = now }
    let events = heldEvents
    heldEvents = []
    if hasFinalEvent, !events.isEmpty { isFinished = true }
    return events
  }

  /// When it will have taken too long; nil when that is no matter.
  var deadline: ExchangeTimeouts.Deadline? {
    guard !hasFinalEvent, !isSuspended else { return nil }
    return times.deadline(started: started, lastActivity: lastActivity)
  }

  private mutating func emitOrHold(_ event: TransportEvent) -> [TransportEvent] {
    if isSuspended {
      heldEvents.append(event)
      return []
    }
    isFinished = hasFinalEvent
    return [event]
  }

  private func metrics(at now: Duration) -> TransportMetrics {
    var metrics = collected ?? TransportMetrics()
    metrics.firstByte = firstByte
    metrics.total = now - started
    metrics.bytesSent = bytesSent
    metrics.bytesReceived = bytesReceived
    return metrics
  }

  private func measured(_ failure: TransportFailure, at now: Duration) -> TransportFailure {
    var failure = failure
    failure.metrics = metrics(at: now)
    return failure
  }
}

/// When an exchange has taken too long, for a transport that sees a connection only by what moves on it.
struct ExchangeTimeouts: Sendable, Equatable {
  /// How long connecting may take; nil is without limit.
  var connect: Duration?
  /// How long the connection may be silent; nil is without limit.
  var idle: Duration?
  /// How long the whole may take; nil is without limit.
  var total: Duration?
  /// Whether something is sent that shows that the connection stands.
  var reportsConnect = false

  /// A time at which an exchange is over, and what that is called.
  struct Deadline: Equatable {
    let due: Duration
    let phase: NetworkError.Phase
  }

  /// What comes first, if nothing happens before.
  ///
  /// - Parameters:
  ///   - started: when the exchange was started.
  ///   - lastActivity: when something was last heard of it; nil when nothing was yet.
  /// - Returns: the deadline; nil when there is none.
  func deadline(started: Duration, lastActivity: Duration?) -> Deadline? {
    let phase = phaseDeadline(started: started, lastActivity: lastActivity)
    guard let total else { return phase }
    let whole = Deadline(due: started + total, phase: .attempt)
    return phase.map { $0.due <= whole.due ? $0 : whole } ?? whole
  }

  private func phaseDeadline(started: Duration, lastActivity: Duration?) -> Deadline? {
    if let lastActivity { return idle.map { Deadline(due: lastActivity + $0, phase: .idle) } }
    if reportsConnect {
      return connect.map { Deadline(due: started + $0, phase: .connect) }
        ?? idle.map { Deadline(due: started + $0, phase: .idle) }
    }
    // It may be connecting, or connected and silent: both have to be over before it is late for sure.
    return idle.map { Deadline(due: started + (connect ?? .zero) + $0, phase: .idle) }
  }
}
