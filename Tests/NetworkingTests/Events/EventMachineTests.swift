import Foundation
import TestGate
import Testing

@testable import Networking

/// The state machines of hops, calls, and event buffers, without I/O.
@Suite(.gated)
struct EventMachineTests {
  private func event(_ number: Int) -> NetworkEvent {
    NetworkEvent(.requestSent(bytes: Int64(number)))
  }

  private func bytes(_ event: NetworkEvent?) -> Int64? {
    if case .requestSent(let bytes)? = event?.kind { bytes } else { nil }
  }

  /// The thread of the transport only stores the fields.
  ///
  /// Receivers of events mask them.
  @Test func fieldsAreMaskedWhenAnEventIsDelivered() {
    var machine = CallEventMachine(.init(), callStart: Date())
    let summary = NetworkError.RequestSummary(method: .get, url: "https://a.example/")
    let fields: HTTPHeaders = ["X-Api-Key": "s3cret"]
    let events = machine.begin(
      summary, headers: fields, bodySize: 0, attempt: 1, hop: 1, at: .zero
    ).events
    #expect(events.map(\.kind) == [.sending(headers: fields, bodySize: 0)])
    #expect(
      events.map { $0.redacted().kind } == [.sending(headers: ["X-Api-Key": "***"], bodySize: 0)])
  }

  // MARK: Hops

  private func texts(_ events: [HopEventMachine.TimedEventKind]) -> [String] {
    events.map { "\($0.time / .seconds(1)) \($0.kind)" }
  }

  private let measured = TransportMetrics(
    nameResolved: .seconds(1), connected: .seconds(2), secured: .seconds(3),
    remoteAddress: "2001:db8::1", remotePort: 443)

  @Test func phasesHaveSeparateTimes() {
    var hop = HopEventMachine(bodySize: 0, began: .seconds(10))
    #expect(
      texts(hop.receive(.connected(measured), at: .seconds(20))) == [
        "11.0 resolved", "12.0 connected to [2001:db8::1]:443", "13.0 secured", "20.0 request sent",
      ])
    #expect(
      texts(hop.receive(.head(.init(status: 204)), at: .seconds(21))) == ["21.0 head 204"])
    #expect(texts(hop.receive(.end(.init()), at: .seconds(22))) == ["22.0 body of 0 bytes"])
  }

  @Test func aFailureReportsPendingPhases() {
    var hop = HopEventMachine(bodySize: 0, began: .zero)
    let failure = TransportFailure(code: .tlsUntrusted, metrics: measured)
    #expect(texts(hop.receive(.failure(failure), at: .seconds(9))).count == 3)
    hop = HopEventMachine(bodySize: 0, began: .zero)
    _ = hop.receive(.connected(measured), at: .seconds(3))
    #expect(hop.receive(.failure(failure), at: .seconds(9)).isEmpty)
  }

  @Test func theRequestIsSentWhenItsBodyIsComplete() {
    var hop = HopEventMachine(bodySize: 10, began: .zero)
    #expect(texts(hop.receive(.connected(.init(reusedConnection: true)), at: .zero)).count == 1)
    #expect(hop.receive(.sent(bytes: 5, total: 10), at: .zero).isEmpty)
    #expect(
      texts(hop.receive(.sent(bytes: 10, total: 10), at: .seconds(1))) == [
        "1.0 request sent, 10 bytes"
      ])
    #expect(texts(hop.receive(.head(.init(status: 200)), at: .seconds(2))) == ["2.0 head 200"])
  }

  @Test func anEarlyResponseReportsTheBytesSent() {
    var hop = HopEventMachine(bodySize: 10, began: .zero)
    _ = hop.receive(.sent(bytes: 5, total: 10), at: .zero)
    #expect(
      texts(hop.receive(.head(.init(status: 413)), at: .seconds(2))) == [
        "2.0 request sent, 5 bytes", "2.0 head 413",
      ])
    #expect(hop.receive(.sent(bytes: 10, total: 10), at: .seconds(3)).isEmpty)
  }

  @Test(arguments: [true, false])
  func progressIsReportedInSteps(_ isTotalKnown: Bool) {
    var hop = HopEventMachine(bodySize: 0, began: .zero)
    let total = 1 << 30
    let headers: HTTPHeaders = isTotalKnown ? ["Content-Length": "\(total)"] : [:]
    _ = hop.receive(.head(.init(status: 200, headers: headers)), at: .zero)
    let piece = Data(count: 16 << 10)
    var count = 0
    for _ in 0..<(total / piece.count) {
      count += hop.receive(.body(piece), at: .zero).count
    }
    #expect(isTotalKnown ? (90...100).contains(count) : (100...1_000).contains(count))
  }

  // MARK: Calls

  @Test func noEventFollowsTheEnd() {
    var call = CallEventMachine(.init(), callStart: Date())
    let request = NetworkError.RequestSummary(method: .get, url: "/")
    #expect(call.queue(request, at: .zero).count == 1)
    #expect(call.end(.cancelled, at: .zero).count == 1)
    #expect(call.add(.started, at: .zero).isEmpty)
    #expect(call.end(.cancelled, at: .zero).isEmpty)
    let begun = call.begin(request, headers: [:], bodySize: 0, attempt: 1, hop: 1, at: .zero)
    #expect(begun.events.isEmpty)
    #expect(call.servedLocally(by: "a", since: 0, at: .zero).isEmpty)
  }

  @Test func aFinishedHopHasNoMoreEvents() {
    var call = CallEventMachine(.init(), callStart: Date())
    let request = NetworkError.RequestSummary(method: .get, url: "/")
    func begin() -> Int {
      call.begin(request, headers: [:], bodySize: 0, attempt: 1, hop: 1, at: .zero).number
    }
    func isReported(_ hop: Int) -> Bool {
      !call.receive(hop, at: .zero) { $0.receive(.head(.init(status: 200)), at: .zero) }.isEmpty
    }
    let first = begin()
    #expect(isReported(first))
    let second = begin()
    #expect(!isReported(first) && isReported(second))
    call.abandon(first)
    #expect(isReported(second))
    call.abandon(second)
    #expect(!isReported(second))
    let third = begin()
    _ = call.add(.redirected(to: "/"), at: .zero)
    #expect(!isReported(third))
  }

  @Test func timesAreMonotonicAndNeverInTheFuture() {
    var call = CallEventMachine(.init(), callStart: Date())
    let request = NetworkError.RequestSummary(method: .get, url: "/")
    let hop = call.begin(
      request, headers: [:], bodySize: 0, attempt: 1, hop: 1, at: .milliseconds(1_500)
    ).number
    let events = call.receive(hop, at: .seconds(3)) {
      $0.receive(.connected(measured), at: .seconds(3))
    }
    #expect(events.map { $0.elapsed / .seconds(1) } == [2.5, 3, 3, 3])
    #expect(call.add(.started, at: .seconds(2)).first?.elapsed == .seconds(3))
  }

  // MARK: Buffers

  @Test func aFullBufferKeepsTheNewestEvents() {
    var buffer = EventBufferMachine<Int>(limit: 3)
    for number in 0..<1_000 { buffer.add(event(number)) }
    #expect(buffer.dropped == 997 && buffer.count == 3)
    for id in 0..<4 { buffer.wait(UInt64(id), id) }
    for number in 0..<3 {
      let read = buffer.nextPendingRead()
      #expect(read?.reader == number && bytes(read?.event) == Int64(997 + number))
    }
    #expect(buffer.nextPendingRead()?.reader == nil)
    buffer.finish()
    #expect(buffer.nextPendingRead()?.reader == 3)
    #expect(buffer.nextPendingRead()?.reader == nil)
  }

  @Test func aCancelledReaderIsNotResumed() {
    var buffer = EventBufferMachine<String>(limit: 0)
    buffer.wait(1, "a")
    buffer.wait(2, "b")
    #expect(buffer.cancelRead(1) == "a" && buffer.cancelRead(1) == nil)
    buffer.add(event(1))
    #expect(buffer.nextPendingRead()?.reader == "b")
    buffer.add(event(2))
    buffer.add(event(3))
    #expect(buffer.count == 1 && buffer.dropped == 1)
  }
}
