import Foundation
import Promises
import Synchronization

/// Tells those who watch a client what happens to one of its calls; there is none when nobody watches.
///
/// The events are handed on under the call's lock, so that they come in the order in which they were told, from
/// whatever threads; nobody's code runs there.
final class CallEvents: Sendable {
  let call = NetworkEvent.CallID()
  private let eventSinks: EventSinkList
  private let scheduler: any Scheduler
  private let callStart: Duration
  private let machine: Mutex<CallEventMachine>

  init(_ eventSinks: EventSinkList, scheduler: any Scheduler) {
    self.eventSinks = eventSinks
    self.scheduler = scheduler
    callStart = scheduler.now
    machine = Mutex(CallEventMachine(call, callStart: Date(), bodyLimit: eventSinks.bodyLimit))
  }

  // MARK: The client

  /// The call joins the queue.
  ///
  /// - Parameters:
  ///   - request: what is asked for.
  ///   - resolver: of the promise that the caller has, and may cancel.
  func queued(_ request: Request, _ resolver: Resolver<Response>) {
    let summary = NetworkError.RequestSummary(request)
    emit { $0.queue(summary, at: $1) }
    resolver.onCancel { self.end(.cancelled) }
  }

  /// The call's turn has come: tells so, and of the end of what it starts.
  func observing(_ start: () -> NetworkPromise) -> NetworkPromise {
    add(.started)
    return start().always(on: .inline) { result in self.settled(result) }
  }

  /// The call came to nothing.
  func failed(_ error: any Error) {
    end(error.isCancellation ? .cancelled : .failed(NetworkEvent.Failure(error)))
  }

  private func settled(_ result: Result<Response, any Error>) {
    switch result {
    case .failure(let error): failed(error)
    case .success(let response):
      let status = response.status
      guard case .streaming(let streaming) = response.content else {
        return end(.finished(status: status, metrics: response.metrics))
      }
      // Its body is still on its way.
      streaming.source.whenFinished { result in
        switch result {
        case .success(let metrics): self.end(.finished(status: status, metrics: metrics))
        case .failure(let error): self.failed(error)
        }
      }
    }
  }

  // MARK: The stages

  /// Tells of something that comes before all hops, or behind one.
  func add(_ kind: NetworkEvent.Kind) {
    emit { $0.add(kind, at: $1) }
  }

  /// A hop begins.
  ///
  /// - Parameters:
  ///   - request: what is sent.
  ///   - attempt: the number of the attempt.
  ///   - hop: the number of the hop in that.
  /// - Returns: what tells of the hop.
  func begin(_ request: HTTPRequest, attempt: Int, hop: Int) -> HopEvents {
    let summary = NetworkError.RequestSummary(request)
    let headers = request.headers.redacted()
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

  /// The call waits for the answer to another; nil when nobody watches that one.
  func share(with other: NetworkEvent.CallID?) {
    emit { $0.share(with: other, at: $1) }
  }

  /// How many times the call was answered until now, or a hop begun to that end.
  var responderCount: Int { machine.withLock { $0.responderCount } }

  /// An interceptor has an answer, be it its own or that of somebody who has answered since.
  func servedLocally(by name: String, since responderCount: Int) {
    emit { $0.answer(by: name, since: responderCount, at: $1) }
  }

  // MARK: Telling

  private func end(_ kind: NetworkEvent.Kind) {
    emit { $0.end(kind, at: $1) }
  }

  func abandon(hop number: Int) {
    machine.withLock { $0.abandon(number) }
  }

  /// A body in memory that somebody wants to see.
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
        for sink in eventSinks.sinks { sink.take(event, body) }
      }
      return !events.isEmpty
    }
    guard hasEvents else { return }
    for sink in eventSinks.sinks { sink.deliver() }
  }
}

/// Tells those who watch what happens in one hop of a call, as its transport has it.
struct HopEvents: Sendable {
  let call: CallEvents
  /// Which of all hops of the call it is.
  let number: Int

  /// The transport has told this.
  func receive(_ event: TransportEvent) {
    var event = event
    if case .head(var head) = event {
      head.headers = head.headers.redacted()
      event = .head(head)
    }
    call.emit { machine, now in
      machine.receive(number, at: now) { $0.receive(event, at: now) }
    }
  }

  /// The rest of the body is left out, and nobody waits for it.
  func truncate() {
    call.emit { machine, now in
      machine.receive(number, at: now) { $0.truncate(at: now) }
    }
    abandon()
  }

  /// Nobody waits for it any more.
  func abandon() {
    call.abandon(hop: number)
  }
}

/// Those who watch a client; a call takes along those that there are when it is made.
final class EventSinkList: Sendable {
  let sinks: [any EventSink]
  /// How many bytes a body may have for the most curious of them; 0 is for none.
  let bodyLimit: Int

  /// Adds one to those that there are.
  convenience init(_ others: EventSinkList?, adding sink: any EventSink) {
    self.init((others?.sinks ?? []) + [sink])
  }

  private init(_ sinks: [any EventSink]) {
    self.sinks = sinks
    bodyLimit = sinks.map(\.bodyLimit).max() ?? 0
  }

  /// All but one; nil when that leaves nobody.
  func removing(_ sink: any EventSink) -> EventSinkList? {
    let rest = sinks.filter { $0 !== sink }
    return rest.isEmpty ? nil : EventSinkList(rest)
  }
}

/// Takes the events of a client's calls, for somebody who watches.
protocol EventSink: AnyObject, Sendable {
  /// How many bytes a body may have to be handed over with its event; 0 is for none.
  var bodyLimit: Int { get }

  /// Keeps an event.
  ///
  /// It is called under the lock of the event's call, so that the events of that come in order; so it runs
  /// nobody's code, and waits for nothing.
  ///
  /// - Parameters:
  ///   - event: what happened.
  ///   - body: what was sent or received, with ``NetworkEvent/Kind/sending(headers:bodySize:)`` and
  ///     ``NetworkEvent/Kind/body(bytes:)``, where somebody wants bodies and it is small enough.
  func take(_ event: NetworkEvent, _ body: Data?)

  /// Sees to it that what has been kept is handed over.
  func deliver()
}
