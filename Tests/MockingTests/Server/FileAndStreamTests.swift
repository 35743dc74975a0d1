import Foundation
import Promises
import TestSupport
import Testing

@testable import Mocking

/// Tests of bodies from files.
@Suite(.timeLimit(.minutes(10)))
struct FileBodyTests {
  private let folder = TemporaryFolder()

  /// Returns a transport with a file of ten bytes, whose validators are known.
  private func transport(_ mock: (Mock) -> Mock = { $0 }) throws -> MockTransport {
    _ = try folder.file("a.txt", "0123456789")
    let file = Mock.file("a.txt", in: folder.url)
    let response = mock(
      file.header("ETag", "\"v1\"").header("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"))
    return MockTransport { Route(nil, "/a", response) }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var method = HTTPMethod.get
    let headers: HTTPHeaders
    let status: Int
    var body = ""
    var contentRange: String?

    var testDescription: String { "\(method) \(headers.map { "\($0.name): \($0.value)" })" }
  }

  private static let whole = "0123456789"
  private static let rows = [
    Row(headers: [:], status: 200, body: whole),
    // Ranges
    Row(headers: ["Range": "bytes=0-3"], status: 206, body: "0123", contentRange: "0-3/10"),
    Row(headers: ["Range": "bytes=9-9"], status: 206, body: "9", contentRange: "9-9/10"),
    Row(headers: ["Range": "bytes=7-"], status: 206, body: "789", contentRange: "7-9/10"),
    Row(headers: ["Range": "bytes=-2"], status: 206, body: "89", contentRange: "8-9/10"),
    Row(headers: ["Range": "bytes=-99"], status: 206, body: whole, contentRange: "0-9/10"),
    Row(headers: ["Range": "bytes=8-99"], status: 206, body: "89", contentRange: "8-9/10"),
    Row(headers: ["Range": "Bytes= 2-2"], status: 206, body: "2", contentRange: "2-2/10"),
    Row(
      headers: ["Range": "bytes=1-99999999999999999999999"], status: 206, body: "123456789",
      contentRange: "1-9/10"),
    Row(headers: ["Range": "bytes=10-"], status: 416, contentRange: "*/10"),
    Row(headers: ["Range": "bytes=99999999999999999999999-"], status: 416, contentRange: "*/10"),
    Row(headers: ["Range": "bytes=-0"], status: 416, contentRange: "*/10"),
    Row(headers: ["Range": "bytes=3-1"], status: 200, body: whole),
    Row(headers: ["Range": "bytes=a-b"], status: 200, body: whole),
    Row(headers: ["Range": "bytes=+1-2"], status: 200, body: whole),
    Row(headers: ["Range": "bytes=-"], status: 200, body: whole),
    Row(headers: ["Range": "bytes=1"], status: 200, body: whole),
    Row(headers: ["Range": "bytes=0-1,3-4"], status: 200, body: whole),
    Row(headers: ["Range": "lines=0-1"], status: 200, body: whole),
    Row(method: .head, headers: ["Range": "bytes=0-1"], status: 200),
    Row(method: .post, headers: ["Range": "bytes=0-1"], status: 200, body: whole),
    // If-Range
    Row(
      headers: ["Range": "bytes=0-1", "If-Range": "\"v1\""], status: 206, body: "01",
      contentRange: "0-1/10"),
    Row(headers: ["Range": "bytes=0-1", "If-Range": "\"v2\""], status: 200, body: whole),
    Row(headers: ["Range": "bytes=0-1", "If-Range": "W/\"v1\""], status: 200, body: whole),
    Row(
      headers: ["Range": "bytes=0-1", "If-Range": "Sun, 06 Nov 1994 08:49:37 GMT"], status: 206,
      body: "01", contentRange: "0-1/10"),
    Row(
      headers: ["Range": "bytes=0-1", "If-Range": "Sun, 06 Nov 1994 08:49:38 GMT"], status: 200,
      body: whole),
    // Conditions
    Row(headers: ["If-None-Match": "\"v1\""], status: 304),
    Row(headers: ["If-None-Match": "\"a,b\", W/\"v1\""], status: 304),
    Row(headers: ["If-None-Match": "*"], status: 304),
    Row(headers: ["If-None-Match": "\"v2\""], status: 200, body: whole),
    Row(method: .head, headers: ["If-None-Match": "\"v1\""], status: 304),
    Row(method: .post, headers: ["If-None-Match": "\"v1\""], status: 200, body: whole),
    Row(headers: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], status: 304),
    Row(headers: ["If-Modified-Since": "Sunday, 06-Nov-94 08:49:37 GMT"], status: 304),
    Row(headers: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"], status: 200, body: whole),
    Row(headers: ["If-Modified-Since": "yesterday"], status: 200, body: whole),
    Row(
      headers: [
        "If-None-Match": "\"v2\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT",
      ], status: 200, body: whole),
    Row(headers: ["If-Match": "\"v1\""], status: 200, body: whole),
    Row(headers: ["If-Match": "*"], status: 200, body: whole),
    Row(headers: ["If-Match": "\"v2\""], status: 412),
    Row(headers: ["If-Match": "W/\"v1\""], status: 412),
    Row(headers: ["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"], status: 412),
    Row(
      headers: ["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], status: 200, body: whole),
    Row(headers: ["If-Match": "\"v2\"", "If-None-Match": "\"v1\""], status: 412),
    Row(headers: ["If-None-Match": "\"v1\"", "Range": "bytes=0-1"], status: 304),
  ]

  @Test(arguments: rows)
  func aRequestReceivesTheFileAPartOfItOrNothing(_ row: Row) async throws {
    let record = await (try transport()).perform(
      HTTPRequest(method: row.method, url: .of("http://h/a"), headers: row.headers))
    #expect(record.head?.status == row.status)
    #expect(String(decoding: record.body, as: UTF8.self) == row.body)
    #expect(record.head?.headers["Content-Range"] == row.contentRange.map { "bytes \($0)" })
    if row.method != .post {
      #expect(record.head?.headers["ETag"] == "\"v1\"")
      #expect(record.head?.headers["Accept-Ranges"] == "bytes")
    }
  }

  @Test func aFileHasValidatorsOfItsOwn() async throws {
    let file = try folder.file("a.json", "[]")
    let date = Date(timeIntervalSince1970: 784_111_777)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
    let transport = MockTransport { [url = folder.url] in Route(nil, "/a", .file("a.json", in: url))
    }
    let first = try #require(await transport.get(.of("http://h/a")).head)
    #expect(first.headers["Last-Modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(first.headers["Content-Type"] == "application/json")
    let tag = try #require(first.headers["ETag"])
    let again = await transport.perform(
      HTTPRequest(url: .of("http://h/a"), headers: ["If-None-Match": tag]))
    #expect(again.head?.status == 304)
    _ = try folder.file("a.json", "[1]")
    let changed = await transport.perform(
      HTTPRequest(url: .of("http://h/a"), headers: ["If-None-Match": tag]))
    #expect(changed.head?.status == 200)
    #expect(changed.body == Data("[1]".utf8))
  }

  @Test func anErrorPageIsNeverPartial() async throws {
    let transport = try transport { file in
      var mock = file
      mock.status = 404
      return mock
    }
    let record = await transport.perform(
      HTTPRequest(url: .of("http://h/a"), headers: ["Range": "bytes=0-1", "If-Match": "\"v2\""]))
    #expect(record.head?.status == 404)
    #expect(String(decoding: record.body, as: UTF8.self) == Self.whole)
  }

  @Test func aFolderIsNotReadAsAFile() async throws {
    let transport = MockTransport { [url = folder.url] in Route(nil, "/a", .file(".", in: url)) }
    #expect(
      await transport.get(.of("http://h/a")).failure?.detail.contains("it is a folder") == true)
  }

  @Test func aLargeFileIsServedCompletelyAndInPart() async throws {
    let content = Data.pattern(3_000_000)
    _ = try folder.file("large", content)
    let server = try MockServer { [url = folder.url] in
      Route(.get, "/large", .file("large", in: url))
    }
    let client = try RawClient(port: server.port)
    try await client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try await client.receive(until: "\r\n\r\n").contains("Content-Length: 3000000\r\n"))
    #expect(try await client.receive(exactly: content.count) == content)
    try await client.send(
      "GET /large HTTP/1.1\r\nHost: a\r\nRange: bytes=1000000-2000000\r\n\r\n")
    #expect(
      try await client.receive(until: "\r\n\r\n").contains(
        "Content-Range: bytes 1000000-2000000/3000000\r\n"))
    #expect(try await client.receive(exactly: 1_000_001) == content[1_000_000...2_000_000])
  }

  /// The connection closes, because the declared length can no longer be sent.
  @Test func aFileThatShrinksWhileItIsSentEndsTheConnection() throws {
    let url = try folder.file("a", Data.pattern(200_000))
    let file = try #require(try OpenFile(url))
    guard case .generated(let count, let make) = file.body(0..<file.byteCount) else {
      Issue.record("the body is in memory")
      return
    }
    #expect(count == 200_000)
    #expect(make(0..<100) == Data.pattern(100))
    try Data("short".utf8).write(to: url)
    let handle = try FileHandle(forWritingTo: url)
    try handle.truncate(atOffset: 0)
    let shrunk = try #require(try OpenFile(url))
    #expect(shrunk.read(0..<100).isEmpty)
    #expect(file.read(199_999..<300_000).count <= 1)
  }
}

