import CatenaSystem
import Foundation
import Promises

/// The event reporter of one call.
///
/// A call has none if its client has no event sinks, and no trace records the call.
///
/// Sinks receive the events under the call's lock, which keeps the events in order across threads.
/// No client code runs under that lock.
final class CallEvents: Sendable {
  let call: NetworkEvent.CallID
  private let eventSinks: [EventSink]
  /// The record of the call in a trace.
  let trace: (any CallTrace)?
  /// The largest body limit of the sinks in bytes; 0 if no sink accepts bodies.
  private let bodyLimit: Int
  private let scheduler: any Scheduler
  private let redactor: Redactor
  private let callStart: Duration
  fileprivate let machine: Mutex<CallEventMachine>

  init(
    _ call: NetworkEvent.CallID, _ eventSinks: [EventSink], _ trace: (any CallTrace)?,
    scheduler: any Scheduler, redactingBy redactor: Redactor
  ) {
    self.call = call
    self.eventSinks = eventSinks
    self.trace = trace
    self.redactor = redactor
    self.scheduler = scheduler
    callStart = scheduler.now
    bodyLimit = eventSinks.reduce(0) { max($0, $1.bodyLimit) }
    machine = Mutex(CallEventMachine(call, callStart: Date(), bodyLimit: bodyLimit))
  }

  // MARK: Client

  /// Reports that the call was queued, and observes its cancellation by the caller.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - resolver: The resolver of the caller's promise.
  func queued(_ request: Request, _ resolver: Resolver<Response>) {
    machine.withLock { $0.use(.init(request)) }
    trace?.describe(request)
    add(.queued)
    resolver.onCancel { self.add(.cancelled) }
  }

  /// Reports that the call has left the queue, starts it, and reports its end.
  func observing(_ start: () -> NetworkPromise) -> NetworkPromise {
    add(.started)
    var response = start().observed { result in self.settled(result) }
    if let trace { response = response.settled(by: trace.step) }
    guard let log = eventSinks.first(where: { $0.level != nil }) else { return response }
    return response.followed { result in
      guard case .success(let response) = result, !response.hasSuccessStatus,
        let event = self.machine.withLock({ $0.finalEvent })
      else { return nil }
      return .fulfilled(response.withStatusCheck(StatusCheck { log.noteDecoding(after: event) }))
    }
  }

  /// Records the wire request, before the stages.
  func built(_ request: HTTPRequest) { machine.withLock { $0.use(.init(request)) } }

  /// Reports that the call failed or was cancelled.
  func failed(_ error: any Error) {
    add(error.isCancellation ? .cancelled : .failed(NetworkEvent.Failure(error, by: redactor)))
  }

  private func settled(_ result: Result<Response, any Error>) {
    switch result {
    case .failure(let error): failed(error)
    case .success(let response):
      let status = response.status
      guard case .streaming(let streaming) = response.content else {
        return add(.finished(status: status, metrics: response.metrics))
      }
      // The body is not complete yet.
      streaming.source.whenFinished { result in
        switch result {
        case .success(let metrics): self.add(.finished(status: status, metrics: metrics))
        case .failure(let error): self.failed(error)
        }
      }
    }
  }

  // MARK: Stages

  /// Reports an event outside a hop.
  func add(_ kind: NetworkEvent.Kind) { emit { $0.add(kind, at: $1, $2) } }

  /// Reports the beginning of a hop.
  ///
  /// - Parameters:
  ///   - request: The request of the hop.
  ///   - attempt: The number of the attempt.
  ///   - hop: The number of the hop within the attempt.
  /// - Returns: The event reporter of the hop.
  func begin(_ request: HTTPRequest, attempt: Int, hop: Int) -> HopEvents {
    var number = 0
    // Only a body in memory of which a sink accepts the size.
    let body: Data? =
      if case .data(let data) = request.body, data.count <= bodyLimit { data } else { nil }
    emit { machine, now, receive in
      number = machine.begin(
        .init(request), headers: request.headers, bodySize: request.body.byteCount,
        body: body, attempt: attempt, hop: hop, at: now, receive)
    }
    return HopEvents(call: self, number: number)
  }

