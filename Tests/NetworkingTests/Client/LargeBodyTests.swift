#if os(Linux) || os(macOS)
  import Foundation
  import TestGate
  import TestSupport
  import Testing
  import ThreadSanitizerSupport

  /// Large bodies, each in a separate process so that its memory use can be measured.
  @Suite(.serialized, .gated)
  struct LargeBodyTests {
    private static let size = 100 << 20
    /// The allowed growth of the peak resident memory, in KiB.
    ///
    /// A transfer has about 1 MiB of a body in memory. The rest is memory that the allocator has not reused
    /// yet, which depends on the threads that happen to run. Sanitized code needs more.
    private static let allowedGrowth = thread_sanitizer_is_on() ? 64 << 10 : 32 << 10

    private let folder = TemporaryFolder()

    private func server() throws -> ScriptedServer {
      try ScriptedServer(keepsBodies: false) { request in
        switch request.method {
        case "HEAD": [.text("HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\n\r\n")]
        case "GET":
          [
            .text("HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\n\r\n"), .flood(Self.size),
          ]
        default: [.respond()]
        }
      }
    }

    /// Runs the program, optionally with shell limits.
    private func run(_ arguments: [String], limits: String = "") async throws -> ChildProcess.End {
      try await ChildProcess(
        "/bin/sh",
        ["-c", "\(limits) exec \"$0\" large-bodies \"$@\"", BuiltProgram.url("test-worker").path]
          + arguments
      ).end
    }

    @Test(arguments: ["down-file", "down-stream", "up-file", "up-stream"])
    func aBodyOf100MebibytesTakesLittleMemory(way: String) async throws {
      let server = try server()
      let file = folder.url("body")
      if way == "up-file" {
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(Self.size))
        try handle.close()
      }
      let last = way == "up-stream" ? "\(Self.size)" : file.path
      let end = try await run([way, server.url().absoluteString, last])
      #expect(end.status == .exited(0), "\(end.output)\(end.errors)")
      let numbers = end.output.split(whereSeparator: \.isWhitespace)
      try #require(numbers.count == 3, "\(end.output)")
      #expect(numbers[0] == "\(Self.size)")
      let growth = try #require(Int(numbers[1]))
      #expect(growth < Self.allowedGrowth)
      if way.hasPrefix("up") {
        #expect(server.requests.entries.last?.bodyCount == Self.size)
      }
      if way == "down-file" {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.size] as? Int == Self.size)
      }
    }

    @Test func aFullDiskEndsTheTransferWithAnErrorAndLeavesNoFile() async throws {
      let server = try server()
      let end = try await run(
        ["down-file", server.url().absoluteString, folder.url("body").path],
        limits: "trap '' XFSZ; ulimit -f 2048;")
      #expect(end.status == .exited(1))
      #expect(end.output.contains("the file for the body cannot be written: File too large"))
      #expect(folder.names == [])
    }
  }
#endif
