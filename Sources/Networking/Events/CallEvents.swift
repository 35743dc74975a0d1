import CatenaSystem
package import Foundation
import Promises

/// The event reporter of one call.
///
/// A call has none if its client has no event sinks, and no trace records the call.
///
/// Sinks receive the events under the call's lock, which keeps the events in order across threads.
/// No client code runs under that lock.
final class CallEvents: Sendable {
  let call: NetworkEvent.CallID
  /// The step of the call in a trace.
  let step: TraceStep?
  private let eventSinks: EventSinkList
  private let scheduler: any Scheduler
  private let redactor: Redactor
  private let callStart: Duration
  private let machine: Mutex<CallEventMachine>

  init(
    _ eventSinks: EventSinkList, of call: NetworkEvent.CallID = .init(), step: TraceStep? = nil,
    scheduler: any Scheduler, redactor: Redactor = .standard
  ) {
    self.call = call
    self.step = step
    self.eventSinks = eventSinks
    self.redactor = redactor
    self.scheduler = scheduler
    callStart = scheduler.now
    machine = Mutex(CallEventMachine(call, callStart: Date(), bodyLimit: eventSinks.bodyLimit))
  }

  /// Returns the reporter of a call, or `nil` if nothing receives its events.
  static func make(_ sinks: EventSinkList?, _ runner: CallRunner) -> CallEvents? {
    let cause = TraceStep.current ?? runner.tracing?.begin()
    guard sinks != nil || cause != nil else { return nil }
    let (call, scheduler) = (NetworkEvent.CallID(), runner.scheduler)
    let trace = cause.flatMap { cause in
      (cause.recorder as? any CallRecorder)?.record(call, in: runner.mode, after: cause)
    }
    return (trace.map { EventSinkList(sinks, adding: $0.sink) } ?? sinks).map {
      CallEvents(
        $0, of: call, step: trace?.step, scheduler: scheduler, redactor: runner.redactor)
    }
  }

  // MARK: Client

  /// Reports that the call was queued, and observes its cancellation by the caller.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - resolver: The resolver of the caller's promise.
  func queued(_ request: Request, _ resolver: Resolver<Response>) {
    let summary = NetworkError.RequestSummary(request)
    emit { $0.queue(summary, at: $1) }
    resolver.onCancel { self.end(.cancelled) }
  }

  /// Reports that the call has left the queue, starts it, and reports its end.
  func observing(_ start: () -> NetworkPromise) -> NetworkPromise {
    add(.started)
    var response = start().always(on: .inline) { result in self.settled(result) }
    if let step { response = response.settled(by: step) }
    guard let log = eventSinks.log else { return response }
    return response.followed { result in
      guard case .success(let response) = result, !response.hasSuccessStatus,
        let event = self.machine.withLock({ $0.finalEvent })
      else { return nil }
      let status = response.status
      // The check has the log only, because the other sinks end with the calls.
      let check = StatusCheck { log.logDecoding(after: event, status: status) }
      return .fulfilled(response.withStatusCheck(check))
    }
  }

  /// Records the wire request, before the stages.
  func built(_ request: HTTPRequest) { machine.withLock { $0.build(request) } }

  /// Reports that the call failed or was cancelled.
  func failed(_ error: any Error) {
    end(error.isCancellation ? .cancelled : .failed(NetworkEvent.Failure(error, by: redactor)))
  }

  private func settled(_ result: Result<Response, any Error>) {
    switch result {
    case .failure(let error): failed(error)
    case .success(let response):
      let status = response.status
      guard case .streaming(let streaming) = response.content else {
        return end(.finished(status: status, metrics: response.metrics))
      }
      // The body is not complete yet.
      streaming.source.whenFinished { result in
        switch result {
        case .success(let metrics): self.end(.finished(status: status, metrics: metrics))
        case .failure(let error): self.failed(error)
        }
      }
    }
  }

  // MARK: Stages

  /// Reports an event outside a hop.
  func add(_ kind: NetworkEvent.Kind) { emit { $0.add(kind, at: $1) } }

  /// Reports the beginning of a hop.
  ///
  /// - Parameters:
  ///   - request: The request of the hop.
  ///   - attempt: The number of the attempt.
  ///   - hop: The number of the hop within the attempt.
  /// - Returns: The event reporter of the hop.
  func begin(_ request: HTTPRequest, attempt: Int, hop: Int) -> HopEvents {
    let summary = NetworkError.RequestSummary(request)
    let headers = request.headers
    let bodySize = request.body.byteCount
    var number = 0
    emit(sending: smallBody(of: request)) { machine, now in
      let (hop, events) = machine.begin(
        summary, headers: headers, bodySize: bodySize, attempt: attempt, hop: hop, at: now)
      number = hop
      return events
    }
    return HopEvents(call: self, number: number)
  }

