#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import TestGate
  import TestSupport
  import Testing

  /// Tests of what the `mock-server` program prints: tables, requests, JSON, and errors of files.
  @Suite(.gated)
  struct MockServerOutputTests {
    private let folder = TemporaryFolder()
    private var file: URL { folder.url("boards.json") }

    private static let text =
      #"{"routes": [{"path": "/boards/{id}", "json": {"id": 1}}, {"path": "/b"}]}"#

    @Test func outputThatNobodyReadsHoldsUpNeitherRequestsNorTheEnd() async throws {
      try Data(Self.text.utf8).write(to: file)
      let fifo = folder.url("output").path
      try #require(mkfifo(fifo, 0o600) == 0)
      let output = open(fifo, O_RDWR | O_CLOEXEC)
      try #require(output >= 0)
      defer { close(output) }
      // The requests print more than the pipe holds, which is up to 64 KiB on a Mac.
      #if os(Linux)
        try #require(fcntl(output, 1031 /* F_SETPIPE_SZ */, 4_096) >= 4_096)
        let count = 200
      #else
        let count = 4_000
      #endif
      let program = try ChildProcess(
        "sh",
        [
          "-c", #"exec "$0" "$1" --port 0 >"$2""#, BuiltProgram.url("mock-server").path,
          file.path,
          fifo,
        ])
      var line = Data()
      while line.last != UInt8(ascii: "\n") {
        var byte: UInt8 = 0
        try #require(read(output, &byte, 1) == 1)
        line.append(byte)
      }
      let words = String(decoding: line.dropLast(), as: UTF8.self).split(separator: " ")
      let url = try #require(words.last.flatMap { URL(string: String($0)) })
      let transport = PlatformTransport.make()
      for _ in 0..<count {
        #expect(await transport.get(url.appending(path: "boards/1")).head?.status == 200)
      }
      program.signal(SIGTERM)
      #expect(await program.end.status == .exited(0))
    }

    @Test func aResourceIsOneLineUnlessTheOutputIsVerbose() async throws {
      let text = #"""
        {"routes": [
          {"path": "/a", "text": ""},
          {"resource": "/b", "nestedPaths": ["/c/{c}/b"], "data": [{"id": 1}], "methods": ["GET", "POST"],
           "when": {"query": {"q": "1"}}},
          {"resource": "/c", "methods": ["DELETE"]}
        ]}
        """#
      try Data(text.utf8).write(to: file)
      let table = [
        "  *         /a  200 text/plain; charset=utf-8",
        "  resource  /b  (GET, POST), 1 item            query \"q\": \"1\"",
        "  resource  /c  (DELETE), 0 items",
      ]
      let brief = try await Program.mockServer(["check", file.path])
      #expect(brief.lines == table + ["8 routes in 1 file, no errors"])
      let verbose = try await Program.mockServer(["check", "--verbose", file.path])
      #expect(verbose.lines.count == 9)
      #expect(verbose.lines[4].hasPrefix("  GET     /c/{c}/b"))
      let objects = try await Program.mockServer(["check", "--json", file.path])
      #expect(objects.lines.count == 8)
    }

    @Test func verboseOutputHasMaskedHeadsAndBodies() async throws {
      let stubs = #"{"routes": [{"path": "/login", "json": {"token": "t-9", "name": "ada"}}]}"#
      try Data(stubs.utf8).write(to: file)
      let program = try Program.start("mock-server", [file.path, "--port", "0", "--verbose"])
      let url = try await Program.address(of: program)
      _ = await PlatformTransport.make().perform(
        HTTPRequest(
          method: .post, url: url.appending(path: "login"),
          headers: ["Content-Type": "application/json", "Authorization": "Bearer s3cret"],
          body: .data(Data(#"{"password":"p4ss","user":"ada"}"#.utf8))))
      program.signal(SIGINT)
      let end = await program.end
      #expect(end.lines.contains("  > POST /login HTTP/1.1"))
      #expect(end.lines.contains("  < 200"))
      #expect(end.lines.contains { $0.hasPrefix("  > ") && $0.contains(#""user":"ada""#) })
      #expect(end.lines.contains { $0.hasPrefix("  < ") && $0.contains(#""name":"ada""#) })
      for secret in ["s3cret", "p4ss", "t-9"] { #expect(!end.output.contains(secret)) }
    }

    @Test func jsonOutputHasOneObjectOnEachLine() async throws {
      try Data(Self.text.utf8).write(to: file)
      let program = try Program.start("mock-server", [file.path, "--port", "0", "--json"])
      let first = try #require(await program.lines.first { _ in true })
      let started = try JSON(parsing: Data(first.utf8))
      #expect(started["event"] == "started")
      #expect(started["routes"] == 2)
      let url = try #require(started["url"].string.flatMap { URL(string: $0) })
      _ = await PlatformTransport.make().get(url.appending(path: "boards/1"))
      program.signal(SIGINT)
      let lines = try await program.end.lines.map { try JSON(parsing: Data($0.utf8)) }
      #expect(lines.map { $0["event"] } == ["started", "request", "stopped"])
      #expect(lines[1]["target"] == "/boards/1")
      #expect(lines[1]["status"] == 200)
      #expect(lines[1]["route"] == "/boards/{id}")
      #expect(lines[2]["requests"] == 1)
    }

    @Test(arguments: [false, true])
    func theReasonOfARefusalWithAnExampleIsPrinted(isJSON: Bool) async throws {
      let document = """
        openapi: 3.1.0
        info: {title: Notes, version: "1"}
        security: [{token: []}]
        paths:
          /notes:
            get:
              responses:
                "200": {description: The notes}
                "401": {description: No, content: {application/json: {example: {error: no token}}}}
        components: {securitySchemes: {token: {type: http, scheme: bearer}}}
        """
      let contract = folder.url("api.yaml")
      try Data(document.utf8).write(to: contract)
      let options = isJSON ? ["--json"] : []
      let program = try Program.start("mock-server", [contract.path, "--port", "0"] + options)
      let first = try #require(await program.lines.first { _ in true })
      let address = try #require(first.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/))
      let url = try #require(URL(string: "\(address.output)/notes"))
      let record = await PlatformTransport.make().get(url)
      #expect(String(decoding: record.body, as: UTF8.self) == #"{"error":"no token"}"#)
      program.signal(SIGINT)
      let lines = await program.end.lines.filter { $0.contains("iolation") }
      let reason = "expected credentials for token (Authorization: Bearer)"
      #expect(lines.count == 1)
      if isJSON {
        let object = try JSON(parsing: Data((lines.first ?? "").utf8))
        #expect(object["contractViolation"].string == reason)
      } else {
        #expect(lines.first?.hasSuffix("  violation: \(reason)") == true)
      }
    }

    @Test(arguments: [false, true])
    func theOutcomeOfAWebhookIsPrinted(isJSON: Bool) async throws {
      let stubs = #"""
        {"routes": [{"method": "POST", "path": "/pay", "status": 202,
          "webhook": {"url": "{{ body.to }}"}}]}
        """#
      try Data(stubs.utf8).write(to: file)
      let options = isJSON ? ["--json"] : []
      let program = try Program.start("mock-server", [file.path, "--port", "0"] + options)
      let first = try #require(await program.lines.first { _ in true })
      let address = try #require(first.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/))
      let url = try #require(URL(string: "\(address.output)/pay"))
      _ = await PlatformTransport.make().perform(
        HTTPRequest(
          method: .post, url: url, headers: ["Content-Type": "application/json"],
          body: .data(Data(#"{"to": "https://example.com/hook?token=s3cret"}"#.utf8))))
      let line = try #require(
        await program.lines.first { $0.contains("webhook") && $0.contains("refused") })
      program.signal(SIGINT)
      let end = await program.end
      #expect(!end.output.contains("s3cret"))
      guard isJSON else {
        #expect(line.contains("webhook POST https://example.com/hook?token=***: refused: "))
        #expect(line.hasSuffix("caused by POST /pay"))
        return
      }
      let object = try JSON(parsing: Data(line.utf8))
      #expect(object["event"] == "webhook" && object["outcome"] == "refused")
      #expect(object["url"] == "https://example.com/hook?token=***")
    }

    @Test func quietOutputHasOnlyTheAddress() async throws {
      try Data(Self.text.utf8).write(to: file)
      let program = try Program.start("mock-server", [file.path, "--port", "0", "--quiet"])
      let url = try await Program.address(of: program)
      _ = await PlatformTransport.make().get(url.appending(path: "boards/1"))
      program.signal(SIGINT)
      #expect(await program.end.lines == ["\(file.path): 2 routes at \(url)"])
    }

    @Test func checkReportsTheErrorsOfAllFiles() async throws {
      let (first, second) = (folder.url("a.json"), folder.url("b.json"))
      try Data(#"{"routes": [{"path": "/a", "status": 1}]}"#.utf8).write(to: first)
      try Data("[".utf8).write(to: second)
      let end = try await Program.mockServer(["check", first.path, file.path, second.path])
      #expect(end.status == .exited(1))
      let errors = end.errors.split(separator: "\n")
      #expect(errors.count == 3)
      #expect(errors[0].hasPrefix("mock-server: \(first.path):1:38: routes[0].status: "))
      #expect(errors[1] == "mock-server: \(file.path): no such file")
      #expect(errors[2].hasPrefix("mock-server: \(second.path):1:"))
    }

    /// The output of a build system is source code, and the lines on standard error are those of a compiler.
    @Test func diagnosticsHaveTheFormOfACompiler() async throws {
      let output = folder.url("stubs.json.swift")
      let arguments = ["check", "--diagnose", output.path, file.path]
      try Data(#"{"routes": [{"path": "/a", "status": 1}]}"#.utf8).write(to: file)
      var end = try await Program.mockServer(arguments)
      #expect(end.status == .exited(1))
      #expect(end.output.isEmpty)
      #expect(end.errors.hasPrefix("\(file.path):1:38: error: routes[0].status: "))
      #expect(try String(contentsOf: output, encoding: .utf8) == "// \(end.errors)")

      let route = #"{"method": "GET", "path": "/a", "json": 1}"#
      try Data(#"{"routes": [\#(route), \#(route)]}"#.utf8).write(to: file)
      end = try await Program.mockServer(arguments)
      #expect(end.status == .exited(0))
      #expect(end.errors.hasPrefix("\(file.path):1:57: warning: "))

      try Data(#"{"routes": [\#(route)]}"#.utf8).write(to: file)
      end = try await Program.mockServer(arguments)
      #expect(end.status == .exited(0))
      #expect(end.output.isEmpty && end.errors.isEmpty)
      #expect(try Data(contentsOf: output).isEmpty)

      try FileManager.default.removeItem(at: file)
      end = try await Program.mockServer(arguments)
      #expect(end.errors == "error: \(file.path): no such file\n")
    }

    @Test func dataThatIsNotKeptIsWarnedAbout() async throws {
      try Data(#"{"isolation": {"header": "X-Client"}, "routes": [{"resource": "/a"}]}"#.utf8)
        .write(to: file)
      let program = try Program.start(
        "mock-server", [file.path, "--port", "0", "--data", folder.url("data.json").path])
      _ = try await Program.address(of: program)
      program.signal(SIGINT)
      #expect(
        await program.end.errors
          == "mock-server: warning: the file of --data keeps only the items of requests without a "
          + "client, because \"isolation\" gives each client items of its own in memory\n")
    }
  }
#endif
