import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import Networking

@Suite(.gated)
struct MockServerTests {
  private func server(limits: MockServerLimits = MockServerLimits()) throws -> MockServer {
    try MockServer(limits: limits) {
      Route(.get, "/boards/{id}") { request in .json(["id": request.path["id"]]) }
      Route(.post, "/echo") { request in .data(request.body, contentType: nil) }
      Route(.post, "/count") { request in
        .text("\(request.bodyByteCount) \(request.body.count)")
      }.discardingBody()
      Route(.get, "/bytes/{count}") { request in .bytes(Int(request.path["count"]) ?? 0) }
      Route(.get, "/chunks") { _ in .chunks([Data("a".utf8), Data("b".utf8)], contentType: nil) }
      Route(.get, "/async") { _ in
        await Task.yield()
        return .text("later")
      }
      Route(.get, "/promise") { _ in Promise.fulfilled(Mock.text("from a promise")) }
      Route(.get, "/throws") { _ -> Mock in throw TestError("handler") }
      Route(.get, "/rejects") { _ in Promise<Mock>.rejected(TestError("promise")) }
    }
  }

  private func get(_ path: String, _ more: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\n\(more)\r\n"
  }

  @Test func aConnectionServesRequestsSequentially() async throws {
    let server = try server()
    #expect(server.url.absoluteString == "http://127.0.0.1:\(server.port)")
    let client = try RawClient(port: server.port)
    for id in 0..<3 {
      try await client.send(get("/boards/\(id)"))
      #expect(try await client.receive(until: "}").hasSuffix("\r\n\r\n{\"id\":\"\(id)\"}"))
    }
    #expect(server.connectionCount == 1)
    #expect(server.receivedRequests.map(\.exchange) == [0, 1, 2])
  }

  @Test func aResponseHasADateUnlessTheMockSetsOne() async throws {
    let server = try MockServer {
      Route(.get, "/", .status(204))
      Route(.get, "/own", .status(204, headers: ["date": "Sun, 06 Nov 1994 08:49:37 GMT"]))
    }
    let client = try RawClient(port: server.port)
    func dates(_ request: String) async throws -> [Date?] {
      try await client.send(request)
      return try await client.receive(until: "\r\n\r\n").split(separator: "\r\n")
        .filter { $0.lowercased().hasPrefix("date: ") }
        .map { HTTPDate.parse(String($0.dropFirst(6)), now: Date()) }
    }
    let began = Date(timeIntervalSinceNow: -1)
    let date = try #require(try await dates(get("/")).first ?? nil)
    #expect(date >= began && date <= Date())
    #expect(try await dates(get("/own")) == [Date(timeIntervalSince1970: 784_111_777)])
    let refused = try await dates("GET / HTTP/1.1\r\n\r\n")
    #expect(refused.count == 1)
  }

