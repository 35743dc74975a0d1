import CatenaSystem

/// The state machine of a ``URLSessionExchange``, which takes events and returns those to deliver.
struct URLSessionExchangeMachine: ~Copyable, Sendable {
  /// Whether the last event is known, though possibly still held by a suspended exchange.
  private(set) var hasFinalEvent = false
  /// Whether the last event has been delivered.
  private(set) var isFinished = false
  /// Whether the exchange has ended before its task, which has to be cancelled.
  private(set) var isAborted = false
  /// Whether a final response has begun.
  private(set) var hasHead = false
  private(set) var isSuspended = false
  /// Whether a resumption has been requested and not yet performed.
  private var isResuming = false
  var held = HeldEvents()
  private let timeouts: ExchangeTimeouts
  private let started: Duration
  private var lastActivity: Duration?
  private var firstByte: Duration?
  private var bytesSent: Int64 = 0
  private var bytesReceived: Int64 = 0
  /// The measurements of the platform, or `nil` if it has not provided them.
  private var platformMetrics: TransportMetrics?

  init(_ timeouts: ExchangeTimeouts, started: Duration) {
    self.timeouts = timeouts
    self.started = started
  }

  /// Whether events are held, or have to be.
  ///
  /// The task is paused meanwhile, if the platform supports that.
  var isHolding: Bool { isSuspended || !held.isEmpty }

  /// Records a sign of an established connection.
  mutating func recordActivity(at now: Duration) { lastActivity = now }

  /// Adds an event other than the last.
  ///
  /// - Returns: The events to deliver now.
  mutating func add(_ event: TransportEvent, at now: Duration) -> [TransportEvent] {
    guard !hasFinalEvent else { return [] }
    lastActivity = now
    switch event {
    case .sent(let bytes, _):
      // The platform may report the same count twice.
      guard bytes > bytesSent else { return [] }
      bytesSent = bytes
    case .head:
      guard !hasHead else { return [] }
      hasHead = true
      firstByte = firstByte ?? now - started
    case .body(let data):
      guard !data.isEmpty else { return [] }
      bytesReceived += Int64(data.count)
    case .connected, .servedLocally, .trailers: break
    case .end, .failure: return []
    }
    return emitOrHold(event, at: now)
  }

  /// Sets the measurements of the platform.
  mutating func setMetrics(_ metrics: TransportMetrics) { platformMetrics = metrics }

  /// Ends the exchange after a complete response.
  ///
  /// - Returns: The events to deliver now.
  mutating func complete(at now: Duration) -> [TransportEvent] {
    guard hasHead else {
      return fail(
        TransportFailure(code: .malformedResponse, detail: "The response has no head"),
        at: now)
    }
    guard !hasFinalEvent else { return [] }
    hasFinalEvent = true
    return emitOrHold(.end(metrics(at: now)), at: now)
  }

  /// Ends the exchange with a failure.
  ///
  /// - Returns: The events to deliver now.
  mutating func fail(_ failure: TransportFailure, at now: Duration) -> [TransportEvent] {
    guard !hasFinalEvent else { return [] }
    hasFinalEvent = true
    return emitOrHold(event(for: failure, at: now), at: now)
  }

  /// Ends the exchange immediately with a failure and discards the held events.
  ///
  /// - Returns: The events to deliver now.
  mutating func abort(_ failure: TransportFailure, at now: Duration) -> [TransportEvent] {
    guard !isFinished else { return [] }
    isAborted = !hasFinalEvent
    hasFinalEvent = true
    isFinished = true
    held = HeldEvents()
    return [event(for: failure, at: now)]
  }

  /// Suspends delivery, and withdraws a resumption that has not been performed yet.
  mutating func suspend() {
    isSuspended = true
    isResuming = false
  }

  /// Requests that the next ``resumeIfRequested(at:)`` resumes delivery.
  ///
  /// Requests and suspensions take effect in the order of the calls, although a resumption is performed
  /// later, on the queue of the events.
  mutating func requestResumption() { isResuming = isSuspended }

  /// Resumes delivery and restarts the idle timeout, unless the request was withdrawn by a later
  /// suspension.
  ///
  /// - Returns: The first held event.
  mutating func resumeIfRequested(at now: Duration) -> [TransportEvent] {
    guard isResuming else { return [] }
    isSuspended = false
    isResuming = false
    return nextHeldEvent(at: now)
  }

  /// Removes the next held event, unless the exchange is suspended, and restarts the idle timeout.
  ///
  /// - Returns: The event, or a failure if the bytes of a body cannot be read again.
  mutating func nextHeldEvent(at now: Duration) -> [TransportEvent] {
    guard !isSuspended else { return [] }
    if lastActivity != nil { lastActivity = now }
    let events = accessHeld(at: now)
    if hasFinalEvent, held.isEmpty, !events.isEmpty { isFinished = true }
    return events
  }

  /// The next deadline, or `nil` while events are held, after the last event, or without a limit.
  var deadline: ExchangeTimeouts.Deadline? {
    guard !hasFinalEvent, !isHolding else { return nil }
    return timeouts.deadline(started: started, lastActivity: lastActivity)
  }

  private mutating func emitOrHold(_ event: TransportEvent, at now: Duration) -> [TransportEvent] {
    guard isHolding else {
      isFinished = hasFinalEvent
      return [event]
    }
    return accessHeld(adding: event, at: now)
  }

  /// Adds an event to the held ones, or removes the next one, and ends the exchange if the disk fails.
  private mutating func accessHeld(
    adding event: TransportEvent? = nil, at now: Duration
  ) -> [TransportEvent] {
    do throws(FileError) {
      if let event { try held.add(event) } else if let next = try held.next() { return [next] }
      return []
    } catch {
      return abort(
        .init(code: .fileNotWritten, detail: error.cause, underlying: error.underlying), at: now)
    }
  }

  private func metrics(at now: Duration) -> TransportMetrics {
    var metrics = platformMetrics ?? TransportMetrics()
    metrics.firstByte = firstByte
    metrics.total = now - started
    metrics.bytesSent = bytesSent
    metrics.bytesReceived = bytesReceived
    return metrics
  }

  private func event(for failure: TransportFailure, at now: Duration) -> TransportEvent {
    var failure = failure
    failure.metrics = metrics(at: now)
    return .failure(failure)
  }
}

/// The time limits of an exchange, for a transport that notices a connection only when bytes move
/// on it.
struct ExchangeTimeouts: Sendable, Equatable {
  /// The limit for connecting, or `nil` for no limit.
  var connect: Duration?
  /// The longest time without activity, or `nil` for no limit.
  var idle: Duration?
  /// The limit for the whole exchange, or `nil` for no limit.
  var total: Duration?
  /// Whether the exchange sends a body, whose progress shows that the connection is established.
  ///
  /// It is `false` for a body of unknown length.
  var reportsConnect = false

  /// The time at which an exchange fails, and the phase of the failure.
  struct Deadline: Equatable {
    let due: Duration
    let phase: NetworkError.Phase
  }

  /// Returns the first deadline, assuming no further activity.
  ///
  /// - Parameters:
  ///   - started: The start of the exchange.
  ///   - lastActivity: The time of the last activity, or `nil` if there was none.
  /// - Returns: The deadline, or `nil` if there is no limit.
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
    // The exchange may be connecting, or connected and silent. Only the sum of both limits is
    // certain.
    return idle.map { Deadline(due: started + (connect ?? .zero) + $0, phase: .idle) }
  }
}
