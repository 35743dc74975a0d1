import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// The routes of a backend can be changed while it runs.
@Suite(.gated)
struct MockRoutesTests {
  private let url = URL.of("http://a/boards")

  private func text(_ transport: any Transport, _ method: HTTPMethod = .get) async -> String {
    let record = await transport.perform(HTTPRequest(method: method, url: url))
    return record.failure == nil ? String(decoding: record.body, as: UTF8.self) : "failed"
  }

  @Test func routesAreAddedReplacedAndRemoved() async throws {
    let transport = MockTransport(routes: [Route(.get, "/boards", .text("first"))])
    let initial = try #require(transport.routes.all.first?.id)
    let last = try transport.routes.add(Route(.get, "/boards", .text("last")))
    #expect(await text(transport) == "first")
    let first = try transport.routes.add(Route(.get, "/boards", .text("override")), at: .first)
    #expect(await text(transport) == "override")
    try transport.routes.replace(first, with: Route(.get, "/boards", .text("replaced")))
    #expect(await text(transport) == "replaced")
    #expect(transport.routes.all.map(\.id) == [first, initial, last])
    #expect(transport.routes.remove(first))
    #expect(!transport.routes.remove(first))
    #expect(await text(transport) == "first")
    #expect(transport.routes.remove(initial))
    #expect(await text(transport) == "last")
    #expect(transport.routes.count == 1)
  }

  @Test func aReplacedRouteStartsAnew() async throws {
    let transport = MockTransport(routes: [Route(.get, "/boards", .text("few")).times(1).id("x")])
    #expect(await text(transport) == "few")
    #expect(await text(transport) == "failed")
    #expect(transport.routes["x"]?.hits == 1)
    try transport.routes.replace(
      "x", with: Route(.get, "/boards", .sequence([.text("1"), .text("2")])).times(2).id("y"))
    #expect(transport.routes["x"]?.hits == 0)
    #expect(transport.routes["y"] == nil)
    #expect(await text(transport) == "1")
    #expect(await text(transport) == "2")
    #expect(await text(transport) == "failed")
  }

  @Test func prioritiesOrderAddedRoutes() async throws {
    let transport = MockTransport(routes: [Route(.get, "/boards", .text("initial"))])
    try transport.routes.add([
      Route(.get, "/boards", .text("low")).priority(-1).id("low"),
      Route(.get, "/boards", .text("high")).priority(1).id("high"),
    ])
    #expect(await text(transport) == "high")
    #expect(transport.routes.all.map(\.id.rawValue) == ["high", "1", "low"])
    try transport.routes.replace("low", with: Route(.get, "/boards", .text("top")).priority(2))
    #expect(await text(transport) == "top")
    #expect(transport.routes.all.map(\.id.rawValue) == ["low", "high", "1"])
  }