  @Test func pipelinedRequestsAreServedInOrder() async throws {
    let server = try server()
    let client = try RawClient(port: server.port)
    let paths = ["/async", "/boards/1", "/promise", "/chunks", "/throws", "/rejects", "/nowhere"]
    try await client.send(
      paths.map { get($0) }.joined() + get("/boards/2", "Connection: close\r\n"))
    let received = try await client.receiveAll()
    let parts = received.components(separatedBy: "HTTP/1.1 ").dropFirst()
    let ends = [
      "later", "{\"id\":\"1\"}", "from a promise", "1\r\na\r\n1\r\nb\r\n0\r\n\r\n",
      "the handler failed: TestError(handler)\n", "the handler failed: TestError(promise)\n",
      "no route for GET /nowhere\n", "{\"id\":\"2\"}",
    ]
    #expect(parts.count == ends.count)
    for (part, end) in zip(parts, ends) { #expect(part.contains(end)) }
    #expect(parts.map { $0.prefix(3) } == ["200", "200", "200", "200", "500", "500", "404", "200"])
  }

  @Test func bodiesAreEchoedUnchanged() async throws {
    let server = try server()
    let client = try RawClient(port: server.port)
    let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    async let sent: Void = {
      try await client.send(
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
      try await client.send(body)
    }()
    try await sent
    _ = try await client.receive(until: "\r\n\r\n")
    #expect(try await client.receive(exactly: body.count) == body)

    try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    for piece in [body[..<1], body[1..<1_000_000]] {
      try await client.send("\(String(piece.count, radix: 16))\r\n")
      try await client.send(piece)
      try await client.send("\r\n")
    }
    try await client.send("0\r\nX-Sum: 1\r\n\r\n")
    _ = try await client.receive(until: "\r\n\r\n")
    #expect(try await client.receive(exactly: 1_000_000) == body[..<1_000_000])
    #expect(server.receivedRequests.last?.trailers == ["X-Sum": "1"])
  }

  @Test func aDiscardedBodyIsCounted() async throws {
    let server = try server()
    let client = try RawClient(port: server.port)
    try await client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n")
    try await client.send(Data(count: 300_000))
    #expect(try await client.receive(until: "300000 0").hasSuffix("300000 0"))
  }

  @Test func generatedBytesHaveTheCountingPattern() async throws {
    let server = try server()
    let client = try RawClient(port: server.port)
    try await client.send(get("/bytes/1000003"))
    _ = try await client.receive(until: "\r\n\r\n")
    let expected = Data((0..<1_000_003).map { UInt8(truncatingIfNeeded: $0) })
    #expect(try await client.receive(exactly: expected.count) == expected)
  }

  @Test func aClientThatExpects100ContinueReceivesIt() async throws {
    let server = try server()
    let client = try RawClient(port: server.port)
    let head = "HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    try await client.send("POST /echo \(head)")
    #expect(try await client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    try await client.send("hi")
    #expect(try await client.receive(until: "hi").hasPrefix("HTTP/1.1 200 OK\r\n"))
    try await client.send("POST /nowhere \(head)")
    #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 404 Not Found\r\n"))
  }

  @Test func http10ClosesByDefault() async throws {
    let server = try server()
    let client = try RawClient(port: server.port)
    try await client.send("GET /boards/1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(try await client.receive(until: "}").contains("\r\nConnection: keep-alive\r\n"))
    try await client.send("GET /chunks HTTP/1.0\r\n\r\n")
    #expect(try await client.receiveAll().hasSuffix("Connection: close\r\n\r\nab"))
  }

  @Test func aResponseToHEADIsOnlyTheHead() async throws {
    let server = try server()
    let client = try RawClient(port: server.port)
    try await client.send("HEAD /boards/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let received = try await client.receiveAll()
    #expect(received.contains("Content-Length: 10\r\n"))
    #expect(received.hasSuffix("\r\n\r\n"))
  }

  @Test func malformedInputReceivesAnErrorAndClosesTheConnection() async throws {
    var limits = MockServerLimits()
    limits.bodyBytes = 10
    let server = try server(limits: limits)
    let inputs = [
      ("nonsense\r\n\r\n", 400), (get("/", "Bad Header: x\r\n"), 400),
      (get("/", "A: " + String(repeating: "a", count: 70_000) + "\r\n"), 431),
      ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n01234567890", 413),
      ("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
    ]
    for (input, status) in inputs {
      let client = try RawClient(port: server.port)
      try await client.send(input)
      #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 \(status) "))
    }
    #expect(server.receivedRequests.isEmpty)
  }

  @Test func aPortInUseIsAnError() throws {
    let server = try server()
    #expect(
      throws: MockServerError.cannotListen(port: server.port, reason: "Address already in use")
    ) { try MockServer(port: server.port) {} }
    #expect(throws: MockServerError.self) { try MockServer(port: 70_000) {} }
  }

  @Test func stopClosesEverythingAndFreesThePort() async throws {
    let server = try server()
    let client = try RawClient(port: server.port)
    try await client.send(get("/boards/1"))
    _ = try await client.receive(until: "}")
    server.stop()
    server.stop()
    let next = try MockServer(port: server.port) {}
    #expect(next.port == server.port)
    #expect(try await client.receive().isEmpty)
    #expect(server.openConnections == 0)
  }

  @Test func aReleasedServerStops() async throws {
    var server: MockServer? = try server()
    let port = try #require(server?.port)
    let client = try RawClient(port: port)
    try await client.send(get("/boards/1"))
    _ = try await client.receive(until: "}")
    server = nil
    #expect(try await client.receiveAll().isEmpty)
  }

  @Test func concurrentStopsAreSafe() async throws {
    for _ in 0..<50 {
      let server = try server()
      let client = try RawClient(port: server.port)
      await onThreads(4) { _ in server.stop() }
      // The connection ends, possibly by a reset. The test does not try to connect again, because a
      // server of another test may already listen on the port.
      _ = try? await client.receiveAll()
      #expect(server.openConnections == 0)
    }
  }

  @Test func aHandlerCanStopItsServer() async throws {
    let slot = Log<MockServer>()
    let server = try MockServer {
      Route(.get, "/stop") { _ in
        slot.entries.first?.stop()
        return .text("not sent")
      }
    }
    slot.append(server)
    let client = try RawClient(port: server.port)
    try await client.send(get("/stop"))
    #expect(try await client.receiveAll().isEmpty)
  }

  @Test func sequencesTemplatesAndMissingFilesAreServed() async throws {
    let server = try MockServer {
      Route(.get, "/sequence") { _ in
        .sequence(.text("one"), .text("two"), then: .fallsThrough)
      }
      Route(.get, "/over") { _ in .sequence([], then: .fails) }
      Route(.post, "/template") { _ in .template { request in .text("saw \(request.text)") } }
      Route(.get, "/file") { _ in
        .file("a.json", in: URL(fileURLWithPath: "/nowhere", isDirectory: true))
      }
      Route(.get, "/cancelled") { _ in .failure(.cancelled) }
    }
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    let requests = [
      (get("/sequence"), "200 OK", "one"), (get("/sequence"), "200 OK", "two"),
      (
        get("/sequence"), "404 Not Found",
        "no route for GET /sequence after a sequence falls through\n"
      ),
      (get("/over"), "500 ", "is exhausted after 0 responses for GET /over\n"),
      ("POST /template HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi", "200 OK", "saw hi"),
      (get("/file"), "500 ", "there is no file \"a.json\" in /nowhere\n"),
      (get("/cancelled"), "500 ", "a server cannot cause the failure cancelled\n"),
    ]
    for (request, status, end) in requests {
      try await client.send(request)
      let received = try await client.receive(until: end)
      #expect(received.hasPrefix("HTTP/1.1 \(status)"))
    }
  }
}

@Suite(.gated)
struct ListeningSocketTests {
  private static var anyPort: ListeningAddress {
    get throws { try #require(ListeningAddress("127.0.0.1", port: 0)) }
  }

  #if os(Linux)
    @Test func aClosedSocketAcceptsNoConnectionsEvenIfAChildHasACopy() throws {
      let (socket, address) = try Socket.listening(on: try Self.anyPort)
      let copy = dup(socket.descriptor)
      defer { close(copy) }
      socket.closeListening()
      #expect(throws: POSIXError(.ECONNREFUSED)) { try RawClient(port: address.port) }
      let (again, same) = try Socket.listening(on: address)
      again.close()
      #expect(same == address)
    }
  #endif

  @Test func childProcessesDoNotInheritTheSockets() throws {
    let (listener, address) = try Socket.listening(on: try Self.anyPort)
    defer { listener.closeListening() }
    let client = try RawClient(port: address.port)
    let accepted = try #require(try listener.accept())
    defer { accepted.close() }
    for socket in [listener, accepted] {
      #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
      #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
    }
    withExtendedLifetime(client) {}
  }
}
