import Foundation
import TestGate
import Testing

@testable import Networking

/// The state machines of hops, calls, and event queues, without I/O.
@Suite(.gated)
struct EventMachineTests {
  private func event(_ number: Int) -> NetworkEvent {
    NetworkEvent(.requestSent(bytes: Int64(number)))
  }

  private func bytes(_ event: NetworkEvent?) -> Int64? {
    if case .requestSent(let bytes)? = event?.kind { bytes } else { nil }
  }

  private let request = NetworkEvent.Context.RequestSource.summary(
    .init(method: .get, url: "https://a.example/"))

  /// Begins a hop and returns its number and the event.
  private func begin(
    _ machine: inout CallEventMachine, headers: HTTPHeaders = [:], at now: Duration = .zero
  ) -> (number: Int, events: [NetworkEvent]) {
    var events: [NetworkEvent] = []
    let number = machine.begin(
      request, headers: headers, bodySize: 0, body: nil, attempt: 1, hop: 1, at: now
    ) { event, _ in events.append(event) }
    return (number, events)
  }

  /// Returns the events of a call that the closure adds.
  private func added(
    _ change: (_ receive: CallEventMachine.Receiver) -> Void
  ) -> [NetworkEvent] {
    var events: [NetworkEvent] = []
    change { event, _ in events.append(event) }
    return events
  }

  /// The thread of the transport only stores the fields.
  ///
  /// Receivers of events mask them.
  @Test func fieldsAreMaskedWhenAnEventIsDelivered() {
    var machine = CallEventMachine(.init(), callStart: Date())
    let fields: HTTPHeaders = ["X-Api-Key": "s3cret"]
    var events = begin(&machine, headers: fields).events
    #expect(events.map(\.kind) == [.sending(headers: fields, bodySize: 0)])
    events[0].redact()
    #expect(events.map(\.kind) == [.sending(headers: ["X-Api-Key": "***"], bodySize: 0)])
  }

  @Test func aRequestThatNobodyHasReadIsMaskedInAMirror() {
    var machine = CallEventMachine(.init(), callStart: Date())
    machine.use(.init(Request(.get, "boards?token=s3cret")))
    for event in added({ machine.add(.queued, at: .zero, $0) }) {
      var text = ""
      dump(event, to: &text)
      #expect(text.contains("boards?token=***") && !text.contains("s3cret"))
    }
  }

  @Test func theEventsOfAHopAreEqualToCopiesWithItsProperties() {
    var machine = CallEventMachine(.init(), callStart: .distantPast)
    let event = begin(&machine, at: .seconds(2)).events[0]
    let summary = NetworkError.RequestSummary(method: .get, url: "https://a.example/")
    func copy(hop: Int) -> NetworkEvent {
      var copy = NetworkEvent(
        event.kind, call: event.call, request: summary, attempt: 1, hop: hop,
        elapsed: .seconds(2), callStart: .distantPast)
      copy.redact()
      return copy
    }
    var redacted = event
    redacted.redact()
    #expect(redacted == copy(hop: 1) && redacted.hashValue == copy(hop: 1).hashValue)
    #expect(redacted != copy(hop: 2))
  }

  // MARK: Hops

  /// Returns the times and kinds of the events that a hop adds for an event of the transport.
  private func texts(
    _ hop: inout HopEventMachine, _ event: TransportEvent?, at now: Duration = .zero
  ) -> [String] {
    var texts: [String] = []
    hop.receive(event, at: now) { kind, time, _ in texts.append("\(time / .seconds(1)) \(kind)") }
    return texts
  }

  private let measured = TransportMetrics(
    nameResolved: .seconds(1), connected: .seconds(2), secured: .seconds(3),
    remoteAddress: "2001:db8::1", remotePort: 443)

