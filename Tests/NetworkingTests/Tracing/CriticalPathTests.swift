import Foundation
import TestGate
import Testing

@testable import NetworkingTracing

/// The critical path of a trace, its shares and its sentence.
@Suite(.gated)
struct CriticalPathTests {
  @Test func theSentenceNamesTheWorkThatFillsNineTenths() {
    #expect(
      TraceSamples.chain.summary
        == "1.84 s: 61 % server, 22 % queue behind .limited(4), 9 % TLS")
  }

  @Test func thePathLeadsFromTheInputThatSettledLast() {
    let path = TraceSamples.chain.criticalPath
    var spans: [Int?] = []
    for step in path.steps where spans.last != step.span { spans.append(step.span) }
    #expect(spans == [1, 2, 4, 5])
    #expect(path.steps.reduce(.zero) { $0 + $1.segment.duration } == .ms(1_840))
  }

  @Test func aCallMadeInAHandlerCutsTheHandler() {
    let steps = TraceSamples.chain.criticalPath.steps.filter { $0.span == 2 }
    #expect(steps.map(\.segment.kind) == [.mainThread, .code])
    #expect(steps.last?.segment.end == .ms(716))
  }

  @Test func percentsSumToAHundred() {
    let parts = [TraceSegment(.dns, 0, 1), TraceSegment(.connect, 1, 2), TraceSegment(.tls, 2, 3)]
    let record = TraceRecord(
      name: "thirds", elapsed: .ms(3), spans: [TraceSamples.call(1, "GET a", 0, 3, parts)])
    #expect(record.criticalPath.shares.map(\.percent) == [34, 33, 33])
    #expect(record.criticalPath.shares.map(\.words) == ["DNS", "TLS", "connect"])
  }

  @Test func timeThatNoSpanCoversIsNamed() {
    let spans = [
      TraceSamples.call(1, "GET a", 10, 20, [TraceSegment(.server, 10, 20)]),
      TraceSamples.call(
        2, "GET b", 30, 40, cause: .unknown(after: 1), [TraceSegment(.server, 30, 40)]),
    ]
    let record = TraceRecord(name: "gaps", elapsed: .ms(50), spans: spans, cause: .span(2))
    let kinds = record.criticalPath.steps.map(\.segment.kind)
    #expect(kinds == [.code, .server, .unknown, .server, .code])
  }

  @Test func causesThatAreNotEarlierAreUnknown() {
    let spans = [
      TraceSamples.call(1, "GET a", 0, 20, cause: .span(2), []),
      TraceSamples.call(2, "GET b", 0, 20, cause: .span(2), []),
    ]
    let record = TraceRecord(name: "cycle", elapsed: .ms(20), spans: spans)
    #expect(record.criticalPath.steps.map(\.span) == [2])
  }

  @Test(arguments: [
    (0, "0 ms"), (999, "1 us"), (990, "0.99 us"), (1_000, "1 us"), (12_340, "12.3 us"),
    (420_000_000, "420 ms"),
    (999_600_000, "1 s"), (1_840_000_000, "1.84 s"), (1_050_000_000, "1.05 s"),
    (83_400_000_000, "83.4 s"), (7_200_000_000_000, "7200 s"),
  ])
  func durationsHaveThreeDigits(_ nanoseconds: Int64, _ text: String) {
    #expect(Duration.nanoseconds(nanoseconds).shortText == text)
  }

  @Test func randomGraphsHaveThePathOfAReference() {
    for seed in 0..<2_000 {
      var graph = RandomTrace(seed: UInt64(seed))
      let record = graph.record()
      let path = record.criticalPath
      var cursor = Duration.zero
      for step in path.steps {
        #expect(step.segment.start == cursor && step.segment.end > cursor, "seed \(seed)")
        cursor = step.segment.end
      }
      #expect(cursor == record.elapsed, "seed \(seed)")
      #expect(RandomTrace.timeline(of: path) == RandomTrace.reference(record), "seed \(seed)")
      if record.elapsed > .zero {
        #expect(path.shares.reduce(0) { $0 + $1.percent } == 100, "seed \(seed)")
      }
      for checked in CheckedTrace(record).spans {
        let sum = checked.segments.reduce(Duration.zero) { $0 + $1.duration }
        #expect(sum == checked.end - checked.start, "seed \(seed)")
      }
    }
  }

  @Test func theWorkIsLinear() {
    func work(_ count: Int) -> Int {
      let spans = (1...count).map { id in
        TraceSamples.call(
          id, "GET \(id)", id, id + 1, cause: id == 1 ? .beginning : .span(id - 1),
          [TraceSegment(.server, id, id + 1)])
      }
      return CheckedTrace(TraceRecord(name: "long", elapsed: .ms(count + 1), spans: spans)).work
    }
    let (small, large) = (work(1_000), work(10_000))
    #expect(small == 4_000 && large == 40_000)
  }
}
