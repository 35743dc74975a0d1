import CatenaSystem
import Foundation
import Promises

/// A receiver of the events of one exchange, which makes a response from them.
final class ResponseReceiver: Sendable {
  /// The limit for the body of a redirect, and of an unsuccessful download or stream, in bytes.
  static let failureBodyLimit = 1 << 20

  /// The limit for the time in which the body of a response that is not delivered arrives.
  ///
  /// A connection whose body is complete can be reused. A new one takes about as long.
  static let discardTime = Duration.milliseconds(250)

  private struct State {
    var head: HTTPResponseHead?
    var data = Data()
    var trailers: HTTPHeaders = [:]
    var sink: (any BodySink)?
    /// `nil` after the promise of a stream is fulfilled, because the resolver would keep the stream
    /// alive.
    var resolver: Resolver<Response>?
    /// The limit of `data`, in bytes.
    var limit: Int?
    /// The time of the first bytes of `data`.
    ///
    /// `nil` before they arrive, and without a limit for the time.
    var start: Duration?
    /// The additional time, given once, for bytes that arrive after the limit for the time.
    ///
    /// They may have arrived while the process was suspended. `nil` in virtual time.
    var grace: Duration?
    /// Whether a body beyond the limit is truncated.
    ///
    /// Otherwise it is an error.
    var truncates = false
    var isFinished = false
    /// The timer of ``discardTime``.
    var timer: ScheduledAction?
    /// Whether a stage decides about the rest of the body.
    var isDeciding = false
    /// The end of the exchange, which has arrived during the decision and is handled after it.
    ///
    /// The stage must not see the complete response before it has decided by the head.
    var deferredEnd: TransportEvent?
    /// The handle of an exchange without flow control.
    var handle: (any TransportHandle)?
    /// Whether the rest of the body is discarded.
    var isCancelled = false

    /// Adds bytes that arrived at a time, which is `nil` without a limit for the time.
    mutating func add(_ bytes: Data, at now: Duration?, within limit: Duration?) -> Overflow? {
      guard !isFinished else { return nil }
      if let now, let limit, now - (start ?? now) > limit {
        start = grace.take().map { now - limit + $0 }
        isFinished = start == nil
        if isFinished { return .late }
      }
      if start == nil { start = now }
      // Fast path: the first piece, which is usually the only one, is not copied.
      if data.isEmpty { data = bytes } else { data.append(bytes) }
      guard let size = self.limit, data.count > size else { return nil }
      data = data.prefix(size)
      isFinished = true
      return truncates ? .truncated : .rejected
    }
  }

  private enum Overflow {
    case truncated
    case rejected
    /// The bytes arrived after the limit for the time.
    case late
  }

  /// The flow control.
  ///
  /// `nil` if the body goes to memory.
  private let flow: FlowControl?
  private let request: HTTPRequest
  private let reception: Reception
  /// The receiver of the progress of both bodies.
  private let progress: (any ProgressReceiver)?
  /// The decision of the exchange.
  private let exchangeDiscards: Discard?
  /// The source of time of ``discardTime``.
  private let clock: any Scheduler
  /// The events of the hop.
  ///
  /// `nil` if the client has no monitors.
  private let events: HopEvents?
  private let state: Mutex<State>

  // The body may arrive in real time although the client has a virtual one.
  init(
    _ request: HTTPRequest, _ reception: Reception, _ progress: (any ProgressReceiver)?,
    _ resolver: Resolver<Response>, isInRealTime: Bool, discarding exchangeDiscards: Discard?,
    reportingTo events: HopEvents?
  ) {
    self.request = request
    self.exchangeDiscards = exchangeDiscards
    self.reception = reception
    self.progress = progress
    clock = isInRealTime ? LiveScheduler.system : reception.settings.scheduler
    self.events = events
    let settings = reception.settings
    let grace = settings.timeLimit.flatMap { _ in settings.scheduler.grace }
    state = Mutex(State(resolver: resolver, limit: settings.maximumBodySize, grace: grace))
    flow =
      switch reception.options.destination {
      case .memory: nil
      case .stream: FlowControl()
      case .file: FlowControl(high: 1 << 20, low: 256 << 10)
      }
  }