  @Test func phasesHaveSeparateTimes() {
    var hop = HopEventMachine(bodySize: 0, began: .seconds(10))
    #expect(
      texts(&hop, .connected(measured), at: .seconds(20)) == [
        "11.0 resolved", "12.0 connected to [2001:db8::1]:443", "13.0 secured", "20.0 request sent",
      ])
    #expect(
      texts(&hop, .head(.init(status: 204)), at: .seconds(21)) == ["21.0 head 204"])
    #expect(texts(&hop, .end(.init()), at: .seconds(22)) == ["22.0 body of 0 bytes"])
  }

  @Test func aFailureReportsPendingPhases() {
    var hop = HopEventMachine(bodySize: 0, began: .zero)
    let failure = TransportFailure(code: .tlsUntrusted, metrics: measured)
    #expect(texts(&hop, .failure(failure), at: .seconds(9)).count == 3)
    hop = HopEventMachine(bodySize: 0, began: .zero)
    _ = texts(&hop, .connected(measured), at: .seconds(3))
    #expect(texts(&hop, .failure(failure), at: .seconds(9)).isEmpty)
  }

  @Test func theRequestIsSentWhenItsBodyIsComplete() {
    var hop = HopEventMachine(bodySize: 10, began: .zero)
    #expect(texts(&hop, .connected(.init(reusedConnection: true))).count == 1)
    #expect(texts(&hop, .sent(bytes: 5, total: 10)).isEmpty)
    #expect(
      texts(&hop, .sent(bytes: 10, total: 10), at: .seconds(1)) == [
        "1.0 request sent, 10 bytes"
      ])
    #expect(texts(&hop, .head(.init(status: 200)), at: .seconds(2)) == ["2.0 head 200"])
  }

  @Test func anEarlyResponseReportsTheBytesSent() {
    var hop = HopEventMachine(bodySize: 10, began: .zero)
    _ = texts(&hop, .sent(bytes: 5, total: 10))
    #expect(
      texts(&hop, .head(.init(status: 413)), at: .seconds(2)) == [
        "2.0 request sent, 5 bytes", "2.0 head 413",
      ])
    #expect(texts(&hop, .sent(bytes: 10, total: 10), at: .seconds(3)).isEmpty)
  }

  @Test(arguments: [true, false])
  func progressIsReportedInSteps(_ isTotalKnown: Bool) {
    var hop = HopEventMachine(bodySize: 0, began: .zero)
    let total = 1 << 30
    let headers: HTTPHeaders = isTotalKnown ? ["Content-Length": "\(total)"] : [:]
    _ = texts(&hop, .head(.init(status: 200, headers: headers)))
    let piece = Data(count: 16 << 10)
    var count = 0
    for _ in 0..<(total / piece.count) {
      count += texts(&hop, .body(piece)).count
    }
    #expect(isTotalKnown ? (90...100).contains(count) : (100...1_000).contains(count))
  }

  @Test func aBodyWithinTheLimitIsAddedWithItsEnd() {
    for (limit, expected) in [(5, "hello"), (4, nil), (0, nil)] as [(Int, String?)] {
      var hop = HopEventMachine(bodySize: 0, began: .zero, bodyLimit: limit)
      _ = texts(&hop, .head(.init(status: 200)))
      for part in ["hel", "lo"] { _ = texts(&hop, .body(Data(part.utf8))) }
      var bodies: [Data?] = []
      hop.receive(.end(.init()), at: .zero) { _, _, body in bodies.append(body) }
      #expect(bodies == [expected.map { Data($0.utf8) }])
    }
  }

  // MARK: Calls

  @Test func noEventFollowsTheEnd() {
    var call = CallEventMachine(.init(), callStart: Date())
    #expect(added { call.add(.queued, at: .zero, $0) }.count == 1)
    #expect(added { call.add(.cancelled, at: .zero, $0) }.count == 1)
    #expect(added { call.add(.started, at: .zero, $0) }.isEmpty)
    #expect(added { call.add(.cancelled, at: .zero, $0) }.isEmpty)
    #expect(begin(&call).events.isEmpty)
    #expect(added { call.servedLocally(by: "a", since: 0, at: .zero, $0) }.isEmpty)
    #expect(call.finalEvent?.kind == .cancelled)
  }

  @Test func aFinishedHopHasNoMoreEvents() {
    var call = CallEventMachine(.init(), callStart: Date())
    func isReported(_ hop: Int) -> Bool {
      !added { call.receive(.head(.init(status: 200)), ofHop: hop, at: .zero, $0) }.isEmpty
    }
    let first = begin(&call).number
    #expect(isReported(first))
    let second = begin(&call).number
    #expect(!isReported(first) && isReported(second))
    call.abandon(first)
    #expect(isReported(second))
    call.abandon(second)
    #expect(!isReported(second))
    let third = begin(&call).number
    _ = added { call.add(.redirected(to: "/"), at: .zero, $0) }
    #expect(!isReported(third))
    let fourth = begin(&call).number
    #expect(isReported(fourth))
    #expect(added { call.receive(nil, ofHop: fourth, at: .zero, $0) }.count == 1)
    #expect(!isReported(fourth))
  }

  @Test func timesAreMonotonicAndNeverInTheFuture() {
    var call = CallEventMachine(.init(), callStart: Date())
    let hop = begin(&call, at: .milliseconds(1_500)).number
    let events = added {
      call.receive(.connected(measured), ofHop: hop, at: .seconds(3), $0)
    }
    #expect(events.map { $0.elapsed / .seconds(1) } == [2.5, 3, 3, 3])
    #expect(added { call.add(.started, at: .seconds(2), $0) }.first?.elapsed == .seconds(3))
  }

  // MARK: Queues

  private func entry(_ kind: NetworkEvent.Kind = .queued) -> EventQueue.Entry {
    EventQueue.Entry(event: NetworkEvent(kind))
  }

  @Test func aReceiverIsWokenOnceForTheEventsOfADelay() {
    var queue = EventQueueMachine<Int>(delay: .milliseconds(5))
    #expect(queue.wake(at: .zero) == nil)
    #expect(queue.add(entry()) == true)
    #expect(queue.wake(at: .zero) == .waiting)
    for _ in 0..<999 { #expect(queue.add(entry()) == false) }
    #expect(queue.wake(at: .zero) == nil)
    #expect(queue.wakeAfterDelay() == true && queue.wakeAfterDelay() == false)
    #expect(queue.add(entry()) == false)
    #expect(queue.begin(at: .milliseconds(6)).count == 1_001 && queue.count == 0)
    // Events during the turn wait for another one.
    #expect(queue.add(entry()) == true)
    #expect(queue.wake(at: .milliseconds(6)) == .waiting)
  }

  @Test func theEndOfACallIsDeliveredAtOnceUnlessADeliveryWasRecent() {
    var queue = EventQueueMachine<Int>(delay: .milliseconds(5))
    _ = queue.add(entry())
    #expect(queue.wake(at: .zero) == .waiting)
    #expect(queue.add(entry(.cancelled)) == true)
    #expect(queue.wake(at: .milliseconds(1)) == .due)
    #expect(queue.wake(at: .milliseconds(1)) == nil && queue.wakeAfterDelay() == false)
    #expect(queue.begin(at: .milliseconds(1)).count == 2)
    #expect(queue.add(entry(.cancelled)) == true)
    #expect(queue.wake(at: .milliseconds(5)) == .waiting)
    #expect(queue.add(entry(.cancelled)) == true)
    #expect(queue.wake(at: .milliseconds(6)) == .due)
  }

  @Test func withoutADelayEachEventWakesAnIdleReceiver() {
    var queue = EventQueueMachine<Int>(delay: .zero)
    for _ in 0..<3 {
      #expect(queue.add(entry()) == true)
      #expect(queue.wake(at: .zero) == .due)
      #expect(queue.add(entry()) == false)
      #expect(queue.begin(at: .zero).count == 2)
    }
  }

  @Test func aClosedQueueTakesNoEvents() {
    var queue = EventQueueMachine<Int>(delay: .milliseconds(5))
    _ = queue.add(entry())
    #expect(queue.wake(at: .zero) != nil)
    queue.close()
    #expect(queue.wakeAfterDelay() == false && queue.count == 0)
    #expect(queue.add(entry()) == false && queue.count == 0 && queue.wake(at: .seconds(1)) == nil)
    #expect(queue.begin(at: .seconds(1)).count == 0)
  }

  @Test func aFullQueueKeepsTheNewestEvents() {
    var queue = EventQueueMachine<Int>(limit: 3, delay: .zero)
    // No reader waits that could be woken.
    for number in 0..<1_000 { #expect(queue.add(.init(event: event(number))) == false) }
    #expect(queue.dropped == 997 && queue.count == 3)
    for id in 0..<4 { queue.wait(UInt64(id), id) }
    for number in 0..<3 {
      let read = queue.nextPendingRead()
      #expect(read?.reader == number && bytes(read?.event) == Int64(997 + number))
    }
    #expect(queue.nextPendingRead()?.reader == nil)
    #expect(queue.add(entry()) == true && queue.begin(at: .zero).count == 0 && queue.count == 1)
    #expect(queue.nextPendingRead()?.event?.kind == .queued)
    queue.wait(4, 4)
    queue.finish()
    let last = queue.nextPendingRead()
    #expect(last?.reader == 4 && last?.event == nil)
    #expect(queue.nextPendingRead()?.reader == nil)
  }

  @Test func aCancelledReaderIsNotResumed() {
    var queue = EventQueueMachine<String>(limit: 0, delay: .zero)
    queue.wait(1, "a")
    queue.wait(2, "b")
    #expect(queue.cancelRead(1) == "a" && queue.cancelRead(1) == nil)
    _ = queue.add(entry())
    #expect(queue.nextPendingRead()?.reader == "b")
    _ = queue.add(entry())
    _ = queue.add(entry())
    #expect(queue.count == 1 && queue.dropped == 1)
  }
}
