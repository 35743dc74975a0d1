import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking

/// Tests of bodies that are sent over time.
@Suite(.gated)
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
    #expect(try await server.closing(ofConnection: 0).value.wasAborted)
    #expect(time.scheduledCount == 0)
  }

  @Test func aServerThatStopsDoesNotWaitForAnEndlessStream() async throws {
    let time = TestScheduler()
    let server = try MockServer(scheduler: time) {
      Route(.get, "/a", .events(["1"], every: .seconds(1), repeats: .forever))
    }
    let client = try RawClient(port: server.port)
    try await client.send(get)
    _ = try await client.receive(until: "data: 1\n\n\r\n")
    #expect(server.concurrentRequests == 0)
    #expect(try await server.stop(draining: .seconds(5)).value == 0)
    #expect(time.now == .zero)
    #expect(try await client.receiveAll() == "")
  }

  @Test func aClientReadsAnEndlessStreamInRealTimeUntilItCancels() async throws {
    let server = try MockServer {
      Route(.get, "/a", .events(["tick"], every: .milliseconds(1), repeats: .forever))
    }
    let pieces = Log<Void>()
    let exchange = ExchangeRecorder(
      PlatformTransport.make(), HTTPRequest(url: server.url.appending(path: "a"))
    ) { event in
      if case .body = event { pieces.append(()) }
    }
    _ = await pieces.entries(3)
    exchange.cancel()
    #expect(try await server.closing(ofConnection: 0).value.wasAborted)
    #expect(exchange.current.body.starts(with: Data("data: tick\n\ndata: tick\n\n".utf8)))
  }

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

  @Test func aProviderStreamsInVirtualTime() async throws {
    let time = TestScheduler()
    let provider = MockProvider<Request>(scheduler: time) { _ in
      Mock.lines([1, 2, 3], every: .seconds(10)).delayed(by: .seconds(5))
    }
    let client = Networking<Request>(mockProvider: provider)
    let promise = client.stream(.get("http://h/a")).validate()
    await time.advance(by: .seconds(5))
    var pieces = try await promise.value.bytes.makeAsyncIterator()
    for line in ["1\n", "2\n", "3\n"] {
      #expect(try await pieces.next() == Data(line.utf8))
      await time.advance(by: .seconds(10))
    }
    #expect(try await pieces.next() == nil)
  }

  @Test func aClientWithAProviderCancelsAnEndlessStream() async throws {
    let time = TestScheduler()
    let provider = MockProvider<Request>(scheduler: time) { _ in
      .events(["tick"], every: .seconds(1), repeats: .forever)
    }
    let client = Networking<Request>(mockProvider: provider)
    let response = try await client.stream(.get("http://h/a")).validate().value
    var pieces = response.bytes.makeAsyncIterator()
    for _ in 0..<3 {
      #expect(try await pieces.next() == Data("data: tick\n\n".utf8))
      await time.advance(by: .seconds(1))
    }
    response.bytes.cancel()
    await time.advance(by: .seconds(3_600))
    #expect(time.scheduledCount == 0)
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
    (MockEvent("a", retry: .seconds(-1)), "retry: 0\ndata: a\n\n"),
    (MockEvent("a", retry: .seconds(Int64.max)), "retry: 1000000000000000\ndata: a\n\n"),
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

  @Test func anInterimResponseIsNotTheStatusOfAnExchange() async throws {
    let exchanges = Log<ServedExchange>()
    let server = try MockServer(onExchange: { exchanges.append($0) }) {
      Route(.get, "/a", Mock.text("a").interim(103).interrupted(by: .close, at: .request))
    }
    let client = try RawClient(port: server.port)
    try await client.send(get)
    #expect(try await client.receiveAll() == "HTTP/1.1 103 Early Hints\r\n\r\n")
    let exchange = try #require(await exchanges.entries(1).first)
    #expect(exchange.status == nil)
    #expect(exchange.bodyByteCount == 0)
    #expect(exchange.ending == .closed)
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

  @Test func interimResponsesAreDroppedInMemoryAndTrailersAreNot() async {
    let transport = MockTransport {
      Route(.get, "/a", Mock.text("hi").interim(103).trailers(["X-Sum": "9"]))
    }
    let record = await transport.get(.of("http://h/a"))
    #expect(record.order == ["head", "body", "trailers", "end"])
    #expect(record.head?.status == 200)
    #expect(record.body == Data("hi".utf8) && record.trailers == ["X-Sum": "9"])
  }

  @Test(arguments: [
    Mock.text("a").interim(101), Mock.text("a").interim(200),
    Mock.text("a").interim(103, headers: ["X": "a\r\nb"]),
    Mock.text("a").trailers(["Content-Length": "1"]), Mock.text("a").trailers(["X": "a\nb"]),
    Mock.text("a").trailers(["Location": "/b"]), Mock.text("a").trailers(["Connection": "close"]),
  ])
  func aMalformedPartIsAServerError(mock: Mock) async throws {
    let server = try MockServer { Route(.get, "/a", mock) }
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 500 "))
  }
}
