import MockingRecordings

#if os(Linux)
  import Foundation
  import Mocking
  import TestGate
  import TestSupport
  import Testing

  /// The `mock-server` program while nobody receives what it prints.
  @Suite(.gated)
  struct MockServerBrokenOutputTests {
    private let folder = TemporaryFolder()
    private var file: URL { folder.url("boards.json") }

    private static let faults = [
      "closed", "full", "readOnly", "withoutReader", "unread", "unreadNonblocking",
    ]

    /// Starts the program with a broken stream, and serves a file with a warning.
    ///
    /// The start message is on standard output, and the warning after it on standard error.
    private func start(_ fault: String, _ stream: Int, port: UInt16) throws -> ChildProcess {
      try Data(
        #"{"isolation": {"header": "X-Client"}, "routes": [{"path": "/a", "text": "a"}]}"#.utf8
      ).write(to: file)
      return try Program.start(
        "test-worker",
        [
          "broken-streams", fault, "\(stream)", "-", "exec", BuiltProgram.url("mock-server").path,
          file.path, "--port", "\(port)", "--data", folder.url("data.json").path,
        ])
    }

    private func serves(_ url: URL) async {
      for _ in 0..<3 {
        let response = await PlatformTransport.make().get(url.appending(path: "a"))
        #expect(response.head?.status == 200)
      }
    }

    @Test(arguments: faults)
    func withoutStandardOutputRequestsAreServed(_ fault: String) async throws {
      let port = try ReservedPort()
      let program = try start(fault, 1, port: port.port)
      let warning = try #require(await program.errorLines.first(1).first)
      #expect(warning.hasPrefix("mock-server: warning: the file of --data"))
      await serves(LoopbackSocket.url("http", Int(port.port)))
      program.signal(SIGTERM)
      #expect(await program.end.status == .exited(0))
    }

    @Test(arguments: faults)
    func withoutStandardErrorRequestsAreServed(_ fault: String) async throws {
      let program = try start(fault, 2, port: 0)
      let url = try await Program.address(of: program)
      await serves(url)
      program.signal(SIGTERM)
      #expect(await program.end.status == .exited(0))
    }

    private static let printingCommands = [
      ["version"], ["infer", "a.har"], ["endpoints", "a.json"], ["check", "stubs.json", "--json"],
    ]

    /// Runs a command that prints its result on a broken standard output.
    @Test(arguments: printingCommands, ["closed", "full", "readOnly", "withoutReader"])
    func aCommandWhoseOutputIsLostFails(_ command: [String], _ fault: String) async throws {
      for (name, text) in [
        ("a.har", #"{"log": {"version": "1.2", "creator": {"name": "a"}, "entries": []}}"#),
        ("a.json", #"{"openapi": "3.1.0", "info": {"title": "a", "version": "1"}, "paths": {}}"#),
        ("stubs.json", #"{"routes": [{"path": "/a"}]}"#),
      ] {
        _ = try folder.file(name, text)
      }
      let arguments = command.map { $0.contains(".") ? folder.url($0).path : $0 }
      let end = try await Program.start(
        "test-worker",
        ["broken-streams", fault, "1", "-", "exec", BuiltProgram.url("mock-server").path]
          + arguments
      ).end
      #expect(end.status == .exited(4))
      #expect(end.errors == "mock-server: the output could not be written completely\n")
    }

    /// As in `mock-server ... 2>&1 | head -1`.
    @Test func theRecordingOutlivesTheReaderOfTheOutput() async throws {
      let origin = try MockServer { Route(.get, "/{path*}") { .text("\($0.path)") } }
      let (fifo, recording) = (folder.url("output").path, folder.url("session.har"))
      try #require(mkfifo(fifo, 0o600) == 0)
      // Opened for writing, too, so that it does not wait for the program.
      let output = open(fifo, O_RDWR | O_CLOEXEC)
      try #require(output >= 0)
      let program = try ChildProcess(
        "sh",
        [
          "-c", #"exec "$0" --record "$1" "$2" --port 0 >"$3" 2>&1"#,
          BuiltProgram.url("mock-server").path, "\(origin.url)", recording.path, fifo,
        ])
      var line = Data()
      while line.last != UInt8(ascii: "\n") {
        var byte: UInt8 = 0
        try #require(read(output, &byte, 1) == 1)
        line.append(byte)
      }
      close(output)
      let words = String(decoding: line.dropLast(), as: UTF8.self).split(separator: " ")
      let url = try #require(words.last.flatMap { URL(string: String($0)) })
      await serves(url)
      program.signal(SIGTERM)
      #expect(await program.end.status == .exited(0))
      #expect(try HAR(contentsOf: recording).log.entries.count == 3)
    }
  }
#endif
