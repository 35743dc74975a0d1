import CatenaSystem
import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking

/// Bytes that a client may send, and the statuses of all responses before the connection closes.
@Suite(.gated)
struct RawAttackTests {
  private static func get(_ target: String, _ rest: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(rest)\r\n"
  }

  private static func post(_ rest: String) -> String { "POST /echo HTTP/1.1\r\nHost: a\r\n\(rest)" }

  private static func chunked(_ body: String) -> String {
    post("Transfer-Encoding: chunked\r\n\r\n\(body)")
  }

  private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }

  private static let requestLines: [(input: String, statuses: [Int])] = [
    ("GET /a HTTP/1.1\r\n\r\n", [400]),
    ("GET\t/a\tHTTP/1.1\r\n", [400]),
    ("GET /a  HTTP/1.1\r\n", [400]),
    (" GET /a HTTP/1.1\r\n", [400]),
    ("GET /a HTTP/1.1 \r\n", [400]),
    ("GET /a HTTP/1.1\nHost: a\n\n", [400]),
    ("GET /a HTTP/11\r\n", [400]),
    ("GET /a HTTP/3.0\r\n", [505]),
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [505]),
    ("GET https://a/a HTTP/1.1\r\n", [400]),
    ("CONNECT a:443 HTTP/1.1\r\n", [400]),
    ("GET /\u{1} HTTP/1.1\r\n", [400]),
    ("\u{16}\u{3}\u{1}\u{2}\r\n", [400]),
    ("GET /\(text(300)) HTTP/1.1\r\n", [414]),
    (text(300), [414]),
    (String(repeating: "\r\n", count: 600), [414]),
    (get("/%zz"), [400]),
    (get("//a"), [404]),
    (get("/a#b"), [404]),
    (get("HTTP://h/a"), [200]),
    (get("hTTp://h/a"), [200]),
    ("\r\n\r\n" + get("/a"), [200]),
    ("TRACE /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", [405]),
    ("OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", [204]),
  ]

  private static let fields: [(input: String, statuses: [Int])] = [
    (get("/a", "Host: b\r\n"), [400]),
    ("GET /a HTTP/1.1\r\nHost: a b\r\n\r\n", [400]),
    (get("/a", "X: 1\r\n folded\r\n"), [400]),
    (get("/a", "X : 1\r\n"), [400]),
    (get("/a", "X\0: 1\r\n"), [400]),
    (get("/a", "X: a\0b\r\n"), [400]),
    (get("/a", "X: a\rb\r\n"), [400]),
    (get("/a", "X: a\u{7F}b\r\n"), [400]),
    (get("/a", String(repeating: "X: 1\r\n", count: 7)), [431]),
    (get("/a", "X: \(text(1_100))\r\n"), [431]),
    (get("/a", "Upgrade: h2c\r\n"), [200]),
    ("GET /a HTTP/1.1\r\nHost: [::1]:8080\r\nConnection: close\r\n\r\n", [200]),
    ("GET /a HTTP/1.1\r\nHost: [fe80::1%25en0]\r\nConnection: close\r\n\r\n", [400]),
    ("GET /a HTTP/1.1\r\nHost: ::1\r\n\r\n", [400]),
    ("GET /a HTTP/1.1\r\nHost: [::1\r\n\r\n", [400]),
    ("GET /a HTTP/1.1\r\nHost: [::1]a\r\n\r\n", [400]),
    ("GET /a HTTP/1.1\r\nHost: []\r\n\r\n", [400]),
    ("GET /a HTTP/1.1\r\nHost: a:80:80\r\n\r\n", [400]),
    ("GET /a HTTP/1.1\r\nHost: a/b\r\n\r\n", [400]),
    ("GET HTTP://[::1]:80/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", [200]),
    (get("/a", "\u{0}: 1\r\n"), [400]),
    (get("/a", "\r: 1\r\n"), [400]),
    (get("/a", ": 1\r\n"), [400]),
    (get("/a", "X\r\n"), [400]),
    (post("Expect: a\r\nContent-Length: 1\r\n\r\n"), [417]),
  ]

  private static let framing: [(input: String, statuses: [Int])] = [
    (post("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"), [400]),
    (post("Content-Length: 5\r\nContent-Length: 6\r\n\r\n"), [400]),
    (post("Content-Length: 5, 5\r\n\r\n"), [400]),
    (post("Content-Length: +5\r\n\r\n"), [400]),
    (post("Content-Length: 0x5\r\n\r\n"), [400]),
    (post("Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello") + get("/a"), [200, 200]),
    (post("Content-Length:\r\n\r\n"), [400]),
    (post("Content-Length: -1\r\n\r\n"), [400]),
    (post("Content-Length: 9223372036854775807\r\n\r\n"), [413]),
    (post("Content-Length: 9223372036854775808\r\n\r\n"), [413]),
    (post("Content-Length: 65\r\n\r\n"), [413]),
    (post("Content-Length: 65\r\nExpect: 100-continue\r\n\r\n"), [413]),
    (post("Content-Length: 99999999999999999999\r\n\r\n"), [413]),
    (post("Transfer-Encoding: chunked, chunked\r\n\r\n"), [501]),
    (post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"), [501]),
    (post("Transfer-Encoding: identity\r\n\r\n"), [501]),
    (post("Transfer-Encoding: xchunked\r\n\r\n"), [501]),
    (post("Transfer-Encoding: \u{B}chunked\r\n\r\n"), [400]),
    ("POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", [400]),
    (post("Content-Length: 0\r\n\r\nhello\r\n"), [200, 400]),
    (post("Content-Length: 4\r\n\r\nabcd") + get("/a"), [200, 200]),
    (
      "PUT /sink HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 65\r\n"
        + "\r\n\(text(65))", [200]
    ),
  ]

  private static let chunks: [(input: String, statuses: [Int])] = [
    (chunked("5;a\rb\r\nhello\r\n0\r\n\r\n"), [400]),
    (chunked("5;a\0b\r\nhello\r\n0\r\n\r\n"), [400]),
    (chunked("5;a=\"\u{1}\"\r\nhello\r\n0\r\n\r\n"), [400]),
    (chunked("5\r;a\r\nhello\r\n0\r\n\r\n"), [400]),
    (chunked("5;a\nhello\r\n0\r\n\r\n"), [400]),
    (chunked("0;\r\r\n\r\n"), [400]),
    (chunked("0x5\r\nhello\r\n0\r\n\r\n"), [400]),
    (chunked("+5\r\nhello\r\n0\r\n\r\n"), [400]),
    (chunked("\r\nhello\r\n0\r\n\r\n"), [400]),
    (chunked("5 6\r\nhello\r\n0\r\n\r\n"), [400]),
    (chunked("0000000000000005\r\nhello\r\n0\r\n\r\n"), [400]),
    (chunked("7fffffffffffffff\r\nhello"), [400]),
    (chunked("ffffffffffffffff\r\nhello"), [400]),
    (chunked("fffffffffffffff\r\n" + text(65)), [413]),
    (chunked("5\r\nhelloX\r\n0\r\n\r\n"), [400]),
    (chunked("5\r\nhello0\r\n\r\n"), [400]),
    (chunked("41\r\n\(text(65))\r\n0\r\n\r\n"), [413]),
    (chunked("5;\(text(5_000))\r\n"), [400]),
    (chunked("0\r\nX : 1\r\n\r\n"), [400]),
    (chunked("0\r\nX: 1\r\n folded\r\n\r\n"), [400]),
    (chunked("0\r\n\(String(repeating: "X: 1\r\n", count: 9))\r\n"), [431]),
    (chunked("0\r\nX: \(text(1_100))\r\n\r\n"), [431]),
    (chunked("0\r\n\r\n") + get("/a"), [200, 200]),
    (chunked("5;a=\"b\";c\t=d\r\nhello\r\n0;e\r\nX: 1\r\n\r\n") + get("/a"), [200, 200]),
    (chunked("5\r\nhello\r\n0\r\n\r\n") + "G /a\r\n", [200, 400]),
  ]

  @Test(arguments: requestLines + fields + framing + chunks)
  func theServerRespondsAndCloses(input: String, statuses: [Int]) async throws {
    var limits = MockServerLimits()
    limits.requestLineBytes = 256
    limits.headBytes = 1_024
    limits.headerCount = 8
    limits.bodyBytes = 64
    let server = try MockServer(limits: limits) {
      Route(.get, "/a", .text("a\n"))
      Route(.post, "/echo") { request in .data(request.body) }
      Route(.put, "/sink") { _ in .status(200) }.discardingBody()
    }
    let client = try RawClient(port: server.port)
    try await client.send(input)
    let output = try await client.receiveAll()
    let received = output.matches(of: #/HTTP\/1\.1 ([0-9]{3}) /#).compactMap { Int($0.1) }
    #expect(received == statuses)
  }

  /// The forwarding of large bodies would otherwise refuse them.
  @Test func onlyABodyThatIsKeptCanBeAnnouncedTooLarge() {
    var limits = MockServerLimits()
    limits.bodyBytes = 10
    let parser = RequestParser(limits: limits)
    #expect(parser.isTooLarge(.sized(11), .collect))
    #expect(!parser.isTooLarge(.sized(10), .collect))
    #expect(!parser.isTooLarge(.sized(11), .stream(after: 5)))
    #expect(!parser.isTooLarge(.sized(11), .keep(upTo: 5)))
    #expect(!parser.isTooLarge(.sized(11), .discard))
    #expect(!parser.isTooLarge(.chunked, .collect))
  }

  @Test(arguments: ["G", "GET /a HTTP/1.1\r\nHost: a\r\n", "\r\n"])
  func aHeadThatIsNotCompletedInTimeIsA408(beginning: String) async throws {
    let time = RecordingScheduler()
    let server = try MockServer(scheduler: time) { Route(.get, "/a", .text("a")) }
    let client = try RawClient(port: server.port)
    try await client.send(beginning)
    _ = await time.scheduled(1)
    await time.time.advance(by: .seconds(60))
    #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    #expect(server.receivedRequests.isEmpty)
  }

  @Test func theTimeLimitOfAHeadEndsWithTheHead() async throws {
    let time = RecordingScheduler()
    let server = try MockServer(scheduler: time) { Route(.get, "/a", .text("done")) }
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.1\r\n")
    _ = await time.scheduled(1)
    await time.time.advance(by: .seconds(59))
    try await client.send("Host: a\r\n\r\n")
    _ = try await client.receive(until: "done")
    #expect(time.time.scheduledCount == 0)
    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try await client.receive(until: "done").hasPrefix("HTTP/1.1 200 OK\r\n"))
  }
}

