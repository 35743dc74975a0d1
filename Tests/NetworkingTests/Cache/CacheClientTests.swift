#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import NetworkingInterceptors
  import NetworkingValues
  import Promises
  import TestGate
  import TestSupport
  import Testing

  @testable import Networking

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  @Suite(.gated)
  struct CacheClientTests {
    private let fresh: HTTPHeaders = ["Cache-Control": "max-age=1000", "ETag": "\"1\""]

    @Test func aResponseExpiresInTheVirtualTimeOfTheScope() async throws {
      try await withVirtualTime { time in
        let transport = MockTransport {
          Route(.get, "/", .text("a").header("Cache-Control", "max-age=60"))
        }
        var configuration = NetworkingConfiguration()
        configuration.caching.includesMocks = true
        configuration.caching.storage = .cache(HTTPCache())
        let client = Networking<Request>(transport: transport, configuration: configuration)
        let sources: [Response.Source] = [.network, .cache, .network]
        for (seconds, source) in zip([0, 30, 60], sources) {
          await time.advance(by: .seconds(seconds))
          let response = try await client.request(.get("https://example.com/")).value
          #expect(response.source == source)
        }
      }
    }

    @Test func mocksAreCachedOnlyIfTheClientAsksForIt() async throws {
      for includesMocks in [false, true] {
        let fixture = try CacheFixture(.memory) { _ in
          .init(headers: ["Cache-Control": "max-age=1000"])
        }
        let client = fixture.client { $0.caching.includesMocks = includesMocks }
        for _ in 0..<3 { _ = try await client.request(.get("/a")).value }
        #expect(fixture.received.count == (includesMocks ? 1 : 3))
      }
    }

    @Test func aMockThatIsSelectedOnAnActorIsNoResponseOfTheServer() async throws {
      let server = try CacheFixture(.memory) { _ in
        .init(headers: ["Cache-Control": "max-age=1000"], body: "real")
      }
      for includesMocks in [false, true] {
        let (cache, count) = (HTTPCache(), Counter())
        var configuration = NetworkingConfiguration.plain
        configuration.caching.storage = .cache(cache)
        configuration.caching.includesMocks = includesMocks
        let provider = MockProvider<Request> { @MainActor _ in
          count.add()
          return .text("mock").header("Cache-Control", "max-age=1000")
        }
        let client = Networking<Request>(mockProvider: provider, configuration: configuration)
        client.baseURL = server.url
        client.callbackContext = .inline
        for _ in 0..<3 {
          #expect(try await client.request(.get("/a")).toString().value == "mock")
        }
        #expect(includesMocks || count.value == 3)
        #expect(await cache.entries().count == (includesMocks ? 1 : 0))
      }
    }

    @Test func aRedirectWhoseBodyIsTruncatedIsNotStored() async throws {
      let fixture = try CacheFixture(.platform) { request in
        request.path.text == "/a"
          ? .init(
            status: 301, headers: ["Location": "/b", "Cache-Control": "max-age=100"],
            body: String(repeating: "x", count: 5_000))
          : .init(headers: ["Cache-Control": "max-age=100"], body: "there")
      }
      let cache = HTTPCache()
      let small = fixture.client(cache) { $0.maximumBodySize = 1_000 }
      #expect(try await small.request(.get("/a")).toString().value == "there")
      let entries = await cache.entries()
      #expect(entries.map(\.bodySize) == [5])
    }

    @Test func aResponseThatMustNotBeSentIsNotTriedAgain() async throws {
      let fixture = try CacheFixture(.memory)
      let client = fixture.client { $0.retry = .exponential(initial: .milliseconds(1), limit: 3) }
      let response = try await client.request(.get(control: "only-if-cached")).value
      #expect(response.status == 504 && response.attempts.isEmpty)
    }

    @Test func aStoredBodyBeyondTheLimitSendsNoRequest() async throws {
      let fixture = try CacheFixture(.memory)
      let cache = HTTPCache()
      fixture.reply(String(repeating: "x", count: 1_000), fresh)
      _ = try await fixture.client(cache).request(.get("/a")).value
      let small = fixture.client(cache) { $0.maximumBodySize = 100 }
      let result = await small.request(.get("/a", .cache(.onlyCache))).result
      #expect(result.failure(as: NetworkError.self)?.code == .bodyTooLarge)
      #expect(fixture.received.count == 1)
    }

    @Test func theSessionDecidesAboutTheStorage() {
      let clock: @Sendable () -> Date = { Date() }
      #expect(SessionConfiguration.default.makeSession(wallClock: clock).cache === HTTPCache.shared)
      let ephemeral = SessionConfiguration.ephemeral.makeSession(wallClock: clock).cache
      #expect(ephemeral !== SessionConfiguration.ephemeral.makeSession(wallClock: clock).cache)
      #expect(ephemeral?.memory != nil && ephemeral?.diskStore == nil)
      #expect(HTTPCache.shared.memory != nil && HTTPCache.shared.diskStore != nil)
      #expect(Session(transport: MockTransport(routes: [])).cache == nil)
      let foundation = URLSessionConfiguration.ephemeral
      foundation.requestCachePolicy = .returnCacheDataElseLoad
      let custom = SessionConfiguration.custom(foundation).makeSession(wallClock: clock)
      #expect(custom.cache != nil && custom.cachePolicy == .preferCache)
    }

    @Test func theSharedCacheStoresServersOfThisMachineInMemoryOnly() throws {
      for (url, isStored) in [
        ("http://127.0.0.1:8080/a", false), ("http://localhost/a", false), ("http://[::1]/", false),
        ("https://api.example.com/a", true),
      ] {
        let parsed = try #require(URL(string: url))
        let key = try #require(CacheKey(parsed))
        #expect((HTTPCache.shared.disk(for: key) != nil) == isStored, "\(url)")
      }
    }

    @Test func policiesMapToThoseOfFoundation() {
      for policy in Request.CachePolicy.allCases where policy != .noStore {
        #expect(Request.CachePolicy(policy.urlRequestPolicy) == policy)
      }
      #expect(
        Request.CachePolicy.noStore.urlRequestPolicy == .reloadIgnoringLocalAndRemoteCacheData)
    }

    @Test func aServerWithoutValidatorsReceivesTheSameRequestsAsWithoutACache() async throws {
      var received: [[HTTPHeaders]] = []
      for hasCache in [false, true] {
        let fixture = try CacheFixture(.platform) { _ in .init(isDated: false) }
        let client = fixture.client(HTTPCache()) { configuration in
          if !hasCache { configuration.caching.storage = .none }
        }
        for request in [Request.get("/a"), .get("/a"), .head("/a"), .post("/a"), .get("/a")] {
          _ = try await client.request(request).value
        }
        received.append(
          fixture.received.map { request in
            HTTPHeaders(request.headers.filter { $0.name.lowercased() != "host" })
          })
      }
      #expect(received[0].count == 5 && received[0] == received[1])
    }

    @Test func eachHopOfARedirectIsCached() async throws {
      let fixture = try CacheFixture(.platform)
      let client = fixture.client()
      fixture.reply(
        "moved", ["Location": "/b", "Cache-Control": "max-age=10"], status: 301)
      fixture.reply("there", ["Cache-Control": "max-age=100"])
      let first = try await client.request(.get("/a")).value
      #expect(first.source == .network && first.url.path == "/b")
      let again = try await client.request(.get("/a")).value
      #expect(again.source == .cache && again.url.path == "/b")
      #expect(try await client.request(.get("/b")).value.source == .cache)
      #expect(fixture.received.count == 2)
      fixture.advance(by: 50)
      fixture.reply("other", [:])
      #expect(try await client.request(.get("/a")).value.data == Data("other".utf8))
    }

    @Test func theClientsCredentialsKeepResponsesApart() async throws {
      let fixture = try CacheFixture(.platform) { request in
        .init(
          headers: ["Cache-Control": "max-age=100"],
          body: request.headers["Authorization"] ?? "none")
      }
      let cache = HTTPCache()
      for (token, count) in [("one", 1), ("two", 2), ("one", 2)] {
        let client = fixture.client(cache)
        client.authenticate(bearerToken: token)
        #expect(
          try await client.request(.get("/a")).toString().value == "Bearer \(token)")
        #expect(fixture.received.count == count)
      }
      #expect(try await fixture.client(cache).request(.get("/a")).toString().value == "none")
    }

    @Test func cookiesOfTheClientAreComparedIfTheResponseVariesOnThem() async throws {
      let fixture = try CacheFixture(.platform) { request in
        .init(
          headers: ["Cache-Control": "max-age=100", "Vary": "Cookie"],
          body: request.headers["Cookie"] ?? "none")
      }
      let jar = CookieJar()
      let client = fixture.client { $0.cookies = .jar(jar) }
      #expect(try await client.request(.get("/a")).toString().value == "none")
      #expect(try await client.request(.get("/a")).toString().value == "none")
      #expect(fixture.received.count == 1)
      jar.store(["Set-Cookie": "user=1"], from: fixture.url, at: fixture.now)
      #expect(try await client.request(.get("/a")).toString().value == "user=1")
      #expect(try await client.request(.get("/a")).toString().value == "user=1")
      #expect(fixture.received.count == 2)
    }

    @Test func fieldsThatAHopInterceptorAddsNeverMatchAnotherRequest() async throws {
      let fixture = try CacheFixture(.platform) { request in
        .init(
          headers: ["Cache-Control": "max-age=100", "Vary": "X-User"],
          body: request.headers["X-User"] ?? "none")
      }
      let client = fixture.client()
      for user in ["1", "2"] {
        client.interceptors[.hop] = [HeaderInjector { _ in ["X-User": user] }]
        #expect(try await client.request(.get("/a")).toString().value == user)
      }
    }

    @Test func eventsAndLogsTellTheSource() async throws {
      let fixture = try CacheFixture(.platform)
      let recorder = RecordingMonitor()
      let client = fixture.client()
      client.addMonitor(recorder)
      fixture.reply("one", ["Cache-Control": "max-age=10", "ETag": "\"1\""])
      _ = try await client.request(.get("/a")).value
      _ = try await client.request(.get("/a")).value
      fixture.advance(by: 11)
      fixture.reply(.init(status: 304))
      _ = try await client.request(.get("/a")).value
      let events = await recorder.events(ofCalls: 3)
      let sources = events.compactMap { event -> Response.Source? in
        if case .servedFromCache(let source) = event.kind { source } else { nil }
      }
      #expect(sources == [.cache, .revalidated])
      #expect(events.kinds.contains("served from the cache"))
      #expect(events.kinds.contains("served from the cache: revalidated"))
    }

    @Test func linesOfCachedResponsesHaveTheURL() async throws {
      let fixture = try CacheFixture(.platform)
      let log = Log<String>()
      let client = fixture.client {
        $0.logging = LoggingConfiguration(.info, to: ClosureLogger { log.append($0.lines[0]) })
      }
      fixture.reply("one", ["Cache-Control": "max-age=10"])
      let request = Request.get("/a", parameters: ["token": "s3cret"])
      for _ in 1...2 { _ = try await client.request(request).value }
      let cached = await log.entries(4).suffix(2)
      let url = fixture.url.absoluteString.trimmingCharacters(in: ["/"])
      #expect(cached.allSatisfy { $0.contains(" GET \(url)/a?token=***: ") })
      #expect(cached.first?.hasSuffix(": served from the cache") == true)
    }

    @Test func sharedRequestsJoinAValidationUnderWay() async throws {
      let server = try ScriptedServer { request in
        request.values(of: "If-None-Match").isEmpty
          ? [.respond("200 OK", ["ETag: \"1\""], Data("one".utf8))]
          : [.stall, .respond("304 Not Modified", ["ETag: \"1\""], Data())]
      }
      var configuration = NetworkingConfiguration.plain
      configuration.caching.storage = .cache(HTTPCache())
      configuration.sharesRequests = true
      let client = Networking<Request>(
        transport: PlatformTransport.make(), configuration: configuration)
      client.baseURL = server.url()
      client.callbackContext = .inline
      _ = try await client.request(.get("a")).value
      let calls = (0..<10).map { _ in client.request(.get("a")) }
      _ = await server.requests.entries(2)
      server.release()
      for call in calls {
        let response = try await call.value
        #expect(response.source == .revalidated && response.data == Data("one".utf8))
      }
      #expect(server.requests.entries.count == 2)
      await server.stop()
    }

    @Test func onlyCacheFailsWithoutACache() async {
      var configuration = NetworkingConfiguration.plain
      configuration.caching.storage = .none
      let client = Networking<Request>(
        transport: MockTransport(routes: []), configuration: configuration)
      let error = await client.request(.get("http://cache.test/", .cache(.onlyCache))).result
        .failure(as: NetworkError.self)
      #expect(error?.code == .notCached)
    }

    @Test func aBodyBeyondTheLimitOfTheClientIsNotServed() async throws {
      let fixture = try CacheFixture(.memory) { _ in
        .init(headers: ["Cache-Control": "max-age=100"], body: String(repeating: "x", count: 1_000))
      }
      let cache = HTTPCache()
      _ = try await fixture.client(cache).request(.get("/a")).value
      let small = fixture.client(cache) { $0.maximumBodySize = 100 }
      #expect(
        await small.request(.get("/a")).result.failure(as: NetworkError.self)?.code == .bodyTooLarge
      )
    }

    @Test func progressOfAStoredResponseIsReported() async throws {
      let fixture = try CacheFixture(.memory)
      let client = fixture.client()
      fixture.reply("12345", fresh)
      _ = try await client.request(.get("/a")).value
      let reports = Log<TransferProgress>()
      _ = try await client.request(.get("/a"), .onProgress { reports.append($0) }).value
      #expect(reports.entries.last?.received.bytes == 5)
    }
  }

  @Suite(.gated)
  struct CacheControlTests {
    @Test(
      arguments: [
        ("max-age=5", 5), ("max-age=\"5\"", 5), ("max-age=5, max-age=3", 3), ("max-age", 0),
        ("max-age=-1", 0), ("max-age=1.5", 0), ("x, max-age = 7 , y", 7), ("max-age=5;x", 0),
        ("ext=\"max-age=1\", max-age=9", 9), ("max-age=4294967296", 1 << 31),
        ("\"unterminated, max-age=1", 1), ("", nil), (",,,=,", nil),
      ] as [(String, Int64?)])
    func lifetimesAreParsed(_ field: String, _ maxAge: Int64?) {
      #expect(CacheControl(["Cache-Control": field]).maxAge == maxAge)
    }

    @Test func unknownBytesAreSkipped() {
      let control = CacheControl(["Cache-Control": "\u{0}=\u{FF}, n\u{F6}, NO-STORE"])
      #expect(control.noStore && control.maxAge == nil)
    }

    @Test func keysHaveTheOriginInANormalForm() throws {
      for (url, text) in [
        ("HTTP://API.Example.com:80/a?b#c", "http://api.example.com/a?b"),
        ("https://example.com:443", "https://example.com/"),
        ("https://example.com:8443?x", "https://example.com:8443/?x"),
        ("http://[::1]:80/x", "http://[::1]/x"),
      ] {
        let parsed = try #require(URL(string: url))
        let key = try #require(CacheKey(parsed))
        #expect(key.text == text)
        #expect(text.hasPrefix(key.origin + "/"))
      }
    }
  }
#endif
