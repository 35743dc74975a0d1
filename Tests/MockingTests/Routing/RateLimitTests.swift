import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// Limits for the number of requests of a client, in virtual time.
@Suite(.gated)
struct RateLimitTests {
  private struct Reply {
    let status: Int
    let headers: HTTPHeaders
  }

  private static func get(
    _ transport: MockTransport, _ path: String = "/a", _ headers: HTTPHeaders = [:]
  ) async throws -> Reply {
    let url = try #require(URL(string: "http://a\(path)"))
    let head = try #require(await transport.perform(HTTPRequest(url: url, headers: headers)).head)
    return Reply(status: head.status, headers: head.headers)
  }

  @Test func aRequestAboveTheLimitIsRefusedUntilTheTimeEnds() async throws {
    let scheduler = TestScheduler()
    let transport = MockTransport(
      routes: [Route(.get, "/a", .text("a")).limited(by: RateLimit(2, per: .seconds(60)))],
      scheduler: scheduler)
    let first = try await Self.get(transport)
    #expect(first.status == 200)
    #expect(first.headers["RateLimit-Policy"] == "\"default\";q=2;w=60")
    #expect(first.headers["RateLimit"] == "\"default\";r=1;t=60")
    await scheduler.advance(by: .milliseconds(10_500))
    #expect(try await Self.get(transport).headers["RateLimit"] == "\"default\";r=0;t=50")
    let refused = try await Self.get(transport)
    #expect(refused.status == 429)
    #expect(refused.headers["Retry-After"] == "50")
    #expect(refused.headers["Content-Type"] == "application/problem+json")
    await scheduler.advance(by: .milliseconds(49_500))
    #expect(try await Self.get(transport).headers["RateLimit"] == "\"default\";r=1;t=60")
  }

  @Test func eachValueOfTheFieldHasAQuota() async throws {
    let routes = [Route(.get, "/a", .text("a")), Route(.get, "/b", .text("b"))]
      .limited(by: RateLimit(1, per: .seconds(60), by: .header("Authorization")))
    let transport = MockTransport(routes: routes, scheduler: TestScheduler())
    let (ada, bob): (HTTPHeaders, HTTPHeaders) = (
      ["Authorization": "Bearer a"], ["Authorization": "Bearer b"]
    )
    #expect(try await Self.get(transport, "/a", ada).status == 200)
    // The routes share the quota.
    #expect(try await Self.get(transport, "/b", ada).status == 429)
    #expect(try await Self.get(transport, "/b", bob).status == 200)
    #expect(try await Self.get(transport, "/a").status == 200)
    #expect(try await Self.get(transport, "/a").status == 429)
  }

  @Test func aRefusedRequestChangesNoState() async throws {
    let scenario = Scenario("cart")
    let limit = RateLimit(1, per: .seconds(1))
    let scheduler = TestScheduler()
    let transport = MockTransport(
      routes: [
        Route(.get, "/a", .text("1")).when(scenario, is: "started").then(scenario, setTo: "b"),
        Route(.get, "/a", .text("2")).when(scenario, is: "b").then(scenario, setTo: "c"),
        Route(.get, "/a", .text("3")).when(scenario, is: "c"),
      ].limited(by: limit), scheduler: scheduler)
    #expect(await transport.response("/a") == "200 1")
    #expect(try await Self.get(transport).status == 429)
    await scheduler.advance(by: .seconds(1))
    #expect(await transport.response("/a") == "200 2")
  }

  @Test func aRouteThatCannotRespondNowCountsNothing() async throws {
    let scenario = Scenario("cart")
    let limit = RateLimit(1, per: .seconds(60))
    let transport = MockTransport(
      routes: [
        Route(.get, "/a", .text("1")).when(scenario, is: "full").limited(by: limit),
        Route(.get, "/a", .text("2")),
        Route(.get, "/b", .text("1")).times(1).limited(by: limit),
        Route(.get, "/b", .text("2")),
      ], scheduler: TestScheduler())
    for _ in 0..<3 { #expect(await transport.response("/a") == "200 2") }
    #expect(await transport.response("/b") == "200 1")
    for _ in 0..<3 { #expect(await transport.response("/b") == "200 2") }
  }

  @Test func aResetStartsTheTimesAgain() async throws {
    let transport = MockTransport(
      routes: [Route(.get, "/a", .text("a")).limited(by: RateLimit(1, per: .seconds(60)))],
      scheduler: TestScheduler())
    #expect(try await Self.get(transport).status == 200)
    #expect(try await Self.get(transport).status == 429)
    transport.scenarios.reset()
    #expect(try await Self.get(transport).status == 200)
  }

  @Test func aStubFileHasLimitsForRoutesResourcesAndAll() async throws {
    let text = #"""
      {"defaults": {"rateLimit": {"requests": 3, "per": "1 min"}}, "routes": [
        {"path": ["/a", "/b"], "text": "x", "rateLimit": {"requests": 1, "per": "1 s", "by": {"header": "X"}}},
        {"resource": "/c", "rateLimit": {"requests": 1, "per": "1 s", "by": "address"}},
        {"path": "/d", "text": "d"}, {"path": "/e", "text": "e"}]}
      """#
    let transport = try StubFixture(text).transport(TestScheduler())
    #expect(try await Self.get(transport, "/a").status == 200)
    #expect(try await Self.get(transport, "/b").status == 429)
    #expect(try await Self.get(transport, "/c").status == 200)
    #expect(try await Self.get(transport, "/c/1").status == 429)
    #expect(try await Self.get(transport, "/d").headers["RateLimit"] == "\"default\";r=2;t=60")
    #expect(try await Self.get(transport, "/e").headers["RateLimit"] == "\"default\";r=1;t=60")
  }

  #if os(Linux) || os(macOS)
    @Test func aServerCountsTheAddress() async throws {
      let server = try MockServer(
        routes: [Route(.get, "/a", .text("a")).limited(by: RateLimit(1, per: .seconds(60)))],
        scheduler: TestScheduler())
      let transport = PlatformTransport.make()
      #expect(await transport.get(server.url.appending(path: "a")).head?.status == 200)
      #expect(await transport.get(server.url.appending(path: "a")).head?.status == 429)
      #expect(server.receivedRequests.map(\.clientAddress) == ["127.0.0.1", "127.0.0.1"])
    }
  #endif
}