/// Tests of bodies that are sent over time.
@Suite(.timeLimit(.minutes(10)))
struct StreamTests {
  private let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

  // MARK: On a socket

  @Test func eventsArriveAtTheirTimes() async throws {
    let time = TestScheduler()
    let server = try MockServer(scheduler: time) {
      Route(
        .get, "/a", .events(["1", MockEvent("2", after: .seconds(9)), "3"], every: .seconds(1)))
    }
    let client = try RawClient(port: server.port)
    try await client.send(get)
    let start = try await client.receive(until: "data: 1\n\n\r\n")
    #expect(start.contains("Content-Type: text/event-stream\r\n"))
    #expect(start.contains("Transfer-Encoding: chunked\r\n"))
    await time.advance(by: .seconds(9))
    #expect(try await client.receive(until: "\n\n\r\n") == "9\r\ndata: 2\n\n\r\n")
    await time.advance(by: .seconds(1))
    #expect(try await client.receive(until: "0\r\n\r\n") == "9\r\ndata: 3\n\n\r\n0\r\n\r\n")
    #expect(time.scheduledCount == 0)
    // The connection is used again.
    try await client.send(get)
    _ = try await client.receive(until: "data: 1\n\n\r\n")
  }

  @Test func oneAdvanceReachesSeveralItemsOfAnEndlessStream() async throws {
    let time = TestScheduler()
    let server = try MockServer(scheduler: time) {
      Route(.get, "/a", .lines([1, 2], every: .seconds(1), repeats: .forever))
    }
    let client = try RawClient(port: server.port)
    try await client.send(get)
    _ = try await client.receive(until: "2\r\n1\n\r\n")
    await time.advance(by: .seconds(4))
    let expected = "2\r\n2\n\r\n2\r\n1\n\r\n2\r\n2\n\r\n2\r\n1\n\r\n"
    #expect(
      String(decoding: try await client.receive(exactly: expected.utf8.count), as: UTF8.self)
        == expected)
    #expect(time.scheduledCount == 1)
  }

  @Test func aDisconnectEndsAStream() async throws {
    let time = TestScheduler()
    let server = try MockServer(scheduler: time) {
      Route(.get, "/a", .events(["1"], every: .seconds(1), repeats: .forever))
    }
    var client: RawClient? = try RawClient(port: server.port)
    try await client?.send(get)
    _ = try await client?.receive(until: "data: 1\n\n\r\n")
    client = nil
    #expect(try await server.closing(of: 0).value.wasAborted)
    #expect(time.scheduledCount == 0)
  }

  #if os(Linux)
    @Test func aClientReadsAnEndlessStreamInRealTimeUntilItCancels() async throws {
      let server = try MockServer {
        Route(.get, "/a", .events(["tick"], every: .milliseconds(1), repeats: .forever))
      }
      let pieces = Log<Void>()
      let exchange = ExchangeRecorder(
        CurlTransport(), HTTPRequest(url: server.url.appending(path: "a"))
      ) { event in
        if case .body = event { pieces.append(()) }
      }
      _ = await pieces.entries(3)
      exchange.cancel()
      #expect(try await server.closing(of: 0).value.wasAborted)
      #expect(exchange.current.body.starts(with: Data("data: tick\n\ndata: tick\n\n".utf8)))
    }
  #endif

  @Test func aClientOfHTTP10ReceivesAStreamWithoutChunks() async throws {
    let server = try MockServer { Route(.get, "/a", .lines([["a": 1], "b"], repeats: .times(2))) }
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.0\r\n\r\n")
    #expect(
      try await client.receiveAll().hasSuffix("\r\n\r\n{\"a\":1}\n\"b\"\n{\"a\":1}\n\"b\"\n"))
  }

  @Test(arguments: [
    (MockFault.close, MockFault.Stage.body(afterBytes: 11), "9\r\ndata: 1\n"),
    (
      .garbage(Data("?".utf8)), .body(afterBytes: 14),
      "9\r\ndata: 1\n\n\r\n?9\r\ndata: 2\n\n\r\n0\r\n\r\n"
    ),
    (.close, .body(afterBytes: 99), "9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n0\r\n\r\n"),
    (.close, .end, "9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n0\r\n\r\n"),
    (.malformedChunk, .request, "no-size\r\n"),
  ])
  func aFaultInterruptsAStreamAtItsByte(
    fault: MockFault, stage: MockFault.Stage, body: String
  ) async throws {
    let server = try MockServer {
      Route(.get, "/a", Mock.events(["1", "2"]).interrupted(by: fault, at: stage))
    }
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect(try await client.receiveAll().hasSuffix("\r\n\r\n\(body)"))
  }

  // MARK: In memory

  @Test func eventsArriveAtTheirTimesInMemory() async {
    let time = TestScheduler()
    let exchange = ExchangeRecorder(
      MockTransport(scheduler: time) {
        Route(
          .get, "/a",
          Mock.lines([1, 2, 3], every: .seconds(2)).delayed(by: .seconds(5))
            .bodyDelayed(by: .seconds(1)))
      }, HTTPRequest(url: .of("http://h/a")))
    await time.advance(by: .seconds(5))
    #expect(exchange.current.order == ["head"])
    await time.advance(by: .seconds(1))
    #expect(exchange.current.pieces == [2])
    await time.advance(by: .seconds(4))
    #expect(exchange.current.order == ["head", "body", "end"])
    #expect(exchange.current.pieces == [2, 2, 2])
    #expect(exchange.current.metrics?.total == .seconds(10))
  }

  @Test func anEndlessStreamInMemoryEndsWhenItIsCancelled() async {
    let time = TestScheduler()
    let exchange = ExchangeRecorder(
      MockTransport(scheduler: time) {
        Route(.get, "/a", .lines([1], every: .seconds(1), repeats: .forever))
      }, HTTPRequest(url: .of("http://h/a")))
    await time.advance(by: .seconds(100))
    #expect(exchange.current.pieces.count == 101)
    exchange.cancel()
    #expect(exchange.current.failure?.code == .cancelled)
    #expect(time.scheduledCount == 0)
  }

  @Test func anEndlessStreamWithoutDelaysDoesNotOccupyTheThread() async {
    let time = TestScheduler()
    let exchange = ExchangeRecorder(
      MockTransport(scheduler: time) { Route(.get, "/a", .lines([1, 2], repeats: .forever)) },
      HTTPRequest(url: .of("http://h/a")))
    await time.advance(by: .milliseconds(3))
    #expect(exchange.current.pieces.count == 4)
    exchange.cancel()
  }

  @Test func anEmptyStreamIsAnEmptyBody() async {
    let transport = MockTransport {
      Route(.get, "/a", .lines([], repeats: .forever))
      Route(.head, "/b", .lines([1], repeats: .forever))
    }
    let empty = await transport.get(.of("http://h/a"))
    #expect(empty.head?.status == 200 && empty.body.isEmpty && empty.failure == nil)
    let head = await transport.perform(HTTPRequest(method: .head, url: .of("http://h/b")))
    #expect(head.head?.status == 200 && head.body.isEmpty && head.failure == nil)
  }

  // MARK: Items

  @Test(arguments: [
    (MockEvent("a"), "data: a\n\n"),
    ("a\nb\r\nc\rd", "data: a\ndata: b\ndata: c\ndata: d\n\n"),
    ("", "data: \n\n"),
    (
      MockEvent("{}", event: "tick", id: "7", retry: .seconds(3)),
      "event: tick\nid: 7\nretry: 3000\ndata: {}\n\n"
    ),
    (MockEvent("a", event: "b\r\ndata: c", id: "1\0\n2"), "event: bdata: c\nid: 12\ndata: a\n\n"),
  ])
  func anEventIsEncodedInLines(event: MockEvent, text: String) {
    #expect(String(decoding: event.bytes, as: UTF8.self) == text)
  }

  // MARK: Interim responses and trailers

  @Test func interimResponsesPrecedeTheDelay() async throws {
    let time = TestScheduler()
    let server = try MockServer(scheduler: time) {
      Route(
        .get, "/a",
        Mock.text("late").interim(102).interim(103, headers: ["Link": "</a.css>; rel=preload"])
          .delayed(by: .seconds(5)))
    }
    let client = try RawClient(port: server.port)
    try await client.send(get)
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
    let interim = "HTTP/1.1 102 Processing\r\n\r\n" + hints
    #expect(
      String(decoding: try await client.receive(exactly: interim.utf8.count), as: UTF8.self)
        == interim)
    await time.advance(by: .seconds(5))
    #expect(try await client.receive(until: "late").hasPrefix("HTTP/1.1 200 OK\r\n"))
    try await client.send("GET /a HTTP/1.0\r\n\r\n")
    _ = try await server.takeRequest().value
    _ = try await server.takeRequest().value
    await time.advance(by: .seconds(5))
    #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 200 OK\r\n"))
  }

  @Test func trailersFollowTheBody() async throws {
    let server = try MockServer {
      Route(.get, "/a", Mock.text("hi").trailers(["X-Sum": "9", "Server-Timing": "db;dur=5"]))
      Route(.get, "/b", Mock.lines([1]).trailers(["X-Sum": "9"]))
    }
    let client = try RawClient(port: server.port)
    try await client.send(get)
    let response = try await client.receive(until: "dur=5\r\n\r\n")
    #expect(response.contains("\r\nTrailer: X-Sum, Server-Timing\r\n"))
    #expect(
      response.hasSuffix("\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 9\r\nServer-Timing: db;dur=5\r\n\r\n"))
    try await client.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(
      try await client.receive(until: "9\r\n\r\n").hasSuffix("2\r\n1\n\r\n0\r\nX-Sum: 9\r\n\r\n"))
    try await client.send("GET /a HTTP/1.0\r\n\r\n")
    #expect(try await client.receiveAll().hasSuffix("\r\n\r\nhi"))
  }

  @Test func interimResponsesAndTrailersAreDroppedInMemory() async {
    let transport = MockTransport {
      Route(.get, "/a", Mock.text("hi").interim(103).trailers(["X-Sum": "9"]))
    }
    let record = await transport.get(.of("http://h/a"))
    #expect(record.order == ["head", "body", "end"])
    #expect(record.head?.status == 200)
    #expect(record.body == Data("hi".utf8))
  }

  @Test(arguments: [
    Mock.text("a").interim(101), Mock.text("a").interim(200),
    Mock.text("a").interim(103, headers: ["X": "a\r\nb"]),
    Mock.text("a").trailers(["Content-Length": "1"]), Mock.text("a").trailers(["X": "a\nb"]),
  ])
  func aMalformedPartIsAServerError(mock: Mock) async throws {
    let server = try MockServer { Route(.get, "/a", mock) }
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 500 "))
  }
}
