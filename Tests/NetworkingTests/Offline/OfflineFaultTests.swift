#if os(Linux)
  import Foundation
  import TestGate
  import TestSupport
  import Testing

  /// System calls of the store that fail at every point.
  ///
  /// The worker `offline-faults` replaces 16 calls of the C library. Each of their uses fails with EIO, or
  /// transfers too few bytes, once and for ever. The step `offline_faults` of CI adds other errors.
  @Suite(.gated)
  struct OfflineFaultTests {
    private static let names = [
      "open", "close", "read", "write", "pread", "pwrite", "fsync", "flock", "fstat", "lstat",
      "stat", "mkdir", "rename", "remove", "opendir", "readdir",
    ]

    @Test(arguments: names.indices)
    func anAcceptedRequestIsDeliveredWhicheverCallFails(_ call: Int) async throws {
      // On a disk, `fsync` would take most of the time.
      let temporary = TemporaryFolder(in: TemporaryFolder.memory)
      let program = try ChildProcess(
        worker: "offline-faults", [temporary.url.path, "\(call)"])
      let end = await program.end
      #expect(end.status == .exited(0), "\(end.errors)")
      let violations = end.lines.filter { !$0.hasPrefix("done ") }
      #expect(violations.isEmpty, "\(Self.names[call]): \(violations.prefix(10))")
      // Each call is used: it fails in at least one story once, and in one for ever, and each series ends
      // with a story without a failure.
      let stories = end.lines.last?.split(separator: " ").last.flatMap { Int($0) } ?? 0
      #expect(stories >= 4, "\(Self.names[call]) failed in \(stories) stories")
    }
  }
#endif
