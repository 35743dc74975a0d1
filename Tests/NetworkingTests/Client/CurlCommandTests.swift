#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import NetworkingTracing
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// `curl` commands send the same requests as the client.
  @Suite(.serialized, .gated)
  struct CurlCommandTests {
    static let hasTool = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

    /// A request as received by a server, without the fields that describe the connection or the
    /// tool.
    private struct ComparableRequest: Hashable {
      let method: String
      let target: String
      let fields: [String]
      let body: Data

      init(_ request: ReceivedRequest) {
        method = request.method.rawValue
        target = request.target
        let others = [
          "host", "content-length", "transfer-encoding", "connection", "expect", "accept",
        ]
        fields = request.headers.fields.map { "\($0.name.lowercased()): \($0.value)" }
          .filter { field in !others.contains { field.hasPrefix("\($0):") } }.sorted()
        body = request.body
      }
    }

    // A quotation mark and the combining accent after it form one `Character`.
    private static let tricky =
      #"it's "$HOME" `id` $(id) \n %s !! ; & | > < * ~ # é 漢 🎏"# + " '\u{301};id;'\u{301}"

    private static let cases: [Request] = [
      .get("plain"),
      .get("query?q=%5Ba%5D&x=1%2F2&y=it's"),
      .get(
        "headers",
        headers: ["X-Tricky": "it's \"$HOME\" `id` %s \\", "X-Empty": "", "X-Twice": "a"]),
      .post("json", parameters: ["title": .string(tricky), "lines": "a\nb\r\nc\u{0}d"]),
      .post("form", parameters: ["title": .string(tricky)], contentType: .formURLEncoded),
      Request(.put, "text", contentType: .custom("text/plain"), payload: .data(Data(tricky.utf8))),
      Request(.put, "at", payload: .data(Data("@/etc/hostname".utf8))),
      Request(.put, "dash", payload: .data(Data([0] + "-n %d \\x41 '".utf8))),
      Request(.put, "lines", payload: .data(Data("a\nb\n\n".utf8))),
      Request(.put, "binary", payload: .data(Data((0...255).map { UInt8($0) }))),
      Request(.put, "large", payload: .data(Data(repeating: UInt8(ascii: "x"), count: 300_000))),
      Request(.put, "empty", payload: .data(Data())),
      Request(.delete, "gone"),
      Request(HTTPMethod(rawValue: "PROPFIND"), "odd"),
      Request(.head, "head"),
    ]

    @Test func aQuotationMarkBeforeACombiningCharacterIsQuoted() {
      let request = HTTPRequest(
        url: .of("https://a.test/"), headers: ["X-A": "'\u{301};id;'\u{301}"])
      #expect(
        request.curlCommand(redacted: false)
          == #"curl -H 'X-A: '\''"# + "\u{301};id;" + #"'\''"# + "\u{301}' 'https://a.test/'")
    }

    @Test func aHeadRequestUsesTheOptionThatExpectsNoBody() {
      let request = HTTPRequest(method: .head, url: .of("https://a.test/"))
      #expect(request.curlCommand() == "curl --head 'https://a.test/'")
    }

    @Test(arguments: [(65_536, true), (65_537, false)])
    func aTextOfMoreThan64KiBIsPipedInsteadOfPassedAsAnArgument(_ size: Int, _ isPassed: Bool) {
      let request = HTTPRequest(
        method: .put, url: .of("https://a.test/"),
        body: .data(Data(repeating: UInt8(ascii: "x"), count: size)))
      let command = request.curlCommand(redacted: false)
      #expect(command.contains("--data-raw") == isPassed)
      #expect(command.hasPrefix("printf ") == !isPassed)
    }

    private func run(_ command: String) async throws -> ChildProcess.Status {
      let environment = ["PATH": "/usr/bin:/bin", "no_proxy": "*", "HOME": "/nowhere"]
      let shell = try ChildProcess(
        "/bin/sh", environment: environment, input: .data(Data(command.utf8)))
      return await shell.end.status
    }

    private func client(_ server: MockServer) -> Networking<Request> {
      let client = Networking<Request>(configuration: .plain)
      client.baseURL = server.url
      client.callbackContext = .inline
      return client
    }

    private func compare(_ request: Request) async throws {
      let server = try MockServer { Route(nil, "/{name}") { _ in .status(200) } }
      defer { server.stop() }
      let client = client(server)
      client.authenticate(bearerToken: "to'ken")
      #expect(try await client.request(request).value.status == 200)
      let command = try client.curlCommand(for: request, redacted: false)
      #expect(try await run(command) == .exited(0), "\(command.prefix(500))")
      let received = server.receivedRequests.map { ComparableRequest($0) }
      try #require(received.count == 2)
      #expect(received[0] == received[1])
    }

    @Test(.enabled(if: hasTool, "the curl tool is not on this machine"), arguments: cases)
    func theCommandSendsTheSameRequestAsTheClient(_ request: Request) async throws {
      try await compare(request)
    }

    @Test(.enabled(if: hasTool, "the curl tool is not on this machine"))
    func filesAndFormsWithFilesArriveComplete() async throws {
      let folder = TemporaryFolder()
      let file = folder.url("it's a $file")
      try Data((0...255).map { UInt8($0) }).write(to: file)
      try await compare(Request(.put, "file", payload: .file(file)))
      let server = try MockServer { Route(nil, "/{name}") { _ in .status(200) } }
      defer { server.stop() }
      var form = MultipartFormData()
      form.append("it's %s", name: "note")
      form.append(file: file, name: "file")
      let request = Request(.post, "form", payload: .multipart(form))
      let command = try client(server).curlCommand(for: request, redacted: false)
      #expect(try await run(command) == .exited(0))
      let body = try #require(server.receivedRequests.first).body
      #expect(body.range(of: try Data(contentsOf: file)) != nil)
      #expect(body.range(of: Data("\r\n\r\nit's %s\r\n".utf8)) != nil)
    }

    @Test func aStreamInAFormIsReadFromTheStandardInput() {
      let stream = BodyStream { AsyncStream<Data> { $0.finish() } }
      let request = HTTPRequest(
        method: .post, url: .of("https://a.example/"),
        body: .pieces([.data(Data("a".utf8)), .stream(stream), .data(Data("b".utf8))]))
      #expect(
        request.curlCommand(redacted: false)
          .hasPrefix("{ printf -- 'a'; cat; printf -- 'b'; } | curl -X 'POST'"))
    }

    @Test func aRedactedCommandHasNoSecrets() throws {
      let request = HTTPRequest(
        method: .post, url: .of("https://u:s3cret@a.example/b?token=s3cret&page=2#s3cret"),
        headers: [
          "Authorization": "Bearer s3cret", "Cookie": "a=s3cret",
          "Content-Type": "application/json",
          "Accept-Encoding": "gzip",
        ], body: .data(Data(#"{"password":"s3cret","name":"it's"}"#.utf8)))
      #expect(
        request.curlCommand()
          == #"curl -X 'POST' --compressed -H 'Authorization: ***' -H 'Cookie: ***' "#
          + #"-H 'Content-Type: application/json' -H 'Accept-Encoding: gzip' "#
          + #"--data-raw '{"name":"it'\''s","password":"***"}' 'https://a.example/b?token=***&page=2'"#
      )
      var binary = request
      binary.headers["Content-Type"] = "multipart/form-data; boundary=x"
      #expect(binary.curlCommand().contains("--data-raw '(35 bytes)'"))
      #expect(!binary.curlCommand().contains("s3cret"))
    }

    @Test func aLineBreakInAFieldDoesNotInjectAnother() {
      let request = HTTPRequest(
        url: .of("https://a.example/"), headers: ["X-A": "b\r\nX-Evil: 1\u{0}"])
      #expect(
        request.curlCommand(redacted: false)
          == "curl -H 'X-A: b  X-Evil: 1 ' 'https://a.example/'")
    }

    @Test func theCommandIncludesTheHooksAndCredentialsOfTheClient() throws {
      let client = Networking<Request>(configuration: .plain)
      client.baseURL = URL(string: "https://api.example.com/v1/")
      client.authenticate(bearerToken: "s3cret")
      client.preProcessRequest = { request in
        var request = request
        request.headers = ["X-Hook": "1"]
        return request
      }
      #expect(
        try client.curlCommand(for: .get("boards"))
          == "curl -H 'X-Hook: 1' -H 'Authorization: ***' 'https://api.example.com/v1/boards'")
    }

    @Test(arguments: [nil, true, false] as [Bool?], [nil, true, false] as [Bool?])
    func theCommandHasTheCredentialsIfTheClientSendsThem(
      _ ofRequest: Bool?, _ ofHook: Bool?
    ) async throws {
      for isDefault in [true, false] {
        var configuration = NetworkingConfiguration.plain
        configuration.sendsCredentials = isDefault
        let transport = FakeTransport { _ in .response(200) }
        let client = Networking<Request>(
          baseURL: .of("https://api.example.com/"), transport: transport,
          configuration: configuration)
        client.callbackContext = .inline
        client.authenticate(bearerToken: "t0ken")
        client.preProcessRequest = { request in
          var request = request
          if let ofHook { request.sendsCredentials = ofHook }
          return request
        }
        let option = RequestOption.change { $0.sendsCredentials = ofRequest }
        _ = try await client.request(.get("a"), option).value
        let command = try client.curlCommand(for: .get("a"), option, redacted: false)
        let isSent = transport.requests.first?.headers["Authorization"] != nil
        #expect(isSent == (ofRequest != false && (ofHook ?? ofRequest ?? isDefault)))
        #expect(command.contains("t0ken") == isSent)
      }
    }
  }
#endif
