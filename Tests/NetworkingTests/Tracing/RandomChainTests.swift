import Foundation
import Mocking
import Networking
import NetworkingTracing
import Promises
import TestGate
import Testing

/// Traces of random graphs of mocked calls, which run in virtual time, against a simulation.
@Suite(.gated)
struct RandomChainTests {
  @Test(arguments: 0..<20)
  func randomGraphsHaveTheTraceOfAReference(_ part: Int) async {
    for seed in part * 100..<(part + 1) * 100 {
      var random = RandomTrace(seed: UInt64(seed) &* 7_919 &+ 17)
      var count = 0
      let chain = RandomChain(.random(in: 2...16, using: &random), &count, &random)
      let limit = Int.random(in: 1...5, using: &random)
      let record = await TracedChain.record { traced in
        let calls = chain.calls
        let client = traced.client(limit == 5 ? .async : .limited(limit)) { path, _ in
          guard let call = calls[Int(path.dropFirst(2)) ?? 0] else { return nil }
          return (call.fails ? Mock.failure(.connectionLost) : .text("ok")).delayed(by: call.0)
        }
        try await traced.trace.run { chain.start(client) }.value
      }
      let reference = ChainSimulation(chain, limit: limit == 5 ? .max : limit)
      #expect(record.path == reference.path, "seed \(seed)")
      #expect(record.lines == reference.lines, "seed \(seed)")
      #expect(record.isComplete, "seed \(seed)")
      #expect(record.elapsed == reference.last?.end, "seed \(seed)")
    }
  }
}

extension TraceRecord {
  private func span(_ id: Int?) -> TraceSpan? { id.flatMap { id in spans.first { $0.id == id } } }

  fileprivate var path: [String] {
    criticalPath.steps.map { step in
      "\(span(step.span)?.name ?? "-") \(step.segment.kind.rawValue) \(step.segment.duration.digits)"
    }
  }

  /// Returns the name of the call or timer that a cause stands for.
  private func origin(_ cause: TraceSpan.Cause) -> String {
    var cause = cause
    while true {
      switch cause {
      case .beginning: return "start"
      case .unknown: return "unknown"
      case .span(let id):
        guard let next = span(id) else { return "missing" }
        if case .handler = next.kind { cause = next.cause } else { return next.name }
      }
    }
  }

  fileprivate var lines: [String] {
    spans.compactMap { span -> String? in
      guard case .call = span.kind else { return nil }
      var line =
        "\(span.name) <\(origin(span.cause)) \(span.start.digits)-\(span.end?.digits ?? "")"
      if let queue = span.parts.first, queue.kind == .queue {
        line += " queue -\(queue.end.digits)"
        // Several calls may end at that time: the winner of a race, and the others that it cancels.
        if queue.end < span.end ?? elapsed {
          line += self.span(queue.heldBy)?.end == queue.end ? " held" : " not held"
        }
      }
      return line + (span.outcome == .cancelled ? " cancelled" : "")
    }.sorted()
  }
}