/// Requests and clients that would use much memory or time.
@Suite(.gated)
struct ResourceAttackTests {
  private func preflight(_ names: [String]) -> String {
    "OPTIONS /a HTTP/1.1\r\nHost: a\r\nOrigin: http://localhost:1\r\nConnection: close\r\n"
      + "Access-Control-Request-Method: PUT\r\n"
      + "Access-Control-Request-Headers: \(names.joined(separator: ","))\r\n\r\n"
  }

  @Test(arguments: [(9_000, 204), (11_000, 431)])
  func aPreflightRequestWithThousandsOfNamesIsAllowedUpToTheLimitOfAHead(
    count: Int, status: Int
  ) async throws {
    let names = (0..<count).map { "x\(10_000 + $0)" }
    let server = try MockServer(cors: .loopback) { Route(.put, "/a", .text("a")) }
    let client = try RawClient(port: server.port)
    try await client.send(preflight(names))
    let response = try await client.receiveAll()
    #expect(response.hasPrefix("HTTP/1.1 \(status) "))
    #expect(response.contains("\r\nAccess-Control-Allow-Origin: http://localhost:1\r\n"))
    let list = "\r\nAccess-Control-Allow-Headers: \(names.joined(separator: ", "))\r\n"
    #expect(response.contains(list) == (status == 204))
  }

