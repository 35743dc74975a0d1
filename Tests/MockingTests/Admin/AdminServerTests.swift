import CatenaSystem
import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// A server serves the admin API beside its routes.
@Suite(.gated)
struct AdminServerTests {
  private func head(_ method: String, _ target: String, _ fields: String = "") -> String {
    "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
  }

  /// Sends a request and returns the whole response.
  private func exchange(
    _ server: MockServer, _ method: String, _ target: String, _ body: String = ""
  ) async throws -> String {
    let client = try RawClient(port: server.port)
    let fields =
      body.isEmpty
      ? "" : "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
    try await client.send(head(method, target, fields + "Connection: close\r\n") + body)
    return try await client.receiveAll()
  }

  private func json(_ response: String) throws -> JSON {
    let body = try #require(response.split(separator: "\r\n\r\n", maxSplits: 1).last)
    return try JSON(parsing: Data(body.utf8))
  }

  @Test func theAPIIsOffUnlessItIsServed() async throws {
    let server = try MockServer { Route(.get, "/{path*}", .text("route")) }
    #expect(try await exchange(server, "GET", "/__mock/info").hasSuffix("route"))
    let admin = try server.serveAdmin()
    #expect(admin.inspectorURL == server.url.appending(path: "__mock/"))
    #expect(admin.token == nil)
    #expect(try json(await exchange(server, "GET", "/__mock/info"))["name"] == "MockServer")
    #expect(try await exchange(server, "GET", "/a").hasSuffix("route"))
    #expect(try await exchange(server, "GET", "/__mock").contains("\r\nLocation: /__mock/\r\n"))
  }

  @Test func requestsToTheAPIAreNotRecorded() async throws {
    let exchanges = Mutex(0)
    let server = try MockServer(onExchange: { _ in exchanges.withLock { $0 += 1 } }) {
      Route(.get, "/a", .text("route"))
    }
    try server.serveAdmin()
    server.enqueue(.text("enqueued"))
    for target in ["/__mock/stubs", "/__mock/none", "/__mock/?a"] {
      _ = try await exchange(server, "GET", target)
    }
    #expect(server.requestCount == 0)
    #expect(server.enqueuedCount == 1)
    #expect(server.peakConcurrentRequests == 0)
    #expect(exchanges.withLock { $0 } == 0)
    #expect(try await exchange(server, "GET", "/a").hasSuffix("enqueued"))
    #expect(server.requestCount == 1)
  }

  @Test func theResponseAndTheTimesOfARequestAreKept() async throws {
    let server = try MockServer {
      Route(.get, "/a", .json(["token": "s3cret", "n": 1]).header("X-A", "1")).id("a")
    }
    try server.serveAdmin()
    // On one connection, so that the first exchange has ended before the second one begins.
    let client = try RawClient(port: server.port)
    try await client.send(
      head("GET", "/a") + head("GET", "/__mock/requests/1", "Connection: close\r\n"))
    let responses = try await client.receiveAll()
    let body = try #require(responses.split(separator: "\r\n\r\n").last)
    let request = try JSON(parsing: Data(body.utf8))
    #expect(request["stub"] == "a")
    #expect(request["status"] == 200)
    #expect(request["state"] == "done")
    #expect(request["response"]["headers"].array?.contains(["name": "X-A", "value": "1"]) == true)
    let text = try #require(request["response"]["body"]["text"].string)
    #expect(!text.contains("s3cret"))
    #expect(try JSON(parsing: Data(text.utf8))["n"] == 1)
    for name in ["received", "matched", "delayed", "sent"] {
      #expect(request["timings"][name].double != nil, "\(name)")
    }
    #expect(request["bytesOut"].int ?? 0 > 0)
  }

