#if os(Linux)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
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
