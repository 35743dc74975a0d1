import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct MockServerRequestTests {
  private let get = "GET /a?b=c HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\r\n"

  @Test func aRequestIsRecordedCompletely() async throws {
    let server = try MockServer {
      Route(.post, "/a/{id}") { _ in .status(201) }
    }
    let client = try RawClient(port: server.port)
    try await client.send(
      "POST /a/%41?b=c HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nContent-Length: 9\r\n\r\n{\"d\":[1]}")
    let request = try await server.takeRequest().value
    #expect(request.method == .post)
    #expect(request.target == "/a/%41?b=c")
    #expect(request.path.text == "/a/%41")
    #expect(request.path["id"] == "A")
    #expect(request.path["none"] == "")
    #expect(request.query["b"] == "c")
    #expect(request.headers == ["Host": "h", "X-A": "1", "Content-Length": "9"])
    #expect(try request.decode([String: [Int]].self) == ["d": [1]])
    #expect(request.text == "{\"d\":[1]}")
    #expect(request.version == "1.1")
    #expect((request.connection, request.exchange) == (0, 0))
    #expect(server.receivedRequests == [request])
  }

  @Test func requestsAreTakenOnceInOrder() async throws {
    let server = try MockServer { Route(nil, "/{all*}") { _ in .status(204) } }
    let early = (0..<2).map { _ in server.takeRequest() }
    let cancelled = server.takeRequest()
    cancelled.cancel()
    let late = server.takeRequest()
    let client = try RawClient(port: server.port)
    try await client.send(String(repeating: get, count: 4))
    #expect(try await early[0].value.exchange == 0)
    #expect(try await early[1].value.exchange == 1)
    #expect(try await late.value.exchange == 2)
    #expect(try await server.takeRequest().value.exchange == 3)
    let never = server.takeRequest()
    server.stop()
    #expect(await never.result.failure() == MockServerError.stopped)
    #expect(await server.takeRequest().result.failure() == MockServerError.stopped)
  }

  @Test func theOldestRequestsAreDiscarded() async throws {
    var limits = MockServerLimits()
    limits.journal.requests = 3
    let server = try MockServer(limits: limits) { Route(nil, "/{all*}") { _ in .status(204) } }
    let client = try RawClient(port: server.port)
    try await client.send(String(repeating: get, count: 9) + "GET / HTTP/1.0\r\n\r\n")
    _ = try await client.receiveAll()
    #expect(server.receivedRequests.map(\.exchange) == [7, 8, 9])
    #expect(server.requestCount == 10)
    #expect(try await server.takeRequest().value.exchange == 7)
  }

  @Test func concurrentHandlersAreCounted() async throws {
    let (response, resolver) = Promise<Mock>.pending()
    let server = try MockServer { Route(.get, "/a") { _ in response.map(on: .inline) { $0 } } }
    let clients = try (0..<5).map { _ in try RawClient(port: server.port) }
    for client in clients { try await client.send(get) }
    for _ in clients { _ = try await server.takeRequest().value }
    #expect(server.openConnections == 5)
    #expect(server.concurrentRequests == 5)
    resolver.fulfill(.text("done"))
    for client in clients { _ = try await client.receive(until: "done") }
    #expect(server.peakConcurrentRequests == 5)
    try await clients[0].send(get)
    _ = try await clients[0].receive(until: "done")
    server.resetPeakConcurrentRequests()
    try await clients[0].send(get)
    _ = try await clients[0].receive(until: "done")
    #expect(server.peakConcurrentRequests <= 2)
  }

  @Test func aDisconnectIsRecordedAndCancelsTheHandler() async throws {
    let (response, resolver) = Promise<Mock>.pending()
    let server = try MockServer { Route(.get, "/a") { _ in response } }
    var client: RawClient? = try RawClient(port: server.port)
    try await client?.send(get)
    let request = try await server.takeRequest().value
    client = nil
    let closing = try await server.closing(of: request).value
    #expect(closing.wasAborted)
    #expect(closing.completedExchanges == 0)
    // The handler is cancelled on another thread. The promise would stay pending without that.
    _ = await response.result
    #expect(response.isCancelled)
    #expect(server.concurrentRequests == 0)
    #expect(server.openConnections == 0)
    resolver.fulfill(.status(200))
  }

  /// The server does not read more than a limit of bytes while a handler runs.
  @Test(arguments: [false, true])
  func aDisconnectBehindUnreadBytesIsAnAbort(_ isReset: Bool) async throws {
    let (response, resolver) = Promise<Mock>.pending()
    let server = try MockServer {
      Route(.get, "/a") { _ in response }
      Route(.get, "/other", .text("other"))
    }
    let other = "GET /other HTTP/1.1\r\nHost: a\r\n\r\n"
    var client: RawClient? = try RawClient(port: server.port)
    if isReset {
      // A client that closes its socket before it has received all bytes resets the connection.
      try await client?.send(other)
      _ = try await server.takeRequest().value
    }
    try await client?.send(String(repeating: get, count: 2_000))
    let request = try await server.takeRequest().value
    // The thread of the server serves both connections in turn. After these responses it has
    // received all bytes up to the limit.
    let otherClient = try RawClient(port: server.port)
    for _ in 0..<9 {
      try await otherClient.send(other)
      _ = try await otherClient.receive(until: "other")
    }
    client = nil
    let closing = try await server.closing(of: request).value
    #expect(closing.wasAborted && closing.closedBy == .client)
    #expect(closing.completedExchanges == (isReset ? 1 : 0))
    resolver.fulfill(.status(200))
  }

  @Test func aDisconnectAfterTheResponseIsNotAnAbort() async throws {
    let server = try MockServer { Route(.get, "/a") { _ in .text("done") } }
    var client: RawClient? = try RawClient(port: server.port)
    try await client?.send(get)
    _ = try await client?.receive(until: "done")
    client = nil
    let closing = try await server.closing(ofConnection: 0).value
    #expect(
      closing
        == ClosedConnection(
          index: 0, completedExchanges: 1, closedBy: .client, wasInsideExchange: false))
    let never = server.closing(ofConnection: 1)
    server.stop()
    #expect(await never.result.failure() == MockServerError.stopped)
  }

  @Test func aDisconnectDuringARequestIsAnAbort() async throws {
    let server = try MockServer { Route(.post, "/a") { _ in .text("done") } }
    var client: RawClient? = try RawClient(port: server.port)
    try await client?.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n1234")
    client = nil
    #expect(try await server.closing(ofConnection: 0).value.wasAborted)
    #expect(server.receivedRequests.isEmpty)
  }

  @Test func aHalfClosedClientReceivesPendingResponses() async throws {
    // The test may wait for a thread for minutes.
    var limits = MockServerLimits()
    limits.sendTime = nil
    let server = try MockServer(limits: limits) { Route(.get, "/a") { _ in .bytes(3_000_000) } }
    let client = try RawClient(port: server.port)
    try await client.send(get + get)
    client.finishSending()
    var count = 0
    while case let bytes = try await client.receive(), !bytes.isEmpty { count += bytes.count }
    #expect(count > 6_000_000)
  }

  @Test func aClientThatNeverReadsIsDisconnected() async throws {
    var limits = MockServerLimits()
    limits.sendTime = .milliseconds(20)
    let exchanges = Log<ServedExchange.Ending>()
    let server = try MockServer(limits: limits, onExchange: { exchanges.append($0.ending) }) {
      Route(.get, "/a") { _ in .bytes(64 << 20) }
    }
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    try await client.send(get)
    let closed = try await server.closing(ofConnection: 0).value
    #expect(closed.closedBy == .server)
    #expect(closed.wasInsideExchange)
    #expect(exchanges.entries == [.reset])
    withExtendedLifetime(client) {}
  }

  // MARK: Large bodies

  /// A request with a multipart body that is large enough to be parsed on another thread.
  private func upload(_ fields: String = "") -> Data {
    let body =
      "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
      + String(repeating: "\n--c\r\n", count: 40_000) + "\r\n--b--\r\n"
    let head =
      "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\n"
      + "\(fields)Content-Length: \(body.utf8.count)\r\n\r\n"
    return Data((head + body).utf8)
  }

  @Test func otherConnectionsAreServedWhileALargeBodyIsParsed() async throws {
    let server = try MockServer {
      Route(.post, "/upload") { .text("part \($0.part("file")?.name ?? "none")") }
      Route(.get, "/a", .text("other"))
    }
    defer { server.stop() }
    // The queue is the gate: no large body is parsed before it continues.
    server.core.bodyQueue.suspend()
    let uploader = try RawClient(port: server.port)
    try await uploader.send(upload())
    let other = try RawClient(port: server.port)
    for _ in 0..<3 {
      try await other.send(get)
      _ = try await other.receive(until: "other")
    }
    #expect(server.receivedRequests.map(\.path.text) == ["/a", "/a", "/a"])
    server.core.bodyQueue.resume()
    _ = try await uploader.receive(until: "part file")
    #expect(server.requestCount == 4)
  }

  @Test func aLargeBodyIsParsedBeforeTheConditionsReadIt() async throws {
    let parseCounts = Log<Int>()
    let server = try MockServer {
      Route(.post, "/upload") { .text("part \($0.parts.first?.name ?? "none")") }
        .where("logs") { request in
          parseCounts.append(request.content.parseCount)
          return request.parts.count == 1
        }
    }
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    // Twice, so that the connection is usable afterwards.
    for _ in 0..<2 {
      try await client.send(upload())
      _ = try await client.receive(until: "part file")
    }
    // The parts and the form.
    #expect(parseCounts.entries == [2, 2])
  }

  @Test(arguments: ["Content-Type: application/json\r\n", ""])
  func aBodyOfJSONOver16KiBIsParsedBeforeTheConditionsReadIt(fields: String) async throws {
    let parseCounts = Log<Int>()
    let server = try MockServer {
      Route(.post, "/json") { .text("value \($0.json["a"].int ?? 0)") }
        .where("logs") { request in
          parseCounts.append(request.content.parseCount)
          return request.json["a"] == 7
        }
    }
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    for size in [16_384, 16_385] {
      let start = #" {"a":7,"b":""#
      let body = start + String(repeating: "x", count: size - start.utf8.count - 2) + #""}"#
      let head = "POST /json HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: \(size)\r\n\r\n"
      try await client.send(Data((head + body).utf8))
      _ = try await client.receive(until: "value 7")
    }
    #expect(parseCounts.entries == [0, 1])
  }

  @Test func aLargeBodyIsCheckedOnceAndBeforeItsHandlerRuns() async throws {
    let steps = Log<String>()
    var route = Route(.post, "/upload") { request in
      .text("result \(request.content.result(of: steps) { "second" })")
    }
    route.responder.preparation = { request in
      steps.append("prepared")
      _ = request.content.result(of: steps) { "first" }
    }
    let server = try MockServer(routes: [route])
    defer { server.stop() }
    server.core.bodyQueue.suspend()
    let client = try RawClient(port: server.port)
    try await client.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx")
    _ = try await client.receive(until: "result second")
    try await client.send(upload())
    let other = try RawClient(port: server.port)
    try await other.send(get)
    _ = try await other.receive(until: "no route")
    #expect(steps.entries.isEmpty)
    server.core.bodyQueue.resume()
    _ = try await client.receive(until: "result first")
    #expect(steps.entries == ["prepared"])
    // A result may be `nil`.
    let content = RequestContent()
    #expect(content.result(of: steps) { Int?.none } == nil)
    #expect(content.result(of: steps) { Int?.some(1) } == nil)
  }

  @Test func aClientMayDisconnectWhileItsBodyIsParsed() async throws {
    let server = try MockServer { Route(.post, "/upload", .text("done")) }
    defer { server.stop() }
    server.core.bodyQueue.suspend()
    var client: RawClient? = try RawClient(port: server.port)
    try await client?.send(upload())
    client = nil
    server.core.bodyQueue.resume()
    _ = try await server.closing(ofConnection: 0).value
    let next = try RawClient(port: server.port)
    try await next.send(upload("Connection: close\r\n"))
    #expect(try await next.receiveAll().hasSuffix("done"))
  }
}