  /// Sets the handle of the exchange, which may arrive after the first bytes.
  func attach(_ handle: any TransportHandle) {
    if let flow { return flow.attach(handle) }
    let isCancelled = state.withLock { state in
      if !state.isFinished { state.handle = handle }
      return state.isCancelled
    }
    if isCancelled { handle.cancel() }
  }

  func receive(_ event: TransportEvent) {
    guard let step = events?.call.trace?.step else { return handle(event) }
    step.run { handle(event) }
  }

  private func handle(_ event: TransportEvent) {
    events?.receive(event)
    switch event {
    case .connected, .servedLocally: break
    case .sent(let bytes, let total):
      progress?.change { $0.sent = .init(bytes: bytes, total: total) }
    case .head(let head): begin(head)
    case .body(let bytes): receiveBody(bytes)
    case .trailers(let trailers): state.withLock { $0.trailers = trailers }
    case .end, .failure: complete(event)
    }
  }

  /// Handles the last event of the exchange, now or after a decision about the rest of the body.
  private func complete(_ event: TransportEvent) {
    guard let last = finish(with: event) else { return }
    switch event {
    case .end(let metrics): end(last, metrics)
    case .failure(let failure): fail(last, failure)
    default: break
    }
  }

  /// The part of the response that has not arrived.
  var awaitedPart: String {
    state.withLock { $0.head == nil } ? "the first byte of the response" : "the end of the response"
  }

  /// Discards the rest of the response after a cancellation.
  func abandon() {
    events?.abandon()
    reception.copy?.abandon()
    let (sink, timer) = state.withLock { state in
      state.isFinished = true
      state.handle = nil
      return (state.sink, state.timer.take())
    }
    timer?.cancel()
    sink?.abandon()
  }

  private func begin(_ head: HTTPResponseHead) {
    let sink = (200...299).contains(head.status) ? makeSink(head) : nil
    let isAbandoned = state.withLock { state in
      state.head = head
      state.sink = sink
      if sink == nil, !reception.options.destination.isMemory || head.isTruncatedRedirect {
        state.limit = min(reception.settings.maximumBodySize ?? .max, Self.failureBodyLimit)
        state.truncates = true
      }
      return state.isFinished
    }
    if isAbandoned { return sink?.abandon() ?? () }
    if sink == nil { limitDiscard(head) }
    if sink != nil { reception.copy?.begin(head, to: request) }
    if sink != nil || reception.options.destination.isMemory,
      let progress,
      let total = ProgressReporter.total(head)
    {
      progress.change { $0.received.total = total }
    }
    if let channel = sink as? ByteChannel {
      state.withLock { $0.resolver.take() }?
        .fulfill(Response(head, .streaming(StreamingBody(channel)), to: request))
    }
  }

  /// Truncates the body of a response that is not delivered if it does not end in time.
  private func limitDiscard(_ head: HTTPResponseHead) {
    guard !(200...299).contains(head.status),
      exchangeDiscards != nil || reception.settings.followsRedirects && head.isTruncatedRedirect
    else { return }
    let timer = clock.schedule(after: Self.discardTime) { [weak self] in
      self?.truncateLate()
    }
    let isFinished = state.withLock { state in
      if !state.isFinished { state.timer = timer }
      return state.isFinished
    }
    if isFinished { timer.cancel() }
  }

  private func truncateLate() {
    let pending = state.withLock { state in
      state.isDeciding = !state.isFinished
      return state.isFinished ? nil : state.head
    }
    guard let head = pending else { return }
    // Whether a stage sends another request after the response.
    let discards =
      reception.settings.followsRedirects && head.isTruncatedRedirect
      && Redirection.isRedirect(head.status)
      || exchangeDiscards?(head, request) == true
    let (isTruncated, end) = state.withLock { state in
      state.isDeciding = false
      let isTruncated = discards && !state.isFinished
      if isTruncated { state.isFinished = true }
      return (isTruncated, state.deferredEnd.take())
    }
    if isTruncated {
      truncate(.truncated)
    } else if let end {
      complete(end)
    }
  }

