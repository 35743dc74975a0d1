import Foundation
import Promises
import Synchronization

/// The events of one exchange, until they make a response.
final class ResponseReceiver: Sendable {
  /// What is kept of the body of a failure whose success would not have gone to memory.
  private static let failureBodyLimit = 1 << 20

  private struct State {
    var head: HTTPResponseHead?
    var data = Data()
    var sink: (any BodySink)?
    /// Nil once a stream's promise is fulfilled, which would keep the stream alive otherwise.
    var resolver: Resolver<Response>?
    /// The most that `data` takes.
    var limit: Int?
    /// Whether what is beyond the limit is left out; otherwise it is an error.
    var truncates = false
    var isFinished = false

    mutating func add(_ bytes: Data) -> Overflow {
      guard !isFinished else { return .none }
      // The first piece, which mostly is the only one, is kept as it is.
      if data.isEmpty { data = bytes } else { data.append(bytes) }
      guard let limit, data.count > limit else { return .none }
      data = data.prefix(limit)
      isFinished = true
      return truncates ? .truncated : .rejected
    }
  }

  private enum Overflow {
    case none
    case truncated
    case rejected
  }

  /// Nil where nothing has to be held back or broken off from here.
  let flow: FlowControl?
  private let request: HTTPRequest
  private let bodyDestination: BodyDestination
  /// Nil when nobody watches.
  private let events: HopEvents?
  private let state: Mutex<State>

  init(
    _ request: HTTPRequest, _ bodyDestination: BodyDestination, _ resolver: Resolver<Response>,
    reportingTo events: HopEvents? = nil
  ) {
    self.request = request
    self.bodyDestination = bodyDestination
    self.events = events
    state = Mutex(State(resolver: resolver, limit: bodyDestination.maximumBodySize))
    flow =
      switch bodyDestination.kind {
      case .memory: bodyDestination.maximumBodySize == nil ? nil : FlowControl()
      case .stream: FlowControl()
      case .file: FlowControl(high: 1 << 20, low: 256 << 10)
      }
  }

  func receive(_ event: TransportEvent) {
    events?.receive(event)
    switch event {
    case .connected, .servedLocally: break
    case .sent(let bytes, let total):
      bodyDestination.progress?.change { $0.sent = .init(bytes: bytes, total: total) }
    case .head(let head): begin(head)
    case .body(let bytes): take(bytes)
    case .end(let metrics): end(metrics)
    case .failure(let failure): fail(failure)
    }
  }

  /// Nobody wants the response any more.
  func abandon() {
    events?.abandon()
    let sink = state.withLock { state in
      state.isFinished = true
      return state.sink
    }
    sink?.abandon()
  }

  private func begin(_ head: HTTPResponseHead) {
    let sink = (200...299).contains(head.status) ? makeSink(head) : nil
    let isAbandoned = state.withLock { state in
      state.head = head
      state.sink = sink
      if flow != nil, sink == nil, !bodyDestination.isToMemory {
        state.limit = min(bodyDestination.maximumBodySize ?? .max, Self.failureBodyLimit)
        state.truncates = true
      }
      return state.isFinished
    }
    if isAbandoned { return sink?.abandon() ?? () }
    if let progress = bodyDestination.progress, let total = ProgressReporter.total(head) {
      progress.change { $0.received.total = total }
    }
    if let channel = sink as? ByteChannel {
      let resolver = state.withLock { $0.resolver.take() }
      resolver?.fulfill(Response(head, .streaming(StreamingBody(channel)), to: request))
    }
  }

  private func makeSink(_ head: HTTPResponseHead) -> (any BodySink)? {
    guard let flow, let resolver = state.withLock({ $0.resolver }) else { return nil }
    switch bodyDestination.kind {
    case .memory: return nil
    case .stream: return ByteChannel(flow)
    case .file(let target):
      let request = request
      return FileSink(target, flow) { result in
        switch result {
        case .success(let metrics):
          resolver.fulfill(Response(head, .file(target.url), to: request, metrics))
        case .failure(let problem as PartialFile.FileError):
          resolver.reject(
            NetworkError(
              .fileNotWritten, problem.reason, request: .init(request), response: head, attempts: 1)
          )
        case .failure(let error): resolver.reject(error)
        }
      }
    }
  }