  @Test func aListNamesTheIdentifierTheHitsAndTheSource() async throws {
    let folder = TemporaryFolder()
    let file = folder.url("boards.json")
    try Data(
      #"""
      {"routes": [
        {"id": "list", "method": "GET", "path": "/boards", "text": "a"},
        {"path": "/login", "when": {"form": {"password": "s3cret"}}}
      ]}
      """#.utf8
    ).write(to: file)
    let transport = MockTransport(routes: try StubFile(contentsOf: file).routes)
    for _ in 0..<3 { _ = await text(transport) }
    try transport.routes.add(Route(.post, "/boards", .status(201)))
    let all = transport.routes.all
    #expect(all.map(\.id.rawValue) == ["list", "2", "3"])
    #expect(all.map(\.hits) == [3, 0, 0])
    #expect(
      all.map { $0.source.map { "\($0)" } } == ["boards.json:2:3", "boards.json:3:3", nil])
    #expect(
      all.map(\.description)
        == ["GET /boards", #"* /login where form "password": ***"#, "POST /boards"])
    #expect(transport.journal.entries.map(\.route) == ["list", "list", "list"])
    transport.journal.reset()
    #expect(transport.routes.all.map(\.hits) == [0, 0, 0])
  }

  @Test func identifiersAreNotUsedTwice() throws {
    let transport = MockTransport(routes: [
      Route(.get, "/a", .status(200)), Route(.get, "/b", .status(200)).id("1"),
    ])
    // The first route does not take the identifier that the second one has.
    #expect(transport.routes.all.map(\.description) == ["GET /a", "GET /b"])
    #expect(transport.routes["1"]?.description == "GET /b")
    #expect(Set(transport.routes.all.map(\.id)).count == 2)
    #expect(throws: MockServerError.duplicateRoute("1")) {
      try transport.routes.add(Route(.get, "/c", .status(200)).id("1"))
    }
    let id = try transport.routes.add(Route(.get, "/c", .status(200)))
    transport.routes.remove(id)
    #expect(try transport.routes.add(Route(.get, "/c", .status(200))) != id)
  }

  @Test func aFailedChangeChangesNothing() throws {
    let transport = MockTransport(routes: [Route(.get, "/a", .status(200)).id("a")])
    #expect(throws: MockServerError.self) {
      try transport.routes.add([
        Route(.get, "/b", .status(200)), Route(.get, "a/*", .status(200)),
      ])
    }
    #expect(throws: MockServerError.self) {
      try transport.routes.replace("a", with: Route(.get, "/{", .status(200)))
    }
    #expect(throws: MockServerError.unknownRoute("z")) {
      try transport.routes.replace("z", with: Route(.get, "/b", .status(200)))
    }
    #expect(transport.routes.all.map(\.description) == ["GET /a"])
  }

  @Test func aProviderWithAClosureHasNoRoutes() {
    let provider = MockProvider<Request> { _ in .status(200) }
    #expect(provider.routes.all.isEmpty)
    #expect(!provider.routes.remove("1"))
    #expect(throws: MockServerError.noRoutes) {
      try provider.routes.add(Route(.get, "/a", .status(200)))
    }
  }

  @Test func aServerChangesItsRoutesBetweenRequests() async throws {
    let server = try MockServer(routes: [Route(.get, "/boards", .text("old")).id("boards")])
    defer { server.stop() }
    let transport = PlatformTransport.make()
    func text() async -> String {
      let record = await transport.perform(
        HTTPRequest(method: .get, url: server.url.appending(path: "boards")))
      return String(decoding: record.body, as: UTF8.self)
    }
    #expect(await text() == "old")
    try server.routes.replace("boards", with: Route(.get, "/boards", .text("new")))
    #expect(await text() == "new")
    let routes = server.routes
    try server.replaceRoutes(with: [Route(.get, "/boards", .text("all new"))])
    #expect(await text() == "all new")
    // The value refers to the current routes, and numbers are not used again.
    #expect(routes.all.map(\.id.rawValue) == ["3"])
    try server.verifyNoUnusedStubs()
    try routes.add(Route(.get, "/unused", .status(200)))
    #expect(throws: VerificationFailure.self) { try server.verifyNoUnusedStubs() }
  }

  @Test func aRequestKeepsItsRouteWhileTheRoutesChange() async throws {
    let (pending, resolver) = Promise<Mock>.pending()
    let transport = MockTransport(routes: [
      Route(.get, "/boards") { _ in pending }.id("boards")
    ])
    let exchange = ExchangeRecorder(transport, HTTPRequest(method: .get, url: url))
    transport.routes.remove("boards")
    #expect(await text(transport) == "failed")
    #expect(transport.journal.entries.first?.outcome == nil)
    resolver.fulfill(.text("old"))
    _ = await exchange.record
    #expect(String(decoding: exchange.current.body, as: UTF8.self) == "old")
    #expect(transport.journal.entries.first?.stub == "GET /boards")
  }

  @Test func concurrentChangesAndRequestsSeeWholeStates() async throws {
    let transport = MockTransport(routes: [Route(.get, "/boards", .text("0")).id("boards")])
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 1...300 {
          try? transport.routes.replace("boards", with: Route(.get, "/boards", .text("\(number)")))
          let id = try? transport.routes.add(Route(.get, "/other/\(number)", .status(200)))
          if number % 2 == 0, let id { transport.routes.remove(id) }
        }
      }
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<200 {
            let found = await self.text(transport)
            #expect(Int(found) != nil, "there is always a route: \(found)")
          }
        }
      }
    }
    #expect(transport.routes.count == 151)
    #expect(await text(transport) == "300")
  }

  @Test func aResetRestartsSequencesLimitsAndScenarios() async throws {
    let step = Scenario("step")
    let routes: [Route] = [
      Route(.get, "/boards", .text("limited")).times(1),
      Route(.get, "/boards", .sequence([.text("1"), .text("2")])).when(step, is: "started"),
      Route(.post, "/boards", .text("done")).then(step, setTo: "done"),
      Route(.get, "/boards", .text("end")).when(step, is: "done"),
    ]
    let server = try MockServer(routes: routes)
    defer { server.stop() }
    let transport = MockTransport(routes: routes)
    let curl = PlatformTransport.make()
    func texts(_ send: (HTTPMethod) async -> String) async -> [String] {
      var texts: [String] = []
      for method in [HTTPMethod.get, .get, .get, .post, .get] { texts.append(await send(method)) }
      return texts
    }
    func overSocket(_ method: HTTPMethod) async -> String {
      let record = await curl.perform(
        HTTPRequest(method: method, url: server.url.appending(path: "boards")))
      return String(decoding: record.body, as: UTF8.self)
    }
    let expected = ["limited", "1", "2", "done", "end"]
    for round in 0..<3 {
      #expect(await texts { await text(transport, $0) } == expected)
      #expect(await texts { await overSocket($0) } == expected)
      if round == 0 {
        transport.scenarios.reset()
        server.scenarios.reset()
      } else {
        transport.routes.reset()
        server.routes.reset()
      }
    }
  }

  @Test func aResetRestartsTheCountersOfTemplates() async throws {
    let folder = TemporaryFolder()
    let file = folder.url("counter.json")
    try Data(#"{"routes": [{"path": "/boards", "text": "{{ counter }}"}]}"#.utf8).write(to: file)
    let transport = MockTransport(routes: try StubFile(contentsOf: file).routes)
    #expect(await [text(transport), text(transport)] == ["1", "2"])
    transport.scenarios.reset()
    #expect(await text(transport) == "1")
  }

  @Test func aRecordingWithCharactersOfTemplatesInItsPathsIsReplayed() async throws {
    let folder = TemporaryFolder()
    let file = folder.url("recording.har")
    try Data(
      #"""
      {"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": [
        {"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1,
          "request": {"method": "GET", "url": "http://h/a/*/:id/**", "httpVersion": "HTTP/1.1",
            "cookies": [], "headers": [], "queryString": [], "headersSize": -1, "bodySize": 0},
          "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": [], "redirectURL": "", "headersSize": -1, "bodySize": 4,
            "content": {"size": 4, "mimeType": "text/plain", "text": "star"}},
          "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 0}}
      ]}}
      """#.utf8
    ).write(to: file)
    let transport = MockTransport(routes: try StubFile(contentsOf: file).routes)
    #expect(await transport.response("/a/*/:id/**") == "200 star")
    #expect(await transport.response("/a/b/c/d") == "mockFailed")
  }
}
