#if os(Linux)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestSupport
  import Testing

  @Suite(.timeLimit(.minutes(10)))
  struct CacheStageTests {
    @Test(arguments: CacheStory.freshness, CacheFixture.Kind.allCases)
    func freshnessAndAgeFollowTheRules(_ story: CacheStory, _ kind: CacheFixture.Kind) async throws
    {
      try await story.run(try CacheFixture(kind))
    }

    @Test(arguments: CacheStory.responseDirectives, CacheFixture.Kind.allCases)
    func directivesOfResponsesAreObeyed(_ story: CacheStory, _ kind: CacheFixture.Kind) async throws
    {
      try await story.run(try CacheFixture(kind))
    }

    @Test(arguments: CacheStory.requestDirectives, CacheFixture.Kind.allCases)
    func directivesOfRequestsAreObeyed(_ story: CacheStory, _ kind: CacheFixture.Kind) async throws
    {
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
      let fixture = try CacheFixture(.curl)
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

    @Test func aResponseToAnEarlierRequestIsNotStoredAfterAnInvalidation() async throws {
      let gate = Promise<Void>.pending(on: .inline)
      let routes = [
        Route(.get, "/a") { _ -> Promise<Mock> in
          gate.promise.map(on: .inline) { Mock.text("old").header("Cache-Control", "max-age=100") }
        },
        Route(.put, "/a") { _ in .status(204) },
      ]
      var configuration = NetworkingConfiguration.plain
      configuration.caching.storage = .cache(HTTPCache())
      configuration.caching.includesMocks = true
      let transport = MockTransport(routes: routes)
      let client = Networking<Request>(transport: transport, configuration: configuration)
      client.setBaseURL(URL.of("http://cache.test"))
      client.callbackContext = .inline
      let read = client.request(.get("/a"))
      _ = try await client.request(.put("/a")).value
      gate.resolver.fulfill(())
      #expect(try await read.value.source == .network)
      #expect(try await client.request(.get("/a")).value.source == .network)
      #expect(try await client.request(.get("/a")).value.source == .cache)
    }
  }

#endif
