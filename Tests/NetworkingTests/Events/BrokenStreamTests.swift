#if os(Linux) || os(macOS)
  import Foundation
  import TestGate
  import TestSupport
  import Testing

  /// Reports of processes whose standard streams are broken.
  @Suite(.gated)
  struct BrokenStreamTests {
    private static let faults: [String] = {
      let faults = [
        "closed", "readOnly", "reused", "withoutReader", "unread", "unreadNonblocking",
      ]
      #if os(Linux)
        return faults + ["full"]
      #else
        return faults
      #endif
    }()

    @Test(
      arguments: faults,
      ["unhandled rejection", "abandoned promise", "late promise", "logger"])
    func aReportDoesNotEndTheProcess(_ fault: String, _ report: String) async throws {
      let folder = TemporaryFolder()
      let file = folder.url("reused")
      let process = try ChildProcess(worker: "broken-streams", [fault, "2", file.path, report])
      let end = await process.end
      #expect(end.status == .exited(0))
      #expect(end.output == "alive\n")
      // The file that has the number of the closed stream is not the stream.
      if fault == "reused" { #expect(try Data(contentsOf: file).isEmpty) }
    }
  }
#endif
