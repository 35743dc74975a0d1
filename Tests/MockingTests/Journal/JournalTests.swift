import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct JournalTests {
  private func post(_ path: String, _ body: HTTPBody = .none) throws -> HTTPRequest {
    HTTPRequest(
      method: .post, url: try #require(URL(string: "http://a\(path)")), headers: ["A": "b"],
      body: body)
  }

  @Test func theBodyOfARequestWithoutARouteIsKept() async throws {
    let server = try MockServer { Route(.get, "/a", .json([])) }
    let request = HTTPRequest(
      method: .post, url: server.url.appending(path: "b"), body: .data(Data("body".utf8)))
    #expect(await URLSessionTransport().perform(request).head?.status == 404)
    #expect(server.journal.entries.map(\.request.text) == ["body"])
    server.stop()
  }

  @Test func requestsRunningAtAResetDoNotAffectLaterOnes() async throws {
    let time = TestScheduler()
    let transport = MockTransport(scheduler: time) {
      Route(.post, "/slow", Mock(status: 201, delay: .seconds(5)))
    }
    let before = ExchangeRecorder(transport, try post("/slow"))
    transport.journal.reset()
    await time.advance(by: .seconds(1))
    let after = ExchangeRecorder(transport, try post("/slow"))
    await time.advance(by: .seconds(4))
    _ = await before.record
    #expect(transport.journal.entries.map(\.outcome) == [nil])
    await time.advance(by: .seconds(1))
    _ = await after.record
    #expect(transport.journal.entries.map(\.outcome) == [.response(status: 201)])
  }

  @Test func anEntryHasRequestTimeStubAndOutcome() async throws {
    let time = TestScheduler()
    let transport = MockTransport(scheduler: time) {
      Route(.post, "/boards", .status(201)).where(.header("a"))
      Route(.post, "/slow", Mock(delay: .seconds(5)))
      Route(.post, "/lost", .failure(.connectionLost))
      Route(.post, "/late") { _ -> Mock in throw TestError("late") }
    }
    await time.advance(by: .seconds(3))
    _ = await transport.perform(try post("/boards?token=s3cret", .data(Data("hi".utf8))))
    let slow = ExchangeRecorder(transport, try post("/slow"))
    for path in ["/lost", "/late", "/none"] { _ = await transport.perform(try post(path)) }
    _ = await transport.get(.of("http://a/boards"))

    let entries = transport.journal.entries
    #expect(entries.map(\.number) == [1, 2, 3, 4, 5, 6])
    let first = try #require(entries.first)
    #expect(first.request.method == .post)
    #expect(first.request.target == "/boards?token=s3cret")
    #expect(first.request.headers == ["A": "b", "Host": "a", "Content-Length": "2"])
    #expect(first.request.text == "hi")
    #expect(first.request.time == .seconds(3))
    #expect(first.stub == #"POST /boards where header "a": any value"#)
    #expect(
      entries.map(\.outcome) == [
        .response(status: 201), nil, .failure(.connectionLost), .response(status: 500),
        .failure(.mockFailed), .response(status: 405),
      ])
    #expect(entries[4].stub == nil)
    #expect(
      "\(first)"
        == #"1. POST /boards?token=***, status 201, stub POST /boards where header "a": any value"#)
    #expect("\(entries[1])" == "2. POST /slow, in progress, stub POST /slow")

    await time.advance(by: .seconds(5))
    _ = await slow.record
    #expect(transport.journal.entries[1].outcome == .response(status: 200))
  }

  @Test func cancelledAndTimedOutResponsesAreFailures() async throws {
    let time = TestScheduler()
    let (pending, resolver) = Promise<Mock>.pending()
    defer { resolver.fulfill(.status(200)) }
    let transport = MockTransport(scheduler: time) {
      Route(.post, "/slow", Mock(delay: .seconds(5)))
      Route(.post, "/promised") { _ in pending }
    }
    let slow = ExchangeRecorder(transport, try post("/slow"))
    slow.cancel()
    _ = await slow.record
    var request = try post("/promised")
    request.idleTimeout = .seconds(1)
    let promised = ExchangeRecorder(transport, request)
    await time.advance(by: .seconds(1))
    _ = await promised.record
    #expect(
      transport.journal.entries.map(\.outcome) == [
        .failure(.cancelled), .failure(.timedOut(.idle)),
      ])
  }

  @Test func mocksOfAClosureHaveNoStub() async throws {
    let provider = MockProvider<Request> { _ in .sequence(.status(201), then: .fallsThrough) }
    let network = FakeTransport { _ in .response(299) }
    let client = Networking(mockProvider: provider, transport: network)
    for _ in 0..<2 { _ = await client.request(.get("http://a/boards")).result }
    #expect(provider.journal.entries.map(\.outcome) == [.response(status: 201), .passedThrough])
    #expect(provider.journal.entries.map(\.stub) == [nil, nil])
  }

  @Test func theOldestRequestsAreDiscarded() async throws {
    let transport = MockTransport(journal: JournalLimits(requests: 3)) {
      Route(nil, "/{id}", .status(200))
    }
    for number in 1...8 { _ = await transport.perform(try post("/\(number)")) }
    #expect(transport.journal.count == 8)
    #expect(transport.journal.discardedCount == 5)
    #expect(transport.journal.entries.map(\.number) == [6, 7, 8])
    #expect(transport.journal.entries.map(\.request.path.text) == ["/6", "/7", "/8"])
    #expect(transport.journal.entries.allSatisfy { $0.outcome == .response(status: 200) })
    transport.journal.reset()
    #expect(transport.journal.entries.isEmpty)
    #expect(transport.journal.count == 0)
    _ = await transport.perform(try post("/9"))
    #expect(transport.journal.entries.map(\.number) == [1])
  }

  @Test(arguments: [true, false])
  func theOldestBodiesAreDiscardedAndStillCounted(byRoutes: Bool) async throws {
    let limits = JournalLimits(requests: 4, bodyBytes: 10)
    let provider =
      byRoutes
      ? MockProvider<Request>(routes: [Route(nil, "/{id}", .status(200))], journal: limits)
      : MockProvider<Request>(journal: limits) { _ in .status(200) }
    let client = Networking(mockProvider: provider)
    for body in ["12345", "1234", "12345678901", "123", "", "1234567"] {
      _ = await client.request(.upload(data: Data(body.utf8), to: "http://a/x")).result
    }
    let requests = provider.journal.entries.map(\.request)
    #expect(requests.map(\.text) == ["", "123", "", "1234567"])
    #expect(requests.map(\.bodyByteCount) == [11, 3, 0, 7])
  }

  @Test func bodiesOfUnmatchedRequestsAreKeptUpToTheLimit() async throws {
    let routes = [Route(.get, "/boards", .status(200))]
    let transport = MockTransport(routes: routes, journal: JournalLimits(bodyBytes: 6))
    var limits = MockServerLimits()
    limits.journal.bodyBytes = 6
    let server = try MockServer(routes: routes, limits: limits)
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    for (path, body) in [("/none", "123456"), ("/boards", "1234"), ("/none", "1234567")] {
      _ = await transport.perform(try post(path, .data(Data(body.utf8))))
      try await client.send(
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n\(body)")
      _ = try await server.takeRequest().value
      let texts = transport.journal.entries.map(\.request.text)
      #expect(server.journal.entries.map(\.request.text) == texts)
      #expect(texts.last == (body.count > 6 ? "" : body))
    }
    let sizes = [6, 4, 7]
    #expect(transport.journal.entries.map(\.request.bodyByteCount) == sizes)
    #expect(server.journal.entries.map(\.request.bodyByteCount) == sizes)
  }

  @Test func aFileBodyIsReadBeforeItIsRemoved() async throws {
    let folder = TemporaryFolder()
    let file = try folder.file("body", "in a file")
    let provider = MockProvider<Request> { _ in .status(200) }
    let client = Networking(mockProvider: provider)
    _ = await client.request(.upload(file: file, to: "http://a/x")).result
    try FileManager.default.removeItem(at: file)
    #expect(provider.journal.entries.map(\.request.text) == ["in a file"])
  }

  @Test func aRequestWhoseFileDoesNotExistIsRecordedWithoutABody() async throws {
    let folder = TemporaryFolder()
    let transport = MockTransport { Route(.post, "/a", .status(201)) }
    let record = await transport.perform(try post("/a", .file(folder.url("none"))))
    #expect(record.failure?.code == .encodingFailed)
    let entries = transport.journal.entries
    #expect(entries.map(\.outcome) == [.failure(.encodingFailed)])
    #expect(entries.map(\.request.body) == [Data()])
    #expect(entries.map(\.request.bodyByteCount) == [0])
  }
}
