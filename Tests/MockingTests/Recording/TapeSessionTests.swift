import MockingRecordings

#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// A session on real sockets, and its replay after the server has stopped.
  @Suite(.gated)
  struct TapeSessionTests {
    private func server() throws -> MockServer {
      let visits = Counter()
      return try MockServer {
        Route(.get, "/boards") { _ in .json([["id": "7", "title": "Balsa \u{1F41F} / Fish"]]) }
        Route(.get, "/boards/{id}") { request in .json(["id": request.path["id"]]) }
        Route(.post, "/boards") { request in
          .data(request.body, contentType: request.headers["Content-Type"], status: 201)
        }
        Route(.put, "/boards/{id}") { _ in .status(204) }
        Route(.delete, "/boards/{id}") { request in .status(request.path["id"] == "9" ? 404 : 200) }
        Route(.head, "/boards") { _ in .text("not sent") }
        Route(.get, "/visits") { _ in .text("visit \(visits.add())") }
        Route(.get, "/image") { _ in .bytes(70_000) }
        Route(.get, "/empty") { _ in .data(Data()) }
        Route(.get, "/latin") { _ in
          .data(
            Data([0x47, 0x72, 0xFC, 0xDF, 0x65]), contentType: "text/plain; charset=iso-8859-1")
        }
        Route(.get, "/chunks") { _ in
          .chunks([Data("one ".utf8), Data([0, 254, 255]), Data("three".utf8)])
        }
        Route(.get, "/twice") { _ in
          var headers: HTTPHeaders = ["Vary": "Accept", "vary": "Origin", "X-Empty": ""]
          headers.add("a=1", for: "Link")
          headers.add("b=2", for: "Link")
          return .status(200, headers: headers)
        }
        Route(.get, "/moved") { _ in .redirect(to: "/boards?page=2") }
        Route(.get, "/broken") { _ in
          .text("broken").interrupted(by: .close, at: .body(afterBytes: 2))
        }
      }
    }

    /// Returns 100 requests of ten kinds.
    private func requests(_ server: URL) throws -> [HTTPRequest] {
      func url(_ path: String) throws -> URL {
        try #require(URL(string: server.absoluteString + path))
      }
      func post(_ type: String, _ data: Data) throws -> HTTPRequest {
        HTTPRequest(
          method: .post, url: try url("/boards"), headers: ["Content-Type": type], body: .data(data)
        )
      }
      var requests: [HTTPRequest] = []
      for round in 0..<5 {
        requests += [
          HTTPRequest(url: try url("/boards?page=\(round)&sort=a%20b&sort=c")),
          HTTPRequest(url: try url("/boards/\(round)")), HTTPRequest(url: try url("/visits")),
          try post("application/json", Data(#"{"title":"Board \#(round)","type":1.50}"#.utf8)),
          try post("application/x-www-form-urlencoded", Data("title=a+b%26&round=\(round)".utf8)),
          try post("application/octet-stream", Data([0, 255, UInt8(round), 10, 13])),
          try post("text/plain; charset=utf-8", Data("Gr\u{FC}\u{DF}e \(round)\r\n".utf8)),
          HTTPRequest(method: .put, url: try url("/boards/\(round)"), body: .data(Data())),
          HTTPRequest(method: .delete, url: try url("/boards/\(round + 6)")),
          HTTPRequest(method: .head, url: try url("/boards")), HTTPRequest(url: try url("/visits")),
          HTTPRequest(url: try url("/image")), HTTPRequest(url: try url("/empty")),
          HTTPRequest(url: try url("/latin")), HTTPRequest(url: try url("/chunks")),
          HTTPRequest(url: try url("/twice")), HTTPRequest(url: try url("/moved")),
          HTTPRequest(url: try url("/broken")), HTTPRequest(url: try url("/nowhere/\(round)")),
          HTTPRequest(
            url: try url("/boards?token=board-secret-\(round)"),
            headers: ["Authorization": "Bearer board-secret-\(round)", "Cookie": "a=1; b=2"]),
        ]
      }
      return requests
    }

    @Test func aHundredRequestsReplayIdenticallyWithoutTheServer() async throws {
      let folder = TemporaryFolder()
      // CI checks the file with another program.
      let file =
        ProcessInfo.processInfo.environment["CATENA_HAR"].map { URL(fileURLWithPath: $0) }
        ?? folder.tape
      let server = try server()
      let requests = try requests(server.url)
      #expect(requests.count == 100)
      let options = Tape.Options(matching: [.method, .url, .body])
      let tape = try Tape(file, mode: .all, options: options)
      var recorded: [ExchangeRecord] = []
      for request in requests { recorded.append(await tape.perform(request)) }
      server.stop()
      let closed = try ClosedPort(server.port)
      defer { withExtendedLifetime(closed) {} }
      recorded.append(await tape.perform(requests[0]))
      #expect(recorded[100].failure?.code == .cannotConnect)
      try tape.save()

      let replay = try Tape(replaying: file, options: options)
      for (index, request) in requests.enumerated() {
        let played = await replay.perform(request)
        #expect(
          played.hasSameResponse(as: recorded[index]),
          "request \(index), \(request.method) \(request.url)")
        #expect(played.failure?.code != .mockFailed, "\(played.reason)")
      }
      #expect(await replay.perform(requests[0]).hasSameResponse(as: recorded[100]))
      #expect(replay.unplayed.isEmpty)
      #expect(recorded.filter { $0.failure?.code == .connectionLost }.count == 5)
      #expect(Set(recorded.compactMap(\.head?.status)) == [200, 201, 204, 302, 404])
    }

    @Test func aClientChainsRequestsOverATape() async throws {
      let folder = TemporaryFolder()
      let server = try server()
      func titles(_ transport: some Transport) async throws -> String {
        var configuration = NetworkingConfiguration()
        configuration.cookies = .none
        let client = Networking<Request>(transport: transport, configuration: configuration)
        client.baseURL = server.url
        client.callbackContext = .inline
        return try await client.request(.get("boards")).validate().toJson()
          .then { boards in client.request(.get("boards/\(boards[0]["id"].string ?? "")")) }
          .validate().toString().value
      }
      let recorded = try await withTape(folder.tape, over: PlatformTransport.make()) {
        try await titles($0)
      }
      server.stop()
      #expect(recorded == #"{"id":"7"}"#)
      #expect(try await titles(Tape(replaying: folder.tape)) == recorded)
    }
  }
#endif