  /// Reports that the call waits for the response of another call.
  ///
  /// - Parameter other: The other call. `nil` if it reports no events.
  func share(with other: NetworkEvent.CallID?) { emit { $0.share(with: other, at: $1) } }

  /// Reports that the cache has provided the response.
  func serveFromCache(_ request: HTTPRequest, _ source: Response.Source) {
    let summary = NetworkError.RequestSummary(request)
    emit { $0.serveFromCache(summary, source, at: $1) }
  }

  /// The number of response sources so far.
  var responseSourceCount: Int { machine.withLock { $0.responseSourceCount } }

  /// Reports that an interceptor has returned a response, unless another source has provided it.
  ///
  /// - Parameters:
  ///   - name: The name of the interceptor.
  ///   - responseSourceCount: The number of response sources before the interceptor ran.
  func servedLocally(by name: String, since responseSourceCount: Int) {
    emit { $0.servedLocally(by: name, since: responseSourceCount, at: $1) }
  }

  // MARK: Reporting

  private func end(_ kind: NetworkEvent.Kind) { emit { $0.end(kind, at: $1) } }

  func abandon(hop number: Int) { machine.withLock { $0.abandon(number) } }

  /// The body of a request, if it is in memory and a sink accepts bodies of its size.
  private func smallBody(of request: HTTPRequest) -> Data? {
    guard case .data(let data) = request.body, data.count <= eventSinks.bodyLimit else {
      return nil
    }
    return data
  }

  func emit(
    sending body: Data? = nil,
    _ change: (inout CallEventMachine, _ now: Duration) -> [NetworkEvent]
  ) {
    let now = scheduler.now - callStart
    let hasEvents = machine.withLock { machine in
      let events = change(&machine, now)
      for event in events {
        let body: Data? =
          switch event.kind {
          case .sending: body
          case .body: machine.received
          default: nil
          }
        for sink in eventSinks.sinks { sink.enqueue(event, body) }
      }
      return !events.isEmpty
    }
    guard hasEvents else { return }
    for sink in eventSinks.sinks { sink.deliver() }
  }
}

/// The event reporter of one hop.
///
/// It receives the events of the transport.
package struct HopEvents: Sendable {
  let call: CallEvents
  /// The number of the hop within the call.
  let number: Int

  /// Reports an event of the transport.
  package func receive(_ event: TransportEvent) {
    call.emit { machine, now in
      machine.receive(number, at: now) { $0.receive(event, at: now) }
    }
  }

  /// Reports the end of a body whose rest is discarded, and ignores later events of the hop.
  func truncate() {
    call.emit { machine, now in
      machine.receive(number, at: now) { $0.truncate(at: now) }
    }
    abandon()
  }

  /// Ignores later events of the hop, because its result is no longer needed.
  package func abandon() { call.abandon(hop: number) }
}

/// An immutable list of the event sinks of a client.
///
/// A call keeps the list it was created with.
final class EventSinkList: Sendable {
  let sinks: [any EventSink]
  /// The largest body limit of the sinks in bytes; 0 if no sink accepts bodies.
  let bodyLimit: Int
  /// The log; `nil` if there is none.
  let log: LogSink?

  /// Creates a list with an additional sink.
  convenience init(_ existing: EventSinkList?, adding sink: any EventSink) {
    self.init((existing?.sinks ?? []) + [sink])
  }

  private init(_ sinks: [any EventSink]) {
    self.sinks = sinks
    bodyLimit = sinks.map(\.bodyLimit).max() ?? 0
    log = sinks.lazy.compactMap { $0 as? LogSink }.first
  }

  /// Returns the list without a sink; `nil` if no sink is left.
  func removing(_ sink: any EventSink) -> EventSinkList? {
    let rest = sinks.filter { $0 !== sink }
    return rest.isEmpty ? nil : EventSinkList(rest)
  }
}

/// A receiver of the events of a client's calls.
package protocol EventSink: AnyObject, Sendable {
  /// The size limit in bytes of the bodies that the sink receives; 0 disables bodies.
  var bodyLimit: Int { get }

  /// Stores an event for delivery.
  ///
  /// Its header fields are not redacted, because that would take time on the thread of the
  /// transport. The sink calls ``NetworkEvent/redacted()`` when it delivers the event.
  ///
  /// It is called under the lock of the call, which keeps the events of a call in order. So it must
  /// not block or run client code.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - body: The body that was sent or received, only with
  ///     ``NetworkEvent/Kind/sending(headers:bodySize:)`` and ``NetworkEvent/Kind/body(bytes:)``.
  ///     `nil` with other events, and if the body is larger than the largest body limit of the
  ///     sinks.
  func enqueue(_ event: NetworkEvent, _ body: Data?)

  /// Starts the delivery of the stored events.
  func deliver()

  /// Calls a closure when all events that have been stored so far have been delivered.
  ///
  /// - Parameter action: The closure. It runs once, on any thread.
  func whenDelivered(_ action: @escaping @Sendable () -> Void)
}
