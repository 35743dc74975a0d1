import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct MockTransportTests {
  private let backend: [Route] = [
    Route(.get, "/boards/{id}") { request in .json(["id": request.path["id"]]) },
    Route(.post, "/echo") { request in .data(request.body) },
    Route(.post, "/count") { request in .text("\(request.bodyByteCount) \(request.body.count)") }
      .discardingBody(),
    Route(.get, "/async") { _ in
      await Task.yield()
      return .text("later")
    },
    Route(.get, "/throws") { _ -> Mock in throw TestError("handler") },
    Route(.get, "/rejects") { _ in Promise<Mock>.rejected(TestError("promise")) },
  ]

  private func url(_ path: String) throws -> URL {
    try #require(URL(string: "http://api.example.com:81\(path)"))
  }

  @Test func routesReceiveTheirVariables() async throws {
    let transport = MockTransport(routes: backend)
    let record = await transport.get(try url("/boards/a%2Fb?x=1"))
    #expect(record.order == ["head", "body", "end"])
    #expect(record.head?.headers["Content-Length"] == "12")
    #expect(String(decoding: record.body, as: UTF8.self) == #"{"id":"a/b"}"#)
    let head = await transport.perform(HTTPRequest(method: .head, url: try url("/boards/1")))
    #expect(head.order == ["head", "end"])
    #expect(head.head?.headers["Content-Length"] == "10")
  }

  @Test(arguments: [
    ("api.example.com:81", "api.example.com:81"), ("[::1]:81", "[::1]:81"),
    ("[fe80::1%25eth0]", "[fe80::1]"), ("b\u{FC}cher.example", "xn--bcher-kva.example"),
  ])
  func theHostFieldIsThatOfARealConnection(_ host: String, _ sent: String) async throws {
    let transport = MockTransport { Route(.get, "/") { .text($0.headers["Host"] ?? "") } }
    let record = await transport.get(try #require(URL(string: "http://\(host)/")))
    #expect(String(decoding: record.body, as: UTF8.self) == sent)
  }

  @Test func oneBackendServesBothTransports() async throws {
    let server = try MockServer(routes: backend)
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    try await client.send("GET /boards/7 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try await client.receive(until: "}").hasSuffix(#"{"id":"7"}"#))
    let record = await MockTransport(routes: backend).get(try url("/boards/7"))
    #expect(String(decoding: record.body, as: UTF8.self) == #"{"id":"7"}"#)
  }

  @Test func aHandlerReceivesTheRequestLikeAServer() async throws {
    let log = Log<ReceivedRequest>()
    let time = TestScheduler()
    let transport = MockTransport(scheduler: time) {
      Route(nil, "/{all*}") { request in
        log.append(request)
        return .status(204)
      }
    }
    await time.advance(by: .seconds(5))
    _ = await transport.perform(
      HTTPRequest(
        method: .put, url: try url("/a?b=c%20d"), headers: ["A": "b"],
        body: .data(Data("hi".utf8))))
    _ = await transport.get(try url(""))
    let request = try #require(log.entries.first)
    #expect(request.method == .put)
    #expect(request.target == "/a?b=c%20d")
    #expect(request.query["b"] == "c d")
    #expect(request.path.text == "/a")
    #expect(
      request.headers == ["A": "b", "Host": "api.example.com:81", "Content-Length": "2"])
    #expect(request.text == "hi")
    #expect(request.time == .seconds(5))
    #expect(log.entries.map(\.exchange) == [0, 1])
    #expect(log.entries.last?.target == "/")
  }

  @Test func bodiesComeFromMemoryAndFiles() async throws {
    let folder = TemporaryFolder()
    let file = try folder.file("body.txt", "file")
    let transport = MockTransport(routes: backend)
    func post(_ path: String, _ body: HTTPBody) async throws -> ExchangeRecord {
      await transport.perform(HTTPRequest(method: .post, url: try url(path), body: body))
    }
    let pieces = HTTPBody.pieces([.data(Data("a ".utf8)), .file(file)])
    let echoed = try await post("/echo", pieces)
    #expect(String(decoding: echoed.body, as: UTF8.self) == "a file")
    #expect(echoed.sent == [6])
    #expect(echoed.order == ["sent", "head", "body", "end"])
    let stream = BodyStream { AsyncStream<Data> { $0.finish() } }
    let joined = HTTPBody.pieces([.data(Data("a ".utf8)), .stream(stream), .file(file)])
    #expect(try await post("/echo", joined).body == Data("a file".utf8))
    let counted = try await post("/count", .file(file))
    #expect(String(decoding: counted.body, as: UTF8.self) == "4 0")
    let missing = HTTPBody.file(folder.url("none"))
    for path in ["/echo", "/count"] {
      let failure = try #require(try await post(path, missing).failure)
      #expect(failure.code == .encodingFailed)
      #expect(
        failure.detail
          == "The body cannot be read: the file none cannot be opened: No such file or directory")
    }
  }

  @Test func anUnmatchedRequestIsDescribed() async throws {
    let transport = MockTransport(routes: backend)
    let failure = await transport.get(try url("/nowhere?secret=1")).failure
    #expect(failure?.code == .mockFailed)
    #expect(
      failure?.detail == """
        no route for GET /nowhere
        nearest routes:
          GET /async
            path: expected /async, actual /nowhere
          GET /throws
            path: expected /throws, actual /nowhere
          GET /rejects
            path: expected /rejects, actual /nowhere
        """)
    let wrong = await transport.perform(HTTPRequest(method: .delete, url: try url("/echo")))
    #expect(wrong.head?.status == 405)
    #expect(wrong.head?.headers["Allow"] == "OPTIONS, POST")
    let malformed = MockTransport(routes: [Route(.get, "a/*") { _ in .status(200) }])
    #expect(
      await malformed.get(try url("/")).failure?.detail
        .hasPrefix(#"the route "a/*" is malformed: * is ambiguous"#) == true)
  }

  @Test func aFallbackHandlesUnmatchedRequests() async throws {
    let network = FakeTransport { _ in .response(299) }
    let transport = MockTransport(fallback: network) {
      Route(.get, "/a") { _ in .sequence(.status(201), then: .fallsThrough) }
    }
    let paths = ["/a", "/a", "/b"]
    var statuses: [Int?] = []
    for path in paths { statuses.append(await transport.get(try url(path)).head?.status) }
    #expect(statuses == [201, 299, 299])
    #expect(network.requests.count == 2)
  }

  @Test func aSequenceWithoutAFallbackIsUnmatched() async throws {
    let transport = MockTransport {
      Route(.get, "/a") { _ in .sequence([], then: .fallsThrough) }
    }
    #expect(
      await transport.get(try url("/a")).failure?.detail
        == "no route for GET /a after a sequence falls through")
  }

  @Test func handlersCanSuspendAndFail() async throws {
    let transport = MockTransport(routes: backend)
    let later = await transport.get(try url("/async"))
    #expect(String(decoding: later.body, as: UTF8.self) == "later")
    for (path, error) in [("/throws", "handler"), ("/rejects", "promise")] {
      let record = await transport.get(try url(path))
      #expect(record.head?.status == 500)
      #expect(
        String(decoding: record.body, as: UTF8.self)
          == "the handler failed: TestError(\(error))\n")
    }
  }

  @Test func aPendingHandlerIsCancelledWithItsRequest() async throws {
    let (promise, resolver) = Promise<Mock>.pending()
    let transport = MockTransport { Route(.get, "/a") { _ in promise } }
    let exchange = ExchangeRecorder(transport, HTTPRequest(url: try url("/a")))
    #expect(exchange.current.order.isEmpty)
    exchange.cancel()
    exchange.cancel()
    #expect(exchange.current.failure?.code == .cancelled)
    #expect(exchange.current.lastEvents == 1)
    #expect(await promise.result.error is CancellationError)
    withExtendedLifetime(resolver) {}
  }

  @Test func aHandlerThatNeverReturnsTimesOut() async throws {
    let time = TestScheduler()
    let (promise, resolver) = Promise<Mock>.pending()
    let transport = MockTransport(scheduler: time) { Route(.get, "/a") { _ in promise } }
    let exchange = ExchangeRecorder(
      transport, HTTPRequest(url: try url("/a"), idleTimeout: .seconds(60)))
    await time.advance(by: .seconds(60))
    #expect(exchange.current.failure?.code == .timedOut(.idle))
    resolver.fulfill(.text("late"))
    #expect(exchange.current.lastEvents == 1)
  }

  @Test func aResponseDuringSuspensionIsDeferred() async throws {
    let (promise, resolver) = Promise<Mock>.pending()
    let transport = MockTransport { Route(.get, "/a") { _ in promise } }
    let exchange = ExchangeRecorder(transport, HTTPRequest(url: try url("/a")))
    exchange.suspend()
    resolver.fulfill(.text("held"))
    #expect(exchange.current.order.isEmpty)
    exchange.resume()
    #expect(exchange.current.order == ["head", "body", "end"])
  }
}