  private func makeSink(_ head: HTTPResponseHead) -> (any BodySink)? {
    guard let flow, let resolver = state.withLock({ $0.resolver }) else { return nil }
    switch reception.options.destination {
    case .memory: return nil
    case .stream: return ByteChannel(flow)
    case .file(let target):
      let request = request
      return FileSink(target, flow, awaitedBy: reception.settings.scheduler) { result in
        switch result {
        case .success((let metrics, let trailers)):
          resolver.fulfill(
            Response(head, .file(target.url), to: request, metrics, trailers: trailers))
        case .failure(let fileError as FileError):
          var error = NetworkError(.fileNotWritten, fileError)
          (error.request, error.response, error.attempts) = (.init(request), head, 1)
          resolver.reject(error)
        case .failure(let error): resolver.reject(error)
        }
      }
    }
  }

  private func receiveBody(_ bytes: Data) {
    // The body of a failed download is not the file that is awaited.
    if let progress,
      reception.options.destination.isMemory || state.withLock({ $0.sink != nil })
    {
      progress.change { $0.received.bytes += Int64(bytes.count) }
    }
    let timeLimit = reception.settings.timeLimit
    // Read without the lock, because a scheduler may be code of the user.
    let now = timeLimit.map { _ in reception.settings.scheduler.now }
    let (sink, overflow) = state.withLock { state -> ((any BodySink)?, Overflow?) in
      if let sink = state.sink { return (sink, nil) }
      return (nil, state.add(bytes, at: now, within: timeLimit))
    }
    if let sink {
      reception.copy?.write(bytes)
      sink.write(bytes)
    }
    if let overflow { truncate(overflow) }
  }

  private func truncate(_ overflow: Overflow) {
    let last = state.withLock { $0 }
    last.timer?.cancel()
    guard let head = last.head else { return }
    let response = Response(
      head, .memory(last.data), to: request, from: .init(isTruncated: true))
    // Further events of the transport are ignored.
    switch overflow {
    case .truncated:
      events?.truncate()
      last.resolver?.fulfill(response)
    case .rejected:
      events?.abandon()
      let limit = reception.settings.maximumBodySize ?? 0
      last.resolver?.reject(NetworkError(.bodyTooLarge, response, "more than \(limit) bytes"))
    case .late:
      events?.abandon()
      let limit = reception.settings.timeLimit ?? .zero
      last.resolver?.reject(
        NetworkError(.timedOut(.attempt), response, "the body took more than \(limit.rounded)"))
    }
    cancel()
  }

  /// Discards the rest of the body.
  private func cancel() {
    if let flow { return flow.cancel() }
    let handle = state.withLock { state in
      state.isCancelled = true
      return state.handle.take()
    }
    handle?.cancel()
  }

  private func end(_ last: State, _ metrics: TransportMetrics) {
    if let sink = last.sink {
      reception.copy?.end()
      return sink.end(metrics, last.trailers)
    }
    guard let head = last.head else {
      last.resolver?.reject(
        NetworkError(TransportFailure(code: .malformedResponse, metrics: metrics), of: request))
      return
    }
    last.resolver?.fulfill(
      Response(head, .memory(last.data), to: request, metrics, trailers: last.trailers))
  }

  private func fail(_ last: State, _ failure: TransportFailure) {
    let response = last.head.map { Response($0, .memory(last.data), to: request, failure.metrics) }
    let error = NetworkError(failure, of: request, response: response)
    if let sink = last.sink {
      reception.copy?.abandon()
      return sink.fail(error)
    }
    last.resolver?.reject(failure.rejection ?? error)
  }

  /// Ends the exchange, and returns its last state.
  ///
  /// Returns `nil` if the exchange has ended before, or if it ends after a decision.
  private func finish(with event: TransportEvent) -> State? {
    let last = state.withLock { state -> State? in
      guard !state.isFinished else { return nil }
      if state.isDeciding {
        state.deferredEnd = event
        return nil
      }
      // Moved, not copied. The sink stays, because `abandon` needs it.
      var last = State(sink: state.sink, isFinished: true)
      swap(&last, &state)
      return consume last
    }
    last?.timer?.cancel()
    return last
  }
}
