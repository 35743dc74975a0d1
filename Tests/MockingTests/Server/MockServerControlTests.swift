import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct MockServerControlTests {
  private let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func enqueuedResponsesPrecedeTheRoutes() async throws {
    let server = try MockServer { Route(.get, "/a") { _ in .text("route") } }
    server.enqueue(.text("first"), .text("second"))
    server.enqueue([.text("third")])
    #expect(server.enqueuedCount == 3)
    let client = try RawClient(port: server.port)
    for expected in ["first", "second", "third", "route"] {
      try await client.send(get)
      _ = try await client.receive(until: expected)
    }
    #expect(server.enqueuedCount == 0)
    #expect(server.receivedRequests.map(\.exchange) == [0, 1, 2, 3])
  }

  @Test func stopReturnsAfterTheEndOfAllExchanges() async throws {
    let exchanges = Log<ServedExchange.Ending>()
    let (response, resolver) = Promise<Mock>.pending()
    let server = try MockServer(onExchange: { exchanges.append($0.ending) }) {
      Route(.get, "/a") { _ in response.map(on: .inline) { $0 } }
    }
    let clients = try (0..<100).map { _ in try RawClient(port: server.port) }
    for client in clients { try await client.send(get) }
    for _ in clients { _ = try await server.takeRequest().value }
    // A release build may release a client, which closes its connection, after its last use.
    withExtendedLifetime(clients) { server.stop() }
    #expect(exchanges.entries == Array(repeating: .closed, count: 100))
    resolver.fulfill(.status(200))
  }

  @Test func anExhaustedQueueIsReported() async throws {
    let server = try MockServer {}
    server.enqueue(.text("one"))
    let client = try RawClient(port: server.port)
    try await client.send(get)
    _ = try await client.receive(until: "one")
    try await client.send(get)
    let response = try await client.receive(until: "matches\n")
    #expect(response.hasPrefix("HTTP/1.1 500 "))
    #expect(
      response.hasSuffix(
        "no response for GET /a: the enqueued mock has been used, and no route matches\n"))
  }

  @Test func aBodyIsRequestedForAnEnqueuedResponse() async throws {
    let server = try MockServer {}
    server.enqueue(.text("one"))
    let client = try RawClient(port: server.port)
    try await client.send(
      "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    _ = try await client.receive(until: "100 Continue\r\n\r\n")
    try await client.send("ab")
    _ = try await client.receive(until: "one")
    #expect(server.receivedRequests.map(\.text) == ["ab"])
  }

  @Test func aConnectionThatSendsNothingIsClosed() async throws {
    var limits = MockServerLimits()
    limits.idleTime = .milliseconds(1)
    let server = try MockServer(limits: limits) { Route(.get, "/a") { _ in .text("done") } }
    let client = try RawClient(port: server.port)
    let closed = try await server.closing(ofConnection: 0).value
    #expect(closed.closedBy == .server && closed.completedExchanges == 0)
    withExtendedLifetime(client) {}
  }

  @Test func aConnectionWhoseResponseIsHeldIsNotIdle() async throws {
    var limits = MockServerLimits()
    limits.idleTime = .milliseconds(1)
    let (gate, opener) = Promise<Void>.pending()
    let server = try MockServer(limits: limits) {
      Route(.get, "/a") { _ in gate.map(on: .inline) { .text("done") } }
    }
    var (client, connection, isReceived) = (try RawClient(port: server.port), 0, false)
    // A slow machine can exceed the limit before the request arrives.
    while true {
      try? await client.send(get)
      let (arrival, closing) = (server.takeRequest(), server.closing(ofConnection: connection))
      isReceived = try await race(arrival.map { _ in true }, closing.map { _ in false }).value
      if isReceived { break }
      client = try RawClient(port: server.port)
      connection += 1
    }
    let idle = try RawClient(port: server.port)
    #expect(try await server.closing(ofConnection: connection + 1).value.closedBy == .server)
    opener.fulfill(())
    #expect(try await client.receive(until: "done").hasSuffix("done"))
    withExtendedLifetime(idle) {}
  }

  @Test func takingARequestTimesOut() async throws {
    let time = TestScheduler()
    let server = try MockServer(scheduler: time) { Route(.get, "/a") { _ in .text("done") } }
    let late = server.takeRequest(timeout: .seconds(5))
    await time.advance(by: .seconds(5))
    #expect(await late.result.failure() == PromiseError.timedOut)
    let client = try RawClient(port: server.port)
    try await client.send(get)
    _ = try await client.receive(until: "done")
    #expect(try await server.takeRequest(timeout: .zero).value.target == "/a")
  }

  @Test func routesCanBeReplaced() async throws {
    let server = try MockServer { Route(.get, "/a") { _ in .sequence(.text("one"), .text("two")) } }
    let client = try RawClient(port: server.port)
    func expect(_ text: String) async throws {
      try await client.send(get)
      _ = try await client.receive(until: text)
    }
    try await expect("one")
    #expect(throws: MockServerError.self) {
      try server.replaceRoutes(with: [Route(.get, "a/*") { _ in .text("x") }])
    }
    try await expect("two")
    let other = Route(.get, "/a") { _ in .sequence(.text("other"), .text("another")) }
    try server.replaceRoutes(with: [other])
    try await expect("other")
    try server.replaceRoutes(with: [other])
    try await expect("other")
    try await expect("another")
    #expect(server.connectionCount == 1)
    #expect(server.journal.entries.map(\.stub) == Array(repeating: "GET /a", count: 5))
    try server.replaceRoutes(with: [other, Route(.get, "/b", .status(200))])
    try await expect("other")
    let unused = #expect(throws: VerificationFailure.self) { try server.verifyNoUnusedStubs() }
    #expect("\(try #require(unused))".contains("GET /b"))
    #expect(!"\(try #require(unused))".contains("GET /a"))
  }

  @Test func connectionsCanBeRefusedTemporarily() async throws {
    let server = try MockServer { Route(.get, "/a") { _ in .text("done") } }
    let old = try RawClient(port: server.port)
    try await old.send(get)
    _ = try await old.receive(until: "done")
    server.refuseConnections()
    server.refuseConnections()
    #expect(throws: POSIXError(.ECONNREFUSED)) { try RawClient(port: server.port) }
    try await old.send(get)
    _ = try await old.receive(until: "done")
    try server.acceptConnections()
    try server.acceptConnections()
    let new = try RawClient(port: server.port)
    try await new.send(get)
    _ = try await new.receive(until: "done")
    server.stop()
    #expect(throws: MockServerError.stopped) { try server.acceptConnections() }
  }

  @Test func aPortThatIsInUseAfterARefusalIsReported() throws {
    let server = try MockServer {}
    server.refuseConnections()
    let other = try MockServer(port: server.port) {}
    let error = MockServerError.cannotListen(port: other.port, reason: "Address already in use")
    #expect(throws: error) { try server.acceptConnections() }
    other.stop()
    try server.acceptConnections()
  }

  @Test func theConnectionLimitIsNotExceeded() async throws {
    var limits = MockServerLimits()
    limits.connections = 2
    let server = try MockServer(limits: limits) { Route(.get, "/a") { _ in .text("done") } }
    var first: RawClient? = try RawClient(port: server.port)
    let others = try (0..<3).map { _ in try RawClient(port: server.port) }
    try await first?.send(get)
    _ = try await first?.receive(until: "done")
    for client in others { try await client.send(get) }
    _ = try await others[0].receive(until: "done")
    #expect(server.connectionCount == 2)
    #expect(server.openConnections == 2)
    first = nil
    _ = try await others[1].receive(until: "done")
    withExtendedLifetime(others) {
      #expect(server.connectionCount == 3)
      #expect(server.openConnections == 2)
    }
  }

  @Test func theOutcomeOfAnExchangeIsReported() async throws {
    let exchangeLog = Log<ServedExchange>()
    let time = TestScheduler()
    let server = try MockServer(scheduler: time, onExchange: { exchangeLog.append($0) }) {
      Route(.get, "/a") { _ in .text("hello").delayed(by: .seconds(2)) }
      Route(.get, "/reset") { _ in .text("hello").interrupted(by: .reset, at: .body(afterBytes: 2))
      }
      Route(.get, "/stall") { _ in .text("hello").interrupted(by: .stall, at: .request) }
      Route(.get, "/late") { _ in .text("hello").delayed(by: .seconds(60)) }
    }
    func send(_ text: String) async throws -> RawClient {
      let client = try RawClient(port: server.port)
      try await client.send(text)
      return client
    }
    let first = try await send(get)
    _ = try await server.takeRequest().value
    await time.advance(by: .seconds(2))
    _ = try await first.receive(until: "hello")
    _ = await exchangeLog.entries(1)
    let reset = try await send("GET /reset HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = await exchangeLog.entries(2)
    let stall = try await send("GET /stall HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = await exchangeLog.entries(3)
    var late: RawClient? = try await send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
    for _ in 0..<3 { _ = try await server.takeRequest().value }
    _ = late
    late = nil
    _ = await exchangeLog.entries(4)
    let malformed = try await send("x\r\n\r\n")
    let exchanges = await exchangeLog.entries(5)
    withExtendedLifetime((reset, stall, malformed)) {}
    #expect(exchanges.map { $0.request?.target } == ["/a", "/reset", "/stall", "/late", nil])
    #expect(exchanges.map(\.status) == [200, 200, nil, nil, 400])
    #expect(exchanges.prefix(4).map(\.bodyByteCount) == [5, 2, 0, 0])
    #expect(exchanges.map(\.ending) == [.complete, .reset, .stalled, .aborted, .complete])
    #expect(exchanges[0].duration == .seconds(2))
  }
}