  /// Reports that the call waits for the response of another call.
  ///
  /// - Parameter other: The other call. `nil` if it reports no events.
  func share(with other: NetworkEvent.CallID?) { emit { $0.share(with: other, at: $1, $2) } }

  /// Reports that the cache has provided the response.
  func serveFromCache(_ request: HTTPRequest, _ source: Response.Source) {
    emit { $0.serveFromCache(.init(request), source, at: $1, $2) }
  }

  /// The time since the last event.
  var quietTime: Duration { scheduler.now - callStart - machine.withLock { $0.latest } }

  /// The number of response sources so far.
  var responseSourceCount: Int { machine.withLock { $0.responseSourceCount } }

  /// Reports that an interceptor has returned a response, unless another source has provided it.
  ///
  /// - Parameters:
  ///   - name: The name of the interceptor.
  ///   - responseSourceCount: The number of response sources before the interceptor ran.
  func servedLocally(by name: String, since responseSourceCount: Int) {
    emit { $0.servedLocally(by: name, since: responseSourceCount, at: $1, $2) }
  }

  // MARK: Reporting

  func emit(
    _ change: (
      inout CallEventMachine, _ now: Duration, _ receive: CallEventMachine.Receiver
    ) -> Void
  ) {
    let now = scheduler.now - callStart
    let needsDelivery = machine.withLock { machine in
      var needsDelivery = false
      change(&machine, now) { event, body in
        trace?.add(event)
        for sink in eventSinks where sink.add(event, body) { needsDelivery = true }
      }
      return needsDelivery
    }
    trace?.deliver()
    guard needsDelivery else { return }
    for sink in eventSinks { sink.queue.deliver() }
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
  package func receive(_ event: TransportEvent) { add(event) }

  /// Reports the end of a body whose rest is discarded, and ignores later events of the hop.
  func truncate() { add(nil) }

  private func add(_ event: TransportEvent?) {
    call.emit { $0.receive(event, ofHop: number, at: $1, $2) }
  }

  /// Ignores later events of the hop, because its result is no longer needed.
  package func abandon() { call.machine.withLock { $0.abandon(number) } }
}

/// The access of a client and its calls to the queue of a monitor, a log or a sequence.
///
/// Its release ends the sequence.
final class EventSink: Sendable {
  let queue: EventQueue
  /// The level of a log, which a call keeps; `nil` for other receivers.
  let level: LoggingConfiguration.Level?
  /// The size limit in bytes of the bodies that the receiver accepts; 0 disables bodies.
  let bodyLimit: Int

  init(_ queue: EventQueue, level: LoggingConfiguration.Level? = nil, bodyLimit: Int = 0) {
    self.queue = queue
    self.level = level
    self.bodyLimit = bodyLimit
  }

  deinit {
    queue.finish()
  }

  /// Stores an event.
  ///
  /// Its header fields are not redacted, because that would take time on the thread of the
  /// transport. The queue redacts them at the delivery.
  ///
  /// It is called under the lock of the call, which keeps the events of a call in order. So it must
  /// not block or run client code.
  ///
  /// - Returns: Whether ``EventQueue/deliver()`` must be called.
  func add(_ event: NetworkEvent, _ body: Data?) -> Bool {
    if let level, !CallLogMachine.logs(event.kind, at: level) { return false }
    let body = (body?.count ?? 0) > bodyLimit ? nil : body
    return queue.add(EventQueue.Entry(event: event, body: body, level: level ?? .none))
  }

  /// Notes that the body of a response has been decoded whose status is neither 2xx nor validated.
  func noteDecoding(after event: NetworkEvent) {
    let entry = EventQueue.Entry(event: event, level: level ?? .none, isDecodingNote: true)
    if queue.add(entry) { queue.deliver() }
  }
}

/// The record of a call in a trace.
package protocol CallTrace: Sendable {
  /// The step of the call.
  var step: TraceStep { get }

  /// Records the request of the call.
  func describe(_ request: Request)

  /// Adds an event, whose header fields are not redacted.
  ///
  /// It is called under the lock of the call, on the thread on which the event happens.
  func add(_ event: NetworkEvent)

  /// Hands over the trace if the call has ended it.
  ///
  /// It is called after events were added, without a lock.
  func deliver()
}