  @Test(arguments: [
    "bytes=" + String(repeating: "0-0,", count: 10_000) + "1-1",
    "bytes=" + (0..<5_000).map { "\($0)-" }.joined(separator: ","),
    "bytes=" + String(repeating: "-", count: 50_000),
    "bytes=" + String(repeating: "9", count: 50_000) + "-0",
    "bytes=" + String(repeating: ",", count: 50_000),
  ])
  func aRangeThatIsABombIsIgnored(range: String) async throws {
    let folder = TemporaryFolder()
    _ = try folder.file("a.txt", "0123456789")
    let server = try MockServer { Route(.get, "/a", .file("a.txt", in: folder.url)) }
    let client = try RawClient(port: server.port)
    try await client.send(
      "GET /a HTTP/1.1\r\nHost: a\r\nRange: \(range)\r\nConnection: close\r\n\r\n")
    let response = try await client.receiveAll()
    #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(response.hasSuffix("\r\n\r\n0123456789"))
  }

  @Test(arguments: ["If-None-Match", "If-Match"])
  func aListOfThousandsOfTagsIsSearchedCompletely(name: String) async throws {
    let folder = TemporaryFolder()
    _ = try folder.file("a.txt", "0123456789")
    let file = Mock.file("a.txt", in: folder.url).header("ETag", "\"v\"")
    let server = try MockServer { Route(.get, "/a", file) }
    for (last, status) in [("\"v\"", [200, 304]), ("\"w\"", [412, 200])] {
      let tags = String(repeating: "\"a\",", count: 12_000) + last
      let client = try RawClient(port: server.port)
      try await client.send(
        "GET /a HTTP/1.1\r\nHost: a\r\n\(name): \(tags)\r\nConnection: close\r\n\r\n")
      let expected = name == "If-Match" ? status[0] : status[1]
      #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 \(expected) "))
    }
  }

