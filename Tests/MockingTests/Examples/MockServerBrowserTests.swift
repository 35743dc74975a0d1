#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import TestGate
  import TestSupport
  import Testing

  /// Tests of the pages and the machines that can use the `mock-server` program.
  @Suite(.serialized, .gated)
  struct MockServerBrowserTests {
    private let folder = TemporaryFolder()
    private var file: URL { folder.url("boards.json") }

    private static let text = #"{"routes": [{"path": "/boards/{id}", "json": {"id": 1}}]}"#

    /// Starts the program with further options, and returns its responses to requests of pages.
    private func responses(
      _ options: [String], to origins: [String], method: String = "GET"
    ) async throws -> (heads: [String], lines: [String]) {
      try Data(Self.text.utf8).write(to: file)
      let program = try Program.start("mock-server", [file.path, "--port", "0"] + options)
      let port = try #require(try await Program.address(of: program).port)
      var heads: [String] = []
      for origin in origins {
        let client = try RawClient(port: port)
        try await client.send(
          "\(method) /boards/1 HTTP/1.1\r\nHost: localhost:\(port)\r\nOrigin: \(origin)\r\n"
            + "Access-Control-Request-Method: PUT\r\nConnection: close\r\n\r\n")
        heads.append(try await client.receiveAll())
      }
      program.signal(SIGINT)
      return (heads, await program.end.lines)
    }

    @Test func pagesOfThisMachineReadTheResponsesByDefault() async throws {
      let origins = ["http://localhost:5173", "https://app.example.com"]
      let (heads, lines) = try await responses([], to: origins)
      #expect(heads[0].contains("\r\nAccess-Control-Allow-Origin: http://localhost:5173\r\n"))
      #expect(!heads[1].contains("Access-Control-Allow-Origin"))
      let hint = "  not readable by pages of https://app.example.com, see --cors"
      #expect(lines.filter { $0.contains("not readable") }.count == 1)
      #expect(lines.contains { $0.hasSuffix(" ms\(hint)") })
      let preflight = try await responses([], to: origins, method: "OPTIONS").heads
      #expect(preflight[0].contains("\r\nAccess-Control-Allow-Methods: "))
      #expect(!preflight[1].contains("Access-Control"))
    }

    @Test(arguments: [
      (["--cors", "https://a.test", "--cors", "null"], [true, true, false]),
      (["--cors", "*"], [true, true, true]), (["--no-cors"], [false, false, false]),
    ])
    func theOptionsSelectThePages(options: [String], areAllowed: [Bool]) async throws {
      let origins = ["https://a.test", "null", "http://localhost:5173"]
      let (heads, lines) = try await responses(options, to: origins)
      for (origin, (head, isAllowed)) in zip(origins, zip(heads, areAllowed)) {
        #expect(
          head.contains("\r\nAccess-Control-Allow-Origin: \(origin)\r\n") == isAllowed,
          "\(origin)")
      }
      let hints = options == ["--no-cors"] ? 0 : areAllowed.filter { !$0 }.count
      #expect(lines.filter { $0.contains("see --cors") }.count == hints)
    }

    @Test func aPageOfAnotherSiteWithoutTheClientCookieIsWarnedAboutOnce() async throws {
      try Data(
        #"{"isolation": {"cookie": "client"}, "routes": [{"resource": "/a"}, {"path": "/b"}]}"#.utf8
      ).write(to: file)
      let program = try Program.start("mock-server", [file.path, "--port", "0"])
      let port = try #require(try await Program.address(of: program).port)
      func get(_ path: String, _ fields: String...) async throws {
        let client = try RawClient(port: port)
        try await client.send(
          "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
            + fields.map { "\($0)\r\n" }.joined() + "\r\n")
        #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 200 OK\r\n"))
      }
      let page = "Origin: http://localhost:5173"
      try await get("/a")
      try await get("/a", "Origin: http://127.0.0.1:5173")
      try await get("/a", page, "Sec-Fetch-Site: same-site")
      try await get("/a", page, "Cookie: client=1")
      try await get("/a", page, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate")
      // Each route reads the cookie, because variables and scenarios belong to a client, too.
      try await get("/b", "Origin: http://first.test")
      try await get("/a", page, "Sec-Fetch-Site: cross-site")
      program.signal(SIGINT)
      #expect(
        await program.end.errors
          == "mock-server: warning: a request of a page of http://first.test without the cookie "
          + "client of \"isolation\" is from another site than 127.0.0.1:\(port): browsers drop the "
          + "cookie, so each request is a new client; open the page and the server with the same "
          + "host name, or use \"isolation\": {\"header\": \"X-Client\"}\n")
    }

    @Test func aPageWhoseRequestsAreFromAnotherSiteIsWarnedAboutWithoutAnOrigin() async throws {
      try Data(
        #"{"isolation": {"cookie": "client"}, "routes": [{"resource": "/a"}]}"#.utf8
      ).write(to: file)
      let program = try Program.start("mock-server", [file.path, "--port", "0", "--quiet"])
      let port = try #require(try await Program.address(of: program).port)
      let client = try RawClient(port: port)
      try await client.send(
        "GET /a HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: cross-site\r\nConnection: close\r\n\r\n")
      _ = try await client.receiveAll()
      program.signal(SIGINT)
      #expect(
        await program.end.errors.hasPrefix(
          "mock-server: warning: a request of a page without the cookie client "))
    }

    @Test func aRecordingIsReadableByThePagesOfTheServer() async throws {
      let recording = folder.url("session.har")
      try Data(
        #"""
        {"log": {"entries": [
          {"request": {"method": "GET", "url": "https://shop.test/boards/1"},
            "response": {"status": 200, "content": {"text": "a", "mimeType": "text/plain"},
              "headers": [{"name": "Access-Control-Allow-Origin", "value": "https://shop.test"}]}}
        ]}}
        """#.utf8
      ).write(to: recording)
      let program = try Program.start("mock-server", [recording.path, "--port", "0"])
      let client = try RawClient(port: try #require(try await Program.address(of: program).port))
      try await client.send(
        "GET /boards/1 HTTP/1.1\r\nHost: a\r\nOrigin: http://localhost:1\r\n"
          + "Connection: close\r\n\r\n")
      let head = try await client.receiveAll()
      #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(head.contains("\r\nAccess-Control-Allow-Origin: http://localhost:1\r\n"))
      #expect(!head.contains("shop.test"))
      program.signal(SIGINT)
      #expect(await program.end.status == .exited(0))
    }

    @Test func theServerListensOnTheAddressOfTheHost() async throws {
      try Data(Self.text.utf8).write(to: file)
      let program = try Program.start(
        "mock-server", [file.path, "--port", "0", "--host", "0.0.0.0"])
      let url = try await Program.address(of: program)
      #expect(
        await PlatformTransport.make().get(url.appending(path: "boards/1")).head?.status == 200)
      program.signal(SIGINT)
      #expect(await program.end.status == .exited(0))
      // An address for documentation, which no machine has.
      let missing = try await Program.mockServer([file.path, "--port", "0", "--host", "192.0.2.1"])
      #expect(missing.status == .exited(3))
      let reason = String(cString: strerror(EADDRNOTAVAIL))
      #expect(missing.errors == "mock-server: cannot listen on 192.0.2.1:0: \(reason)\n")
    }
  }
#endif
