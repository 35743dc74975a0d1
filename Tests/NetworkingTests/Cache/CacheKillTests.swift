#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// Processes that store responses are killed, or their system calls fail.
  ///
  /// A later process never receives a wrong or mixed body.
  @Suite(.gated, .serialized)
  struct CacheKillTests {
    private let folder = TemporaryFolder(in: TemporaryFolder.memory)

    private func work(_ arguments: String...) async throws -> ChildProcess.End {
      try await ChildProcess(worker: "cache-worker", [folder.url.path] + arguments).end
    }

    /// The environment variable `CACHE_KILLS` sets the number of kills.
    @Test func noBodyIsWrongAfterManyKills() async throws {
      let number = ProcessInfo.processInfo.environment["CACHE_KILLS"].flatMap { Int($0) }
      var chance = SeededGenerator(seed: 17)
      var (round, killed) = (0, 0)
      while killed < number ?? TestSize.of(10, full: 20) {
        round += 1
        let step = Int.random(in: 1...90, using: &chance)
        let end = try await work("store", "\(round)", "12", "\(step)")
        #expect(!end.output.contains("wrong"), "\(end.output)")
        if end.status == .signalled(SIGKILL) {
          killed += 1
        } else {
          #expect(end.status == .exited(0))
        }
      }
      let end = try await work("check", "0", "12", "0")
      #expect(
        end.status == .exited(0) && end.output.contains("done") && !end.output.contains("wrong"))
    }

    @Test func twoProcessesShareAStore() async throws {
      async let one = work("store", "1", "60", "0")
      async let other = work("store", "2", "60", "0")
      for end in try await [one, other] {
        #expect(end.status == .exited(0) && !end.output.contains("wrong"), "\(end.output)")
      }
      let end = try await work("check", "0", "60", "0")
      // Both have stored all of them, so each is there.
      #expect(end.output.contains("found 60"), "\(end.output)")
    }

    #if os(Linux)
      @Test(arguments: 0..<16)
      func everyFailureOfASystemCallOnlyLosesResponses(call: Int) async throws {
        let end = try await work("fault", "\(call)", "\(TestSize.of(0, full: 1))", "0")
        #expect(end.status == .exited(0) && end.output.hasSuffix("done\n"), "\(end.output)")
        #expect(!end.output.contains("wrong"), "\(end.output)")
      }
    #endif
  }
#endif