  private func take(_ bytes: Data) {
    bodyDestination.progress?.change { $0.received.bytes += Int64(bytes.count) }
    let (sink, excess) = state.withLock { state -> ((any BodySink)?, Overflow) in
      if let sink = state.sink { return (sink, .none) }
      return (nil, state.add(bytes))
    }
    sink?.take(bytes)
    if excess != .none { truncate(excess) }
  }

  private func truncate(_ excess: Overflow) {
    let last = state.withLock { $0 }
    guard let head = last.head else { return }
    let response = Response(head, .memory(last.data), to: request)
    // What the transport may yet tell is not told any more.
    if excess == .truncated {
      events?.truncate()
      last.resolver?.fulfill(response)
    } else {
      events?.abandon()
      let limit = bodyDestination.maximumBodySize ?? 0
      last.resolver?.reject(NetworkError(.bodyTooLarge, response, "more than \(limit) bytes"))
    }
    flow?.cancel()
  }

  private func end(_ metrics: TransportMetrics) {
    guard let last = finish() else { return }
    if let sink = last.sink { return sink.end(metrics) }
    guard let head = last.head else {
      last.resolver?.reject(
        NetworkError(TransportFailure(code: .malformedResponse, metrics: metrics), of: request))
      return
    }
    last.resolver?.fulfill(Response(head, .memory(last.data), to: request, metrics))
  }

  private func fail(_ failure: TransportFailure) {
    guard let last = finish() else { return }
    let response = last.head.map {
      Response($0, .memory(last.data), to: request, failure.metrics)
    }
    let error = NetworkError(failure, of: request, response: response)
    if let sink = last.sink { sink.fail(error) } else { last.resolver?.reject(error) }
  }

  /// What there was until now; nil when it had been over.
  private func finish() -> State? {
    state.withLock { state in
      guard !state.isFinished else { return nil }
      // Moved, not copied; but who abandons it later still has to find the sink.
      var last = State(sink: state.sink, isFinished: true)
      swap(&last, &state)
      return last
    }
  }
}

extension Transport {
  /// Performs an exchange and makes a response of its events.
  ///
  /// - Parameters:
  ///   - request: what to send.
  ///   - bodyDestination: what becomes of the body.
  ///   - events: tells those who watch what happens; nil when nobody does.
  /// - Returns: a promise on the inline context, settled on the transport's thread, or on that which wrote
  ///   a file: once all has come, or, for a stream, once the head has. Cancelling it, or the
  ///   departure of its last consumer, cancels the exchange.
  func perform(
    _ request: HTTPRequest, _ bodyDestination: BodyDestination = BodyDestination(),
    reportingTo events: HopEvents? = nil
  ) -> NetworkPromise {
    let (promise, resolver) = NetworkPromise.pending(on: .inline)
    if case .file(let target) = bodyDestination.kind {
      do {
        try PartialFile.check(target.url, replacing: target.replaces)
      } catch {
        resolver.reject(NetworkError(.fileNotWritten, error.reason, request: .init(request)))
        return promise
      }
    }
    bodyDestination.progress?.begin()
    let receiver = ResponseReceiver(request, bodyDestination, resolver, reportingTo: events)
    let receive: @Sendable (TransportEvent) -> Void = { receiver.receive($0) }
    let handle =
      events == nil ? start(request, receive) : start(request.reportingConnection, receive)
    receiver.flow?.attach(handle)
    resolver.onCancel {
      handle.cancel()
      receiver.abandon()
    }
    return promise
  }
}

extension HTTPRequest {
  fileprivate var reportingConnection: HTTPRequest {
    var request = self
    request.reportsConnection = true
    return request
  }
}
