#if os(Linux)
  import Foundation
  import Mocking
  import TestSupport
  import Testing

  /// Tests of the `mock-server` program as a child process.
  @Suite(.serialized, .timeLimit(.minutes(10)))
  struct MockServerProgramTests {
    private let folder = TemporaryFolder()
    private var file: URL { folder.url("boards.json") }

    private static let text = """
      {"routes": [
        {"method": "GET", "path": "/boards/{id}", "json": {"id": 1}},
        {"path": "/lost", "status": 201, "fault": "reset", "when": {"query": {"a": true}}}
      ]}
      """

    private func serve(_ text: String = text) async throws -> (ChildProcess, URL) {
      try Data(text.utf8).write(to: file)
      let program = try Program.start("mock-server", [file.path, "--port", "0"])
      return (program, try await address(of: program))
    }

    private func address(of program: ChildProcess) async throws -> URL {
      let line = try #require(await program.lines.first { $0.contains("http://127.0.0.1:") })
      let address = try #require(line.split(separator: "at ").last)
      return try #require(URL(string: String(address)))
    }

    /// Returns a request line without its time of day and duration, which vary.
    private func withoutTimes(_ line: String) -> String {
      line.replacing(#/^[0-9]{2}:[0-9]{2}:[0-9]{2}  /#, with: "")
        .replacing(#/ +[0-9]+\.[0-9] ms/#, with: " ms")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func printsRoutesAndRequestsAndStopsOnASignal(_ number: Int32) async throws {
      let (program, url) = try await serve()
      let transport = CurlTransport()
      #expect(await transport.get(url.appending(path: "boards/1")).body == Data(#"{"id":1}"#.utf8))
      // A new transport: on a reused connection the request would be retried.
      let lost = await CurlTransport().get(try #require(URL(string: "\(url)/lost?a=1")))
      #expect(lost.failure?.code == .connectionLost)
      _ = await program.lines.first { $0.contains("/lost?a=1") }
      program.signal(number)
      #expect(await program.end.status == .exited(0))
      let lines = await program.end.lines.map(withoutTimes)
      #expect(
        lines == [
          "\(file.path): 2 routes at \(url)",
          "  GET  /boards/{id}  200 application/json",
          "  *    /lost         201, reset after the request  query \"a\": any value",
          "GET     /boards/1                        200         8 B ms",
          "GET     /lost?a=1                        ---         0 B ms  reset",
          "2 requests",
        ])
    }

    @Test func reloadsAChangedFileAndIgnoresAnInvalidOne() async throws {
      let (program, url) = try await serve()
      func status(_ path: String) async -> Int? {
        await CurlTransport().get(url.appending(path: path)).head?.status
      }
      #expect(await status("new") == 404)
      // Most editors replace the file with a new one.
      try Data(#"{"routes": [{"path": "/new", "status": 202}]}"#.utf8).write(
        to: file, options: .atomic)
      #expect(
        await program.lines.first { $0.contains("has changed") }
          == "\(file.path) has changed: 1 route")
      #expect(await status("new") == 202)
      try Data(#"{"routes": [{"path": "/new", "satus": 203}]}"#.utf8).write(to: file)
      #expect(
        await program.errorLines.first { _ in true }
          == "mock-server: \(file.path):1:30: routes[0].satus: unknown key \"satus\"; did you "
          + "mean \"status\"?; the routes are unchanged")
      #expect(await status("new") == 202)
      // Others write the file in place.
      try Data(#"{"routes": [{"path": "/new", "status": 203}, {"path": "/b"}]}"#.utf8).write(
        to: file)
      #expect(await program.lines.first { $0.hasSuffix("has changed: 2 routes") } != nil)
      #expect(await status("new") == 203)
      program.signal(SIGINT)
      #expect(await program.end.status == .exited(0))
    }

    @Test func recordsASessionAndServesIt() async throws {
      let origin = try MockServer {
        Route(.get, "/a") { _ in .sequence(.text("one"), .text("two")) }
      }
      let recording = folder.url("session.har")
      let recorder = try Program.start(
        "mock-server", ["--record", "\(origin.url)", recording.path, "--port=0"])
      let url = try await address(of: recorder)
      for _ in 0..<2 { _ = await CurlTransport().get(url.appending(path: "a")) }
      recorder.signal(SIGINT)
      #expect(await recorder.end.status == .exited(0))
      #expect(await recorder.end.lines.last == "wrote 2 exchanges to \(recording.path)")
      origin.stop()
      let player = try Program.start("mock-server", [recording.path, "--port", "0"])
      let other = try await address(of: player)
      for expected in ["one", "two", "two"] {
        let response = await CurlTransport().get(other.appending(path: "a"))
        #expect(String(decoding: response.body, as: UTF8.self) == expected)
      }
      player.signal(SIGINT)
      #expect(await player.end.status == .exited(0))
      #expect(
        await player.end.lines[1]
          == "  GET  /a  200 text/plain; charset=utf-8, then 200 text/plain; charset=utf-8")
    }

    @Test(arguments: [
      (["--frobnicate"], "unknown option --frobnicate"),
      ([], "missing argument FILE"),
      (["a", "b"], "unexpected argument b after the file"),
      (["a", "--port"], "--port requires a value"),
      (["a", "--port", "x"], "--port x: a port is a number from 0 to 65535"),
      (["a", "--allow-tokens"], "--allow-tokens requires --record"),
      (
        ["a", "--record", "http://b/c"],
        "--record http://b/c: expected a server such as https://api.example.com, without a path"
      ),
    ])
    func anInvalidCommandLinePrintsOneMessageAndExitsWithStatus2(
      arguments: [String], message: String
    ) async throws {
      let program = try await Program.mockServer(arguments)
      #expect(program.status == .exited(2))
      #expect(program.output.isEmpty)
      #expect(program.errors == "mock-server: \(message); see --help\n")
    }

    @Test func anInvalidFilePrintsOneMessageAndExitsWithStatus1() async throws {
      let missing = try await Program.mockServer([file.path])
      #expect(missing.status == .exited(1))
      #expect(missing.errors == "mock-server: \(file.path): no such file\n")
      try Data("{\n\"routes\": 1}".utf8).write(to: file)
      let broken = try await Program.mockServer([file.path])
      #expect(broken.status == .exited(1))
      #expect(broken.output.isEmpty)
      #expect(
        broken.errors
          == "mock-server: \(file.path):2:11: routes: expected an array of routes, found 1\n")
      let archive = folder.url("a.har")
      try Data("{".utf8).write(to: archive)
      let recording = try await Program.mockServer([archive.path])
      #expect(recording.status == .exited(1))
      #expect(
        recording.errors == "mock-server: \(archive.path):1:2: not an HTTP archive: "
          + "expected JSON: the file ends before the JSON is complete\n")
    }

    @Test func aPortInUsePrintsOneMessageAndExitsWithStatus1() async throws {
      try Data(Self.text.utf8).write(to: file)
      let server = try MockServer {}
      let program = try await Program.mockServer([file.path, "--port", "\(server.port)"])
      #expect(program.status == .exited(1))
      #expect(program.output.isEmpty)
      #expect(
        program.errors == "mock-server: cannot listen on port \(server.port): Address already in "
          + "use; --port 0 chooses a free port\n")
    }

    @Test func helpListsEveryOption() async throws {
      let program = try await Program.mockServer(["--help"])
      #expect(program.status == .exited(0))
      for option in ["--port", "--record", "--allow-tokens", "--help"] {
        #expect(program.output.contains("  \(option)"))
      }
    }
  }
#endif
