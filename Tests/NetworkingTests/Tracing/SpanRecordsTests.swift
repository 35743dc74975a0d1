import Foundation
import Networking
import TestGate
import Testing

@testable import NetworkingTracing
@testable import Promises

/// Records of steps at set times.
@Suite(.gated)
struct SpanRecordsTests {
  private let site = CallSite("App/Board.swift", 12, .then)

  private func records(limit: Int = 100) -> SpanRecords {
    var records = SpanRecords(limit: limit)
    records.begin(at: .ms(1_000), date: Date(timeIntervalSince1970: 0))
    return records
  }

  private func text(_ records: SpanRecords, at now: Int) -> String {
    records.record(name: "trace", id: TraceID(), SpanID(), parent: nil, at: .ms(1_000 + now)).text
  }

  private func add(
    _ kind: SpanRecords.Kind, after cause: Int?, at now: Int, to records: inout SpanRecords
  ) -> Int {
    records.add(kind, after: cause, joining: [], in: 0, at: .ms(1_000 + now)) ?? 0
  }

  @Test(arguments: [
    (ExecutionContext.main, "main thread"), (.background, "background thread"),
    (.queue(DispatchQueue(label: "parsing")), "actor parsing"),
  ])
  func aHandlerWaitsForItsContext(_ context: ExecutionContext, _ words: String) {
    var records = records()
    let step = add(.handler(site, HandlerPlace(context)), after: 0, at: 20, to: &records)
    records.start(step, at: .ms(1_035), isOnMainThread: false)
    records.end(step, at: .ms(1_037))
    records.finish(.finished, after: step, at: .ms(1_037))
    #expect(
      text(records, at: 50) == """
        1 then <start 20-37: \(words) 20-35
        37 <1 = - code 20, 1 \(words) 15, 1 code 2
        """)
  }

  @Test func aDecodingWaitsForItsContextToo() {
    var records = records()
    let site = CallSite("App/Board.swift", 13, .decode)
    let step = add(.handler(site, HandlerPlace(.main)), after: 0, at: 0, to: &records)
    records.start(step, at: .ms(1_004), isOnMainThread: true)
    records.end(step, at: .ms(1_009))
    records.finish(.finished, after: step, at: .ms(1_009))
    let record = records.record(name: "trace", id: TraceID(), SpanID(), parent: nil, at: .ms(1_010))
    #expect(record.spans[0].kind == .decoding && record.spans[0].site == "App/Board.swift:13")
    #expect(record.criticalPath.steps.map(\.segment.kind) == [.mainThread, .decode])
  }

  @Test func aHandlerThatWaitsStillIsRunning() {
    var records = records()
    _ = add(.handler(site, HandlerPlace(.main)), after: 0, at: 20, to: &records)
    #expect(
      text(records, at: 30)
        == "1 then running <start 20-\n30 running <- = - code 20, 1 main thread 10")
  }

  @Test func aTaskContinuesWithTheStepOfItsLastAwait() {
    var records = records()
    let first = add(.handler(nil, nil), after: 0, at: 10, to: &records)
    records.start(first, at: .ms(1_012), isOnMainThread: false)
    records.resume(7, in: 0, with: first)
    #expect(records.step(of: 7, in: 0, at: .ms(1_012)) == first)
    records.suspend(7, in: 0, at: .ms(1_015))
    #expect(records.step(of: 7, in: 0, at: .ms(1_015)) == 0)
    let second = add(.handler(nil, nil), after: first, at: 30, to: &records)
    records.resume(7, in: 0, with: second)
    #expect(records.step(of: 7, in: 0, at: .ms(1_030)) == second)
  }

  @Test func aParentContinuesWithTheStepOfItsChild() {
    var records = records()
    let child = add(.handler(nil, nil), after: 0, at: 10, to: &records)
    records.resume(8, in: 0, with: child)
    #expect(records.step(of: 7, in: 0, at: .ms(1_010)) == child)
    // Its own step is old, and the child has continued later.
    let own = add(.handler(nil, nil), after: 0, at: 20, to: &records)
    records.resume(7, in: 0, with: own)
    let last = add(.handler(nil, nil), after: child, at: 40, to: &records)
    records.resume(8, in: 0, with: last)
    #expect(records.step(of: 7, in: 0, at: .ms(1_020)) == own)
    #expect(records.step(of: 7, in: 0, at: .ms(1_040)) == last)
  }

  @Test func nothingChangesAfterTheEnd() {
    var records = records()
    _ = add(.call(NetworkEvent.CallID(), .async), after: 0, at: 0, to: &records)
    let handler = add(.handler(site, .background), after: 0, at: 5, to: &records)
    records.start(handler, at: .ms(1_005), isOnMainThread: false)
    records.finish(.finished, after: handler, at: .ms(1_010))
    // The handler that has ended the trace returns.
    records.end(handler, at: .ms(1_020))
    let ended = records.record(name: "trace", id: TraceID(), SpanID(), parent: nil, at: .ms(1_030))
    #expect(ended.spans.map(\.end) == [nil, .ms(10)] && ended.elapsed == .ms(10))
    #expect(add(.timer(site), after: 0, at: 40, to: &records) == 0)
    let later = records.record(
      name: "trace", id: ended.id, ended.spanID, parent: nil, at: .ms(1_050))
    #expect(later == ended)
    records.discard()
    #expect(records.entries.isEmpty)
  }

  @Test func aFullTraceCountsWhatItDrops() {
    var records = records(limit: 1)
    let step = add(.timer(site), after: 0, at: 0, to: &records)
    records.end(step, at: .ms(1_010))
    #expect(add(.timer(site), after: step, at: 10, to: &records) == 0)
    #expect(add(.timer(site), after: step, at: 10, to: &records) == 0)
    records.finish(.finished, after: 0, at: .ms(1_030))
    #expect(
      text(records, at: 30) == "1 timer <start 0-10\n30 dropped 2 <- = 1 timer 10, - unknown 20")
  }
}
