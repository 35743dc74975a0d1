#if os(Linux) || os(macOS)
  import Foundation
  import TestGate
  import TestSupport
  import Testing
  import ThreadSanitizerSupport

  /// Random stories of a client, in virtual time.
  ///
  /// The step `simulation` of CI runs more of them.
  @Suite(.gated)
  struct SimulationTests {
    @Test func randomStoriesKeepTheContract() async throws {
      let count = thread_sanitizer_is_on() ? 100 : 1_000
      let end = try await ChildProcess(worker: "simulation", ["\(count)"]).end
      #expect(end.lines == ["ok: \(count) stories"], "\(end.lines.joined(separator: "\n"))")
      #expect(end.status == .exited(0), "\(end.errors)")
    }

    @Test func theRulesRejectAnAlteredLog() async throws {
      let end = try await ChildProcess(worker: "simulation", ["altered", "50"]).end
      #expect(end.status == .exited(0), "\(end.lines.joined(separator: "\n"))")
      #expect(end.lines.count == 5)
    }
  }
#endif
