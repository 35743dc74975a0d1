import CatenaSystem
import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct CacheStageTests {
  @Test(arguments: CacheStory.freshness, CacheFixture.Kind.allCases)
  func freshnessAndAgeFollowTheRules(_ story: CacheStory, _ kind: CacheFixture.Kind) async throws {
    try await story.run(try CacheFixture(kind))
  }

  @Test(arguments: CacheStory.responseDirectives, CacheFixture.Kind.allCases)
  func directivesOfResponsesAreObeyed(_ story: CacheStory, _ kind: CacheFixture.Kind) async throws {
    try await story.run(try CacheFixture(kind))
  }

  @Test(arguments: CacheStory.requestDirectives, CacheFixture.Kind.allCases)
  func directivesOfRequestsAreObeyed(_ story: CacheStory, _ kind: CacheFixture.Kind) async throws {
    try await story.run(try CacheFixture(kind))
  }

  @Test(arguments: CacheStory.storing, CacheFixture.Kind.allCases)
  func responsesAreStoredAndRemovedByTheRules(
    _ story: CacheStory, _ kind: CacheFixture.Kind
  ) async throws {
    try await story.run(try CacheFixture(kind))
  }

  @Test(arguments: CacheStory.validation, CacheFixture.Kind.allCases)
  func staleResponsesAreValidated(_ story: CacheStory, _ kind: CacheFixture.Kind) async throws {
    try await story.run(try CacheFixture(kind))
  }

  @Test(arguments: CacheStory.policies, CacheFixture.Kind.allCases)
  func policiesOverrideTheRules(_ story: CacheStory, _ kind: CacheFixture.Kind) async throws {
    try await story.run(try CacheFixture(kind))
  }

  /// All stories with each store, because the records must survive the disk.
  @Test(
    arguments: CacheStory.freshness + CacheStory.responseDirectives + CacheStory.requestDirectives
      + CacheStory.storing + CacheStory.validation + CacheStory.policies, [false, true])
  func storesOnDiskFollowTheSameRules(_ story: CacheStory, hasMemory: Bool) async throws {
    let folder = TemporaryFolder(in: TemporaryFolder.memory)
    let cache = HTTPCache(folder: folder.url("cache"), memory: hasMemory ? .memory : nil)
    try await story.run(try CacheFixture(.memory), cache)
    await cache.flush()
  }

  @Test func aYearOfAResource() async throws {
    let (day, clock) = (86_400.0, Counter())
    // The resource changes every 30 days, and is fresh for two days.
    let fixture = try CacheFixture(.memory) { request in
      let headers: HTTPHeaders = [
        "ETag": "\"\(clock.value / 30)\"", "Cache-Control": "max-age=172800",
      ]
      return request.headers["If-None-Match"] == headers["ETag"]
        ? .init(status: 304, headers: headers)
        : .init(headers: headers, body: "version \(clock.value / 30)")
    }
    let client = fixture.client()
    var counts: [Response.Source: Int] = [:]
    for today in 0..<365 {
      let response = try await client.request(.get("/a")).value
      counts[response.source, default: 0] += 1
      let body = String(decoding: response.data, as: UTF8.self)
      // The client never sees a version that was replaced more than two days ago.
      #expect(
        body == "version \(today / 30)"
          || (today % 30 < 2 && body == "version \(today / 30 - 1)"), "day \(today)")
      clock.add()
      fixture.advance(by: day)
    }
    // Every second day the server is asked, and 13 times it has another version.
    #expect(counts == [.network: 13, .cache: 182, .revalidated: 170])
    #expect(fixture.received.count == 183)
  }

  @Test func staleWhileRevalidateRefreshesOnceBehindTheResponse() async throws {
    let fixture = try CacheFixture(.platform)
    let client = fixture.client()
    let headers: HTTPHeaders = [
      "ETag": "\"1\"", "Cache-Control": "max-age=10, stale-while-revalidate=60",
    ]
    fixture.reply("one", headers)
    _ = try await client.request(.get("/a")).value
    fixture.advance(by: 20)
    fixture.reply(.init(headers: headers, body: "two"))
    let stale = try await client.request(.get("/a")).value
    #expect(stale.source == .stale(.revalidating) && stale.age == .seconds(20))
    #expect(String(decoding: stale.data, as: UTF8.self) == "one")
    // The background request has no promise, so the next responses are awaited.
    var refreshed = stale
    while refreshed.source != .cache {
      refreshed = try await client.request(.get("/a")).value
    }
    #expect(String(decoding: refreshed.data, as: UTF8.self) == "two")
    #expect(fixture.received.count == 2)
    fixture.advance(by: 71)
    fixture.reply("three", headers)
    #expect(try await client.request(.get("/a")).value.source == .network)
  }

  @Test func a304AboutAnotherResponseIsNotUsed() async throws {
    let fixture = try CacheFixture(.platform)
    let client = fixture.client()
    fixture.reply("one", ["ETag": "\"1\"", "Cache-Control": "max-age=1"])
    _ = try await client.request(.get("/a")).value
    fixture.advance(by: 2)
    fixture.reply(.init(status: 304, headers: ["ETag": "\"2\""]))
    fixture.reply("two", ["ETag": "\"2\"", "Cache-Control": "max-age=1"])
    let response = try await client.request(.get("/a")).value
    #expect(response.source == .network && response.data == Data("two".utf8))
    #expect(
      fixture.received.map { $0.headers["If-None-Match"] } == [nil, "\"1\"", nil])
  }

  @Test(arguments: [304, 200])
  func aResponseToAnEarlierRequestDoesNotReplaceOneToALaterRequest(status: Int) async throws {
    let gate = Promise<Void>.pending(on: .inline)
    let now = Mutex(CacheFixture.start)
    let count = Counter()
    let transport = MockTransport(routes: [
      Route(.get, "/a") { request -> Promise<Mock> in
        count.add()
        let number = count.value
        let mock =
          number == 2 && status == 304
          ? Mock.status(304) : .text("\(number)").header("ETag", "\"\(number)\"")
        let fresh = mock.header("Cache-Control", "max-age=10")
        return number == 2 ? gate.promise.map(on: .inline) { fresh } : .fulfilled(fresh)
      }
    ])
    let client = Networking.caching(over: transport) { $0.wallClock = { now.withLock { $0 } } }
    _ = try await client.request(.get("/a")).value
    now.withLock { $0 += 20 }
    // The second response arrives after the third one.
    let second = client.request(.get("/a"))
    now.withLock { $0 += 1 }
    _ = try await client.request(.get("/a", .cache(.reload))).value
    now.withLock { $0 += 1 }
    gate.resolver.fulfill(())
    _ = try await second.value
    let last = try await client.request(.get("/a")).value
    #expect(last.source == .cache && last.data == Data("3".utf8))
  }

  @Test func aRefreshBehindAHeadRequestIsAboutTheStoredResponse() async throws {
    let fixture = try CacheFixture(.memory)
    let cache = HTTPCache()
    let client = fixture.client(cache)
    fixture.reply(
      "one", ["ETag": "\"1\"", "Cache-Control": "max-age=10, stale-while-revalidate=60"])
    _ = try await client.request(.get("/a")).value
    fixture.advance(by: 20)
    fixture.reply("", ["ETag": "\"2\"", "Content-Length": "3"])
    #expect(try await client.request(.head("/a")).value.source == .stale(.revalidating))
    // The request in the background is a HEAD request, whose tag is not that of the stored response.
    while await cache.entries().isEmpty == false { await Task.yield() }
    #expect(fixture.received.map(\.method) == [.get, .head])
    #expect(fixture.received.last?.headers["If-None-Match"] == nil)
  }

  @Test func aResponseToAnEarlierRequestIsNotStoredAfterAnInvalidation() async throws {
    let gate = Promise<Void>.pending(on: .inline)
    let routes = [
      Route(.get, "/a") { _ -> Promise<Mock> in
        gate.promise.map(on: .inline) { Mock.text("old").header("Cache-Control", "max-age=100") }
      },
      Route(.put, "/a") { _ in .status(204) },
    ]
    let client = Networking.caching(over: MockTransport(routes: routes))
    let read = client.request(.get("/a"))
    _ = try await client.request(.put("/a")).value
    gate.resolver.fulfill(())
    #expect(try await read.value.source == .network)
    #expect(try await client.request(.get("/a")).value.source == .network)
    #expect(try await client.request(.get("/a")).value.source == .cache)
  }
}