  @Test func eventsFollowARequestAndCanBeResumed() async throws {
    let (response, resolver) = Promise<Mock>.pending()
    let server = try MockServer { Route(.get, "/a") { _ in response.map(on: .inline) { $0 } } }
    try server.serveAdmin()
    let accept = "Accept: text/event-stream\r\n"
    let reader = try RawClient(port: server.port)
    try await reader.send(head("GET", "/__mock/events", accept))
    #expect(try await reader.receive(until: "retry: 2000\n\n").contains("text/event-stream"))
    let client = try RawClient(port: server.port)
    try await client.send(head("GET", "/a"))
    let first = try await event(reader)
    #expect(first.data["state"] == "received")
    #expect(first.data["status"] == .null)
    resolver.fulfill(.text("done"))
    _ = try await client.receive(until: "done")
    var last = first
    while last.data["state"] != "done" { last = try await event(reader) }
    #expect(last.data["id"] == 1)
    #expect(last.data["status"] == 200)
    let other = try RawClient(port: server.port)
    try await other.send(
      head("GET", "/__mock/events", accept + "Last-Event-ID: \(first.id)\r\n"))
    _ = try await other.receive(until: "retry: 2000\n\n")
    var resumed = try await event(other)
    while resumed.id != last.id { resumed = try await event(other) }
    #expect(resumed.data == last.data)
    server.stop()
    // The stream ends.
    _ = try await reader.receiveAll()
  }

  private func event(_ reader: RawClient) async throws -> (id: String, data: JSON) {
    // The sizes of the chunks have lines of their own, and a comment has no id.
    var lines: [Substring] = []
    while !lines.contains(where: { $0.hasPrefix("id: ") }) {
      lines = try await reader.receive(until: "\n\n").split(whereSeparator: \.isNewline)
    }
    let id = try #require(lines.first { $0.hasPrefix("id: ") })
    let data = try #require(lines.first { $0.hasPrefix("data: ") })
    return (String(id.dropFirst(4)), try JSON(parsing: Data(data.dropFirst(6).utf8)))
  }

  @Test func aBodyThatIsTooLargeIsNotRead() async throws {
    let server = try MockServer(routes: [])
    try server.serveAdmin()
    let client = try RawClient(port: server.port)
    try await client.send(
      head(
        "POST", "/__mock/stubs",
        "Content-Type: application/json\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n"))
    let response = try await client.receive(until: "\r\n\r\n")
    #expect(response.hasPrefix("HTTP/1.1 413 "))
    #expect(response.contains("Connection: close"))
  }