  @Test func aClientThatStopsSendingEndsItsStreamAtTheNextDelay() async throws {
    let time = TestScheduler()
    let server = try MockServer(scheduler: time) {
      Route(.get, "/a", .lines([1], every: .seconds(1), repeats: .forever))
    }
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = try await client.receive(until: "2\r\n1\n\r\n")
    client.finishSending()
    #expect(try await server.closing(ofConnection: 0).value.wasAborted)
    #expect(try await client.receiveAll() == "")
    #expect(time.scheduledCount == 0)
  }

  /// In 100 seconds the stream has 6 GiB.
  @Test func aClientThatReadsNothingUsesOnlyTheBuffersOfItsSocket() async throws {
    let time = TestScheduler()
    let exchanges = Log<ServedExchange>()
    let item = MockStream.Item(Data(repeating: 0x61, count: 65_536))
    let server = try MockServer(scheduler: time, onExchange: { exchanges.append($0) }) {
      Route(.get, "/a", .stream(MockStream([item], repeats: .forever)))
      Route(.get, "/b", .text("done"))
    }
    var client: RawClient? = try RawClient(port: server.port)
    try await client?.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = try await server.takeRequest().value
    await time.advance(by: .seconds(100))
    let other = try RawClient(port: server.port)
    try await other.send("GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect(try await other.receiveAll().hasSuffix("done"))
    client = nil
    #expect(try await server.closing(ofConnection: 0).value.wasAborted)
    let exchange = try #require(await exchanges.entries(2).last)
    #expect(exchange.ending == .aborted)
    #expect(exchange.bodyByteCount < 100 << 20)
  }

  @Test func aClientThatReadsNothingOfAFileDoesNotDelayOthers() async throws {
    let folder = TemporaryFolder()
    let content = Data.pattern(20_000_000)
    _ = try folder.file("a", content)
    var limits = MockServerLimits()
    limits.sendTime = nil
    let server = try MockServer(limits: limits) {
      Route(.get, "/a", .file("a", in: folder.url))
      Route(.get, "/b", .text("done"))
    }
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    let other = try RawClient(port: server.port)
    try await other.send("GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect(try await other.receiveAll().hasSuffix("done"))
    _ = try await client.receive(until: "\r\n\r\n")
    #expect(try await client.receive(exactly: content.count) == content)
  }
}

/// Tests of several connections that need the server at the same time.
@Suite(.gated)
struct FairnessTests {
  private static let count = 2_000

  /// The preparation of a response waits until another connection has its response.
  @Test func aLongPreparationDoesNotDelayOtherConnections() async throws {
    let gate = DispatchSemaphore(value: 0)
    let entered = Log<Void>()
    let server = try MockServer {
      Route(.get, "/slow", .text("slow")).preparing(ifLong: { _ in true }) { _ in
        entered.append(())
        gate.wait()
      }
      Route(.get, "/single", .text("done"))
    }
    let slow = try RawClient(port: server.port)
    try await slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = await entered.entries(1)
    let single = try RawClient(port: server.port)
    try await single.send("GET /single HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = try await single.receive(until: "done")
    gate.signal()
    _ = try await slow.receive(until: "slow")
  }

  /// The server's thread is blocked until both clients have sent everything, so that both sockets are
  /// ready at the same time.
  @Test(arguments: [false, true])
  func aPipelinedBurstDoesNotDelayOtherConnections(isAsynchronous: Bool) async throws {
    let gate = DispatchSemaphore(value: 0)
    let entered = Log<Void>()
    let server = try MockServer {
      Route(.get, "/gate") { _ in
        entered.append(())
        gate.wait()
        return .text("open")
      }
      if isAsynchronous {
        Route(.get, "/burst") { _ in Promise.fulfilled(Mock.text("a")) }
      } else {
        Route(.get, "/burst", .text("a"))
      }
      Route(.get, "/single", .text("done"))
    }
    let blocking = try RawClient(port: server.port)
    try await blocking.send("GET /gate HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = await entered.entries(1)
    let burst = try RawClient(port: server.port)
    let request = "GET /burst HTTP/1.1\r\nHost: a\r\n\r\n"
    try await burst.send(
      String(repeating: request, count: Self.count - 1)
        + "GET /burst HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let single = try RawClient(port: server.port)
    try await single.send("GET /single HTTP/1.1\r\nHost: a\r\n\r\n")
    gate.signal()
    _ = try await single.receive(until: "done")
    let order = server.receivedRequests.map(\.path.text)
    let position = try #require(order.firstIndex(of: "/single"))
    #expect(position < 200)
    let responses = try await burst.receiveAll()
    #expect(responses.matches(of: #/HTTP\/1\.1 200 OK/#).count == Self.count)
  }
}
