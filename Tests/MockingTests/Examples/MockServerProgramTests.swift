import MockingRecordings

#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// Tests of the `mock-server` program as a child process.
  @Suite(.serialized, .gated)
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
      return (program, try await Program.address(of: program))
    }

    /// Returns a request line without its time of day and duration, which vary.
    private func withoutTimes(_ line: String) -> String {
      line.replacing(#/^[0-9]{2}:[0-9]{2}:[0-9]{2}  /#, with: "")
        .replacing(#/ +[0-9]+\.[0-9] ms/#, with: " ms")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func printsRoutesAndRequestsAndStopsOnASignal(_ number: Int32) async throws {
      let (program, url) = try await serve()
      let transport = PlatformTransport.make()
      #expect(await transport.get(url.appending(path: "boards/1")).body == Data(#"{"id":1}"#.utf8))
      // A new transport: on a reused connection the request would be retried.
      let lost = await PlatformTransport.make().get(try #require(URL(string: "\(url)/lost?a=1")))
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
          "inspector at \(url)/__mock/",
          "GET     /boards/1                        200         8 B ms",
          "GET     /lost?a=1                        ---         0 B ms  reset",
          "2 requests",
        ])
    }

    @Test func reloadsAChangedFileAndIgnoresAnInvalidOne() async throws {
      let (program, url) = try await serve()
      func status(_ path: String) async -> Int? {
        await PlatformTransport.make().get(url.appending(path: path)).head?.status
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

    @Test func aFileThatMatchesAPatternIsAddedAndRemovedWhileTheProgramRuns() async throws {
      let parts = folder.url("parts")
      try FileManager.default.createDirectory(at: parts, withIntermediateDirectories: true)
      try Data(#"{"include": ["parts/*.json"]}"#.utf8).write(to: file)
      let (first, second) = (parts.appending(path: "a.json"), parts.appending(path: "b.json"))
      try Data(#"{"routes": [{"path": "/a"}]}"#.utf8).write(to: first)
      let program = try Program.start("mock-server", [file.path, "--port", "0"])
      _ = try await Program.address(of: program)
      try Data(#"{"routes": [{"path": "/b"}, {"path": "/c"}]}"#.utf8).write(
        to: second, options: .atomic)
      #expect(await program.lines.first { $0.hasSuffix("has changed: 3 routes") } != nil)
      try FileManager.default.removeItem(at: first)
      #expect(await program.lines.first { $0.hasSuffix("has changed: 2 routes") } != nil)
      program.signal(SIGINT)
      #expect(await program.end.status == .exited(0))
    }

    #if os(Linux)
      @Test func speaksTLSWithTheAuthorityOfTheFileThatItPrints() async throws {
        try Data(Self.text.utf8).write(to: file)
        let program = try Program.start(
          "mock-server", [file.path, "--port", "0", "--tls", "--no-admin"])
        let line = try #require(await program.lines.first { $0.contains(" at https://127.0.0.1:") })
        let address = try #require(line.split(separator: " at ").last)
        let printed = try #require(await program.lines.first { $0.hasPrefix("authority in ") })
        let path = try #require(
          printed.dropFirst("authority in ".count).split(separator: ",").first)
        let authority = URL(filePath: String(path))
        for host in ["127.0.0.1", "localhost"] {
          let url = try #require(
            URL(string: address.replacing("127.0.0.1", with: host) + "/boards/1"))
          let tls = try TLSOptions(trust: .all(.authorities(.file(authority))))
          #expect(await CurlTransport(options: .init(tls: tls)).get(url).head?.status == 200)
          // Without the authority, the certificate is not trusted.
          #expect(await CurlTransport().get(url).failure?.code == .tlsUntrusted)
        }
        program.signal(SIGTERM)
        #expect(await program.end.status == .exited(0))
        #expect(!FileManager.default.fileExists(atPath: authority.path))
      }
    #endif

    @Test func recordsASessionAndServesIt() async throws {
      let origin = try MockServer {
        Route(.get, "/a") { _ in .sequence(.text("one"), .text("two")) }
      }
      let recording = folder.url("session.har")
      let recorder = try Program.start(
        "mock-server", ["--record", "\(origin.url)", recording.path, "--port=0"])
      let url = try await Program.address(of: recorder)
      for _ in 0..<2 { _ = await PlatformTransport.make().get(url.appending(path: "a")) }
      recorder.signal(SIGINT)
      #expect(await recorder.end.status == .exited(0))
      #expect(
        await recorder.end.lines.suffix(2)
          == ["wrote 2 exchanges to \(recording.path)", "2 requests"])
      origin.stop()
      let player = try Program.start("mock-server", [recording.path, "--port", "0"])
      let other = try await Program.address(of: player)
      for expected in ["one", "two", "two"] {
        let response = await PlatformTransport.make().get(other.appending(path: "a"))
        #expect(String(decoding: response.body, as: UTF8.self) == expected)
      }
      player.signal(SIGINT)
      #expect(await player.end.status == .exited(0))
      #expect(
        await player.end.lines[1]
          == "  GET  /a  200 text/plain; charset=utf-8, then 200 text/plain; charset=utf-8")
    }

    @Test func aKilledRecordingSurvivesTheNextStart() async throws {
      let origin = try MockServer { Route(.get, "/{path*}") { .text("\($0.path)") } }
      let recording = folder.url("session.har")
      func record(_ path: String, end signal: Int32) async throws -> ChildProcess.End {
        let program = try Program.start(
          "mock-server", ["--record", "\(origin.url)", recording.path, "--port", "0"])
        let url = try await Program.address(of: program)
        _ = await PlatformTransport.make().get(url.appending(path: path))
        if signal == SIGKILL {
          // Another program is refused while this one records, and changes nothing.
          let other = try await Program.mockServer(
            ["--record", "\(origin.url)", recording.path, "--port", "0"])
          #expect(other.status == .exited(1))
          #expect(
            other.errors == "mock-server: \(recording.path): another tape records to this file; "
              + "stop it or choose another file\n")
          try await Self.wait(for: path, in: folder.url("session.har.partial"))
        }
        program.signal(signal)
        return await program.end
      }
      #expect(try await record("first", end: SIGKILL).status == .signalled(SIGKILL))
      let partial = try Data(contentsOf: folder.url("session.har.partial"))
      let end = try await record("second", end: SIGTERM)
      #expect(end.status == .exited(0))
      #expect(
        end.errors == "mock-server: warning: session.har.partial has exchanges of an earlier "
          + "recording that was not saved\n")
      #expect(try Data(contentsOf: folder.url("session.har.partial")) == partial)
      let urls = try HAR(contentsOf: folder.url("session.har.partial")).log.entries
      #expect(urls.map(\.request.url) == ["\(origin.url)/first"])
      let saved = try HAR(contentsOf: recording).log.entries
      #expect(saved.map(\.request.url) == ["\(origin.url)/second"])
      #expect(folder.names == ["session.har", "session.har.partial"])
    }

    /// Waits until a file contains a text.
    private static func wait(for text: String, in file: URL) async throws {
      while try !String(contentsOf: file, encoding: .utf8).contains(text) { await Task.yield() }
    }

    @Test func servesStubsAndForwardsTheRest() async throws {
      let origin = try MockServer {
        Route(.get, "/{path*}") { .text("origin \($0.path)") }
        Route(.post, "/{path*}") { .text($0.text) }
      }
      let recording = folder.url("session.har")
      try Data(Self.text.utf8).write(to: file)
      let program = try Program.start(
        "mock-server",
        [
          file.path, "--proxy", "\(origin.url)", "--record", recording.path, "--port", "0",
          "--mask", "nickname", "--keep", "pin",
        ])
      let url = try await Program.address(of: program)
      func text(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async -> String {
        let response = await PlatformTransport.make().perform(
          HTTPRequest(
            method: method, url: url.appending(path: path),
            headers: body == nil ? [:] : ["Content-Type": "application/json"],
            body: body.map { .data(Data($0.utf8)) } ?? .none))
        return String(decoding: response.body, as: UTF8.self)
      }
      #expect(await text(.get, "boards/1") == #"{"id":1}"#)
      #expect(await text(.get, "other") == "origin /other")
      #expect(
        await text(.post, "login", #"{"nickname":"ada1","pin":"1234","password":"p4ss"}"#)
          .contains("p4ss"))
      program.signal(SIGINT)
      let end = await program.end
      #expect(end.status == .exited(0))
      #expect(
        end.lines.first
          == "\(file.path): 2 routes, forwarding to \(origin.url), recorded in "
          + "\(recording.path) at \(url)")
      #expect(end.lines.contains { $0.contains("/other") && $0.hasSuffix(" ms  forwarded") })
      #expect(end.lines.contains { $0.contains("/boards/1") && $0.hasSuffix(" ms") })
      #expect(end.lines.suffix(2) == ["wrote 2 exchanges to \(recording.path)", "3 requests"])
      let archive = try String(contentsOf: recording, encoding: .utf8)
      #expect(!archive.contains("p4ss") && !archive.contains("ada1"))
      #expect(archive.contains("1234"))
    }

    @Test func aRecordingThatCannotBeSavedHasItsOwnStatus() async throws {
      let origin = try MockServer { Route(.get, "/{path*}") { _ in .text("hello") } }
      let recordings = folder.url("recordings")
      try FileManager.default.createDirectory(at: recordings, withIntermediateDirectories: false)
      let recording = recordings.appending(path: "session.har")
      let program = try Program.start(
        "mock-server", ["--proxy", "\(origin.url)", "--record", recording.path, "--port", "0"])
      let url = try await Program.address(of: program)
      _ = await PlatformTransport.make().get(url.appending(path: "a"))
      try FileManager.default.removeItem(at: recordings)
      try Data().write(to: recordings)
      program.signal(SIGTERM)
      let end = await program.end
      #expect(end.status == .exited(4))
      #expect(end.errors.hasPrefix("mock-server: \(recording.path) cannot be written: "))
    }

    @Test func anExampleIsWrittenCheckedAndServed() async throws {
      let written = try await Program.mockServer(["init", file.path])
      #expect(written.status == .exited(0))
      #expect(written.lines.first == "wrote \(file.path)")
      let again = try await Program.mockServer(["init", file.path])
      #expect(again.status == .exited(1))
      #expect(again.errors == "mock-server: \(file.path): the file exists already\n")

      let checked = try await Program.mockServer(["check", file.path])
      #expect(checked.status == .exited(0))
      #expect(checked.lines.last == "14 routes in 1 file, no errors")
      #expect(checked.lines.contains { $0.hasPrefix("  GET       /hello/{name} ") })
      let objects = try await Program.mockServer(["check", "--json", file.path])
      let routes = try objects.lines.map { try JSON(parsing: Data($0.utf8)) }
      #expect(routes.count == 14)
      #expect(routes.first?["path"] == "/hello/{name}")

      let program = try Program.start("mock-server", [file.path, "--port", "0"])
      let url = try await Program.address(of: program)
      let response = await PlatformTransport.make().get(url.appending(path: "hello/Ada"))
      #expect(try JSON(parsing: response.body)["message"] == "Hello, Ada")
      program.signal(SIGINT)
      #expect(await program.end.status == .exited(0))
    }

    @Test func aDocumentWithMistakesIsValidUnlessTheCheckIsStrict() async throws {
      func write(_ paths: String) throws {
        let head = #""openapi": "3.0.3", "info": {"title": "A", "version": "1"}"#
        try Data("{\(head), \"paths\": \(paths)}".utf8).write(to: file)
      }
      try write(#"{"/a/{b}": {"get": {"responses": {"200": {"description": "A"}}}}}"#)
      let checked = try await Program.mockServer(["check", file.path])
      #expect(checked.status == .exited(0))
      #expect(checked.lines.last == "1 route in 1 file, no errors, 1 warning")
      let problem = "the parameter {b} of the path is not declared; it is a string\n"
      #expect(checked.errors.hasPrefix("mock-server: warning: "))
      #expect(checked.errors.hasSuffix(problem))
      let strict = try await Program.mockServer(["check", "--strict", file.path])
      #expect(strict.status == .exited(1))
      #expect(strict.errors.hasSuffix(problem) && !strict.errors.contains("warning"))

      try write("{}")
      let empty = try await Program.mockServer(["check", file.path])
      #expect(empty.lines == ["0 routes in 1 file, no errors, 1 warning"])
      #expect(empty.errors.contains("nothing is served"))
      try write(##"{"/a": {"$ref": "#/b"}}"##)
      #expect(try await Program.mockServer(["check", file.path]).status == .exited(1))
    }

    @Test func itemsOfResourcesSurviveReloadingAndARestart() async throws {
      let data = folder.url("data.json")
      let stubs = #"{"routes": [{"resource": "/carts", "data": [{"id": 1}]}]}"#
      try Data(stubs.utf8).write(to: file)
      for options in [[], ["--data", data.path]] {
        let program = try Program.start("mock-server", [file.path, "--port", "0"] + options)
        let url = try await Program.address(of: program)
        let created = await PlatformTransport.make().perform(
          HTTPRequest(
            method: .post, url: url.appending(path: "carts"),
            headers: ["Content-Type": "application/json"], body: .data(Data(#"{"a":2}"#.utf8))))
        #expect(created.head?.status == 201)
        program.signal(SIGHUP)
        _ = await program.lines.first { $0.contains("has changed: ") }
        let list = await PlatformTransport.make().get(url.appending(path: "carts"))
        #expect(try JSON(parsing: list.body).array?.count == 2)
        program.signal(SIGINT)
        #expect(await program.end.status == .exited(0))
      }
      let program = try Program.start(
        "mock-server", [file.path, "--port", "0", "--data", data.path])
      let list = await PlatformTransport.make().get(
        try await Program.address(of: program).appending(path: "carts"))
      #expect(try JSON(parsing: list.body)[1]["a"] == 2)
      program.signal(SIGINT)
      #expect(await program.end.status == .exited(0))
    }

    @Test func theFirstOfSeveralFilesTakesPrecedence() async throws {
      let other = folder.url("other.json")
      try Data(Self.text.utf8).write(to: file)
      try Data(#"{"routes": [{"path": "/boards/{id}", "status": 500}, {"path": "/b"}]}"#.utf8)
        .write(to: other)
      let program = try Program.start("mock-server", [file.path, other.path, "--port", "0"])
      let url = try await Program.address(of: program)
      #expect(
        await PlatformTransport.make().get(url.appending(path: "boards/1")).head?.status == 200)
      #expect(await PlatformTransport.make().get(url.appending(path: "b")).head?.status == 200)
      program.signal(SIGINT)
      #expect(await program.end.lines.first == "\(file.path), \(other.path): 4 routes at \(url)")
    }

    @Test func anInvalidCommandLinePrintsOneMessageAndExitsWithStatus2() async throws {
      let program = try await Program.mockServer(["--prot", "1"])
      #expect(program.status == .exited(2))
      #expect(program.output.isEmpty)
      #expect(
        program.errors
          == "mock-server: unknown option --prot; did you mean --port?; see --help\n")
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

    @Test func aPortInUsePrintsOneMessageAndExitsWithStatus3() async throws {
      try Data(Self.text.utf8).write(to: file)
      let server = try MockServer {}
      let program = try await Program.mockServer([file.path, "--port", "\(server.port)"])
      #expect(program.status == .exited(3))
      #expect(program.output.isEmpty)
      #expect(
        program.errors
          == "mock-server: cannot listen on 127.0.0.1:\(server.port): Address already in "
          + "use; --port 0 chooses a free port\n")
    }

    @Test func helpAndVersionExitWithStatus0() async throws {
      let help = try await Program.mockServer(["--help"])
      #expect(help.status == .exited(0))
      #expect(help.output.hasPrefix("Serves stubs and recordings"))
      let version = try await Program.mockServer(["--version"])
      #expect(version.status == .exited(0))
      #expect(version.output.hasPrefix("mock-server "))
    }

    @Test func recordingNeverReplacesAFileByMistake() async throws {
      let recording = folder.url("session.har")
      try Data("precious".utf8).write(to: recording)
      let arguments = ["--proxy", "http://127.0.0.1:9", "--record", recording.path, "--port", "0"]
      let refused = try await Program.mockServer(arguments)
      #expect(refused.status == .exited(2))
      #expect(
        refused.errors
          == "mock-server: --record \(recording.path): the file exists already; choose another name, "
          + "or replace it with --force; see --help\n")
      #expect(try String(contentsOf: recording, encoding: .utf8) == "precious")
      let program = try Program.start("mock-server", arguments + ["--force"])
      _ = try await Program.address(of: program)
      #expect(try String(contentsOf: recording, encoding: .utf8) == "precious")
      program.signal(SIGINT)
      #expect(await program.end.status == .exited(0))
      #expect(try HAR(contentsOf: recording).log.entries.isEmpty)
    }

    @Test func aChangeOfTheItemsOfAResourceIsReadAtOnce() async throws {
      let items = folder.url("items.json")
      try Data(#"[{"id": 1}]"#.utf8).write(to: items)
      let (program, url) = try await serve(
        #"{"routes": [{"resource": "/items", "data": "items.json"}]}"#)
      let list = url.appending(path: "items")
      #expect(await PlatformTransport.make().get(list).body == Data(#"[{"id":1}]"#.utf8))
      try Data(#"[{"id": 2}]"#.utf8).write(to: items)
      #expect(await program.lines.first { $0.contains("has changed") } != nil)
      #expect(await PlatformTransport.make().get(list).body == Data(#"[{"id":2}]"#.utf8))
      program.signal(SIGINT)
      #expect(await program.end.status == .exited(0))
    }
  }
#endif