  @Test func aStubThatARequestHasAddedResponds() async throws {
    let server = try MockServer(routes: [])
    let admin = try server.serveAdmin()
    let added = try await exchange(
      server, "POST", "/__mock/stubs", #"{"path": "/a", "text": "added"}"#)
    #expect(added.hasPrefix("HTTP/1.1 201 "))
    #expect(try await exchange(server, "GET", "/a").hasSuffix("added"))
    #expect(try admin.replaceRoutes(with: [Route(.get, "/b", .text("new"))]) == 1)
    #expect(try await exchange(server, "GET", "/a").hasSuffix("added"))
    #expect(try await exchange(server, "GET", "/b").hasSuffix("new"))
    let changed = try await exchange(
      server, "PATCH", "/__mock/settings", #"{"fault": "close"}"#)
    #expect(changed.hasPrefix("HTTP/1.1 200 "))
    #expect(try await exchange(server, "GET", "/b") == "")
    #expect(try admin.replaceRoutes(with: [Route(.get, "/b", .text("new"))]) == 1)
    #expect(try await exchange(server, "GET", "/b") == "")
  }

  @Test func aRequestToShutDownIsAnsweredFirst() async throws {
    let (ended, resolver) = Promise<Void>.pending()
    let server = try MockServer(routes: [])
    var options = AdminAPI.Options()
    options.onShutdown = { resolver.fulfill(()) }
    try server.serveAdmin(options)
    let info = try json(await exchange(server, "GET", "/__mock/info"))
    let instance = try #require(info["instance"].string)
    let response = try await exchange(
      server, "POST", "/__mock/shutdown", #"{"instance": "\#(instance)"}"#)
    #expect(response.hasPrefix("HTTP/1.1 202 "))
    #expect(try json(response)["instance"].string == instance)
    try await ended.value
  }

  @Test func aServerThatOthersCanReachHasAToken() async throws {
    let server = try MockServer(routes: [], host: "0.0.0.0")
    let admin = try server.serveAdmin()
    let token = try #require(admin.token)
    #expect(admin.inspectorURL.query() == "token=\(token)")
    #expect(try await exchange(server, "GET", "/__mock/stubs").hasPrefix("HTTP/1.1 401 "))
    let client = try RawClient(port: server.port)
    try await client.send(
      head("GET", "/__mock/stubs", "Authorization: Bearer \(token)\r\nConnection: close\r\n"))
    #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 200 "))
    let own = try MockServer(routes: []).serveAdmin(AdminAPI.Options(token: "own-token"))
    #expect(own.token == "own-token")
  }

  @Test func pagesOfOtherOriginsAreRefusedEvenWithCORS() async throws {
    let server = try MockServer(routes: [], cors: .loopback)
    try server.serveAdmin()
    let preflight = "Origin: http://localhost:5173\r\nAccess-Control-Request-Method: DELETE\r\n"
    for method in ["OPTIONS", "DELETE"] {
      let client = try RawClient(port: server.port)
      try await client.send(
        head(method, "/__mock/requests", preflight + "Connection: close\r\n"))
      let response = try await client.receiveAll()
      #expect(response.hasPrefix("HTTP/1.1 403 "))
      #expect(!response.contains("Access-Control-Allow"))
    }
  }

  @Test func aRouteBelowThePathOfTheAPIIsRefused() throws {
    let server = try MockServer { Route(.get, "/__mock/info", .text("route")) }
    #expect(throws: MockServerError.reservedPath("/__mock/info")) { try server.serveAdmin() }
    server.stop()
    let stopped = try MockServer(routes: [])
    stopped.stop()
    #expect(throws: MockServerError.stopped) { try stopped.serveAdmin() }
  }

  @Test func aBackendInMemoryIsInspectedThroughAServer() async throws {
    let provider = MockTransport(routes: [Route(.get, "/boards", .json([]))])
    let server = try MockServer(routes: [])
    try server.serveAdmin(of: provider)
    _ = await provider.send(.get, "/boards?page=1")
    let list = try json(await exchange(server, "GET", "/__mock/requests"))
    #expect(list["requests"][0]["url"] == "/boards?page=1")
    #expect(list["requests"][0]["status"] == 200)
    _ = try await exchange(server, "POST", "/__mock/stubs", #"{"path": "/new", "text": "n"}"#)
    #expect(await provider.send(.get, "/new").text == "n")
  }

  @Test func aStubFileNamesTheRouteThatIsRefused() throws {
    let folder = TemporaryFolder()
    let file = folder.url("stubs.json")
    try Data("{\"routes\": [\n  {\"path\": \"/a\"},\n  {\"path\": \"/__mock/a\"}\n]}".utf8)
      .write(to: file)
    let stubs = try StubFile(contentsOf: file)
    do throws(StubFileError) {
      try stubs.checkReservedPaths()
      Issue.record("the route was accepted")
    } catch {
      guard case .malformed(_, let line, let column, _, let problem) = error else {
        Issue.record("\(error)")
        return
      }
      #expect((line, column) == (3, 3))
      #expect(problem.contains("\"/__mock/a\" is reserved"))
    }
  }

  @Test func noRouteOfTheServerIsBelowThePathOfTheAPI() throws {
    let server = try MockServer { Route(.get, "/a", .text("a")).id("a") }
    defer { server.stop() }
    let reserved = Route(.get, "/__mock/a", .text(""))
    try server.replaceRoutes(with: [Route(.get, "/a", .text("a")).id("a"), reserved])
    try server.replaceRoutes(with: [Route(.get, "/a", .text("a")).id("a")])
    try server.serveAdmin()
    let error = MockServerError.reservedPath("/__mock/a")
    #expect(throws: error) { try server.replaceRoutes(with: [reserved]) }
    #expect(throws: error) { try server.routes.add(reserved) }
    #expect(throws: error) { try server.routes.add([reserved]) }
    #expect(throws: error) { try server.routes.replace("a", with: reserved) }
    #expect(server.routes.all.map(\.route.template) == ["/a"])
  }
}
