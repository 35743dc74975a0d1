#if os(Linux) || os(macOS)
  import Foundation
  import TestGate
  import TestSupport
  import Testing

  /// Clients that are suspended while requests, refreshes and transfers are in flight.
  @Suite(.gated)
  struct SuspensionTests {
    /// The step `suspensions` of the checks has 10,000 suspensions, some of them longer than the idle timeout.
    @Test func noAnswerIsLostAndNothingIsSentTwice() async throws {
      let end = try await ChildProcess(worker: "suspensions", ["200", "0", "60000"]).end
      #expect(end.status == .exited(0), "\(end.output)\(end.errors)")
      #expect(end.lines.last?.hasPrefix("200 suspensions, ") == true)
    }
  }
#endif
