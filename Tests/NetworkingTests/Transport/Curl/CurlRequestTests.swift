#if os(Linux)
  import Foundation
  import Networking
  import TestSupport
  import Testing

  @Suite(.timeLimit(.minutes(10)))
  struct CurlRequestTests {
    private let transport = CurlTransport()
    private let server: ScriptedServer

    init() throws {
      server = try ScriptedServer { _ in [.respond()] }
    }

    private func send(
      _ method: HTTPMethod, _ path: String = "/", _ headers: HTTPHeaders = [:],
      _ body: HTTPBody = .none
    ) async -> (record: ExchangeRecord, received: RawRequest?) {
      let record = await transport.perform(
        HTTPRequest(method: method, url: server.url(path), headers: headers, body: body))
      return (record, server.requests.entries.last)
    }

    @Test func aGetSendsOnlyItsFields() async {
      let (record, received) = await send(.get, "/a/../b?c=d%20e")
      #expect(received?.line == "GET /a/../b?c=d%20e HTTP/1.1")
      #expect(
        received?.fields.map { $0.prefix { $0 != ":" } } == ["Host", "Accept-Encoding"])
      #expect(record.head?.status == 200)
      #expect(record.order == ["head", "end"])
    }

    @Test(arguments: [
      "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "get", "M-SEARCH",
    ])
    func anyMethodIsSentWithAndWithoutABody(_ method: String) async {
      let method = HTTPMethod(rawValue: method)
      let (_, bare) = await send(method)
      #expect(bare?.method == method.rawValue)
      #expect(bare?.values(of: "Content-Length") == [])
      let (record, full) = await send(method, "/", [:], .data(Data("body".utf8)))
      #expect(full?.method == method.rawValue)
      #expect(full?.values(of: "Content-Length") == ["4"])
      #expect(full?.values(of: "Content-Type") == [])
      #expect(full?.body == Data("body".utf8))
      #expect(record.order == ["sent", "head", "end"])
      #expect(record.sent == [4])
    }

    @Test func aHEADResponseHasALengthAndNoBody() async throws {
      let server = try ScriptedServer { _ in
        [.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")]
      }
      let record = await transport.perform(HTTPRequest(method: .head, url: server.url()))
      #expect(record.order == ["head", "end"])
      #expect(record.head?.headers["content-length"] == "10")
      #expect(server.requests.entries.last?.line == "HEAD / HTTP/1.1")
    }

    @Test func headersAreSentUnchanged() async {
      let headers: HTTPHeaders = [
        "X-Twice": "1", "X-twice": "2", "X-Empty": "", "X-Blank": " ", "Accept": "a/b",
        "X-Umlaut": "grün", "Accept-Encoding": "identity", "Content-Length": "9",
      ]
      let (_, received) = await send(.get, "/", headers)
      #expect(
        received?.fields.dropFirst() == [
          "X-Twice: 1", "X-twice: 2", "X-Empty:", "X-Blank:", "Accept: a/b", "X-Umlaut: grün",
          "Accept-Encoding: identity",
        ])
    }

    @Test(arguments: [
      ("A", "b\r\nC: d"), ("A", "b\nc"), ("A", "b\0"), ("A B", "c"), ("", "c"), ("A:", "b"),
    ])
    func anInvalidFieldIsRejected(_ name: String, _ value: String) async {
      let (record, received) = await send(.get, "/", [name: value])
      #expect(record.failure?.code == .invalidHeader)
      #expect(received == nil)
    }

    @Test(arguments: [
      "ftp://127.0.0.1/", "file:///etc/passwd", "/relative", "http://user:secret@127.0.0.1:1/",
    ])
    func otherSchemesAndCredentialsInTheURLAreRejected(_ text: String) async throws {
      let record = await transport.get(try #require(URL(string: text)))
      #expect(record.failure?.code == .invalidURL)
      #expect(record.failure?.detail.contains("secret") == false)
    }

    @Test(arguments: [0, 1, 64 << 10, (64 << 10) + 1, 20 << 20])
    func aBodyArrivesComplete(_ size: Int) async throws {
      let body = Data.pattern(size)
      let (record, received) = await send(.put, "/", [:], .data(body))
      #expect(received?.body == body)
      #expect(received?.values(of: "Content-Length") == ["\(size)"])
      #expect(received?.values(of: "Expect") == [])
      #expect(record.metrics?.bytesSent == Int64(size))
      #expect(record.sent.last ?? 0 == Int64(size))
      let folder = TemporaryFolder()
      let file = try folder.file("body", body)
      let (fromFile, ofFile) = await send(.post, "/", [:], .file(file))
      #expect(ofFile?.line == "POST / HTTP/1.1")
      #expect(ofFile?.values(of: "Content-Length") == ["\(size)"])
      #expect(ofFile?.body == body)
      #expect(fromFile.sent.last ?? 0 == Int64(size))
      #expect(server.connectionCount == 1)
    }

    @Test func aBodyFileThatIsNotAFileIsRejected() async {
      let missing = URL(fileURLWithPath: "/does/not/exist")
      let (record, _) = await send(.post, "/", [:], .file(missing))
      #expect(record.failure?.code == .encodingFailed)
      #expect(
        record.failure?.detail
          == "The body cannot be read: the file exist cannot be opened: No such file or directory")
      let (folder, _) = await send(.post, "/", [:], .file(URL(fileURLWithPath: "/tmp")))
      #expect(folder.failure?.detail == "The body cannot be read: tmp is not a regular file")
      #expect(server.connectionCount == 0)
    }

    @Test func aBodyFileThatIsANamedPipeIsRejectedWithoutWaiting() async throws {
      let folder = TemporaryFolder()
      let pipe = folder.url("pipe")
      try #require(mkfifo(pipe.path, 0o600) == 0)
      let (record, _) = await send(.post, "/", [:], .file(pipe))
      #expect(record.failure?.code == .encodingFailed)
      #expect(record.failure?.detail == "The body cannot be read: pipe is not a regular file")
    }
  }
#endif
