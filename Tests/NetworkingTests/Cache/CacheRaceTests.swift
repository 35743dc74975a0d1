import CatenaSystem
import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem
@testable import Networking

/// Requests, changes of the cache and other processes at the same time.
@Suite(.gated)
struct CacheRaceTests {
  private let folder = TemporaryFolder(in: TemporaryFolder.memory)
  private let fresh: HTTPHeaders = ["Cache-Control": "max-age=1000", "ETag": "\"1\""]

  private func cache(memory: HTTPCache.Limits? = .memory) -> HTTPCache {
    HTTPCache(folder: folder.url("cache"), memory: memory)
  }

  /// Stores a response on disk, and returns its key.
  private func store(_ fixture: CacheFixture, _ body: String = "one") async throws -> CacheKey {
    fixture.reply(body, fresh)
    let cache = cache()
    _ = try await fixture.client(cache).request(.get("/a")).value
    await cache.flush()
    return try #require(CacheKey(fixture.url.appendingPathComponent("a")))
  }

  @Test(arguments: [false, true])
  func aResponseThatIsRemovedWhileItIsReadFromDiskDoesNotComeBack(byURL: Bool) async throws {
    let fixture = try CacheFixture(.memory)
    let key = try await store(fixture)
    let cache = cache()
    let client = fixture.client(cache)
    let disk = try #require(cache.diskStore)
    for _ in 0..<2 { fixture.reply("two", fresh) }
    // The queue of the record is occupied, so that the read waits behind this operation.
    let gate = DispatchSemaphore(value: 0)
    disk.perform(key, awaitedBy: .live) { _ in gate.wait() }
    let read = client.request(.get("/a"))
    if byURL {
      cache.invalidate(key, awaitedBy: .live)
      gate.signal()
    } else {
      async let removed: Void = cache.removeAll()
      gate.signal()
      await removed
    }
    // The read may still find the response.
    _ = try await read.value
    await cache.flush()
    let next = try await client.request(.get("/a")).value
    #expect(next.data == Data("two".utf8))
  }

  @Test func aResponseThatIsReplacedWhileItIsReadFromDiskDoesNotHideTheNewOne() async throws {
    let fixture = try CacheFixture(.memory)
    let key = try await store(fixture)
    let cache = cache(memory: HTTPCache.Limits(bytes: 16_000, entries: 10))
    let client = fixture.client(cache)
    let disk = try #require(cache.diskStore)
    let gate = DispatchSemaphore(value: 0)
    disk.perform(key, awaitedBy: .live) { _ in gate.wait() }
    let read = client.request(.get("/a"))
    // Too large for the memory, so that it is on disk only.
    let body = String(repeating: "2", count: 10_000)
    fixture.reply(body, fresh)
    _ = try await client.request(.get("/a", .cache(.reload))).value
    gate.signal()
    _ = try await read.value
    await cache.flush()
    let next = try await client.request(.get("/a")).value
    #expect(next.source == .cache && next.data == Data(body.utf8))
  }

  @Test func anInvalidationBetweenCheckAndStoreIsSeen() throws {
    let cache = HTTPCache()
    let key = try #require(CacheKey(URL.of("http://cache.test/a")))
    let now = CacheFixture.start
    let response = StoredResponse(
      HTTPResponseHead(status: 200, headers: fresh), requestTime: now, responseTime: now,
      for: CacheSelector(), body: .data(Data("one".utf8)))
    var survivors = 0
    for _ in 0..<2_000 {
      let start = cache.invalidationCount
      DispatchQueue.concurrentPerform(iterations: 2) { number in
        if number == 0 {
          CachedURL(cache: cache, key: key, scheduler: .live).store(response, since: start)
        } else {
          cache.invalidate(key, awaitedBy: .live)
        }
      }
      if cache.memory?.record(for: key) != nil { survivors += 1 }
    }
    #expect(survivors == 0)
  }

  @Test func requestsWithDifferentPoliciesShareNoExchange() async throws {
    let gate = Promise<Void>.pending(on: .inline)
    let count = Counter()
    let routes = [
      Route(.get, "/a") { _ -> Promise<Mock> in
        count.add()
        return gate.promise.map(on: .inline) { .text("one") }
      }
    ]
    let client = Networking.caching(over: MockTransport(routes: routes)) {
      $0.sharesRequests = true
    }
    let plain = [client.request(.get("/a")), client.request(.get("/a"))]
    let reloads = [Request.CachePolicy.reload, .reload, .revalidate].map {
      client.request(.get("/a", .cache($0)))
    }
    let lasting = client.request(.get("/a", .cache(lifetime: .seconds(5))))
    let cached = await client.request(.get("/a", .cache(.onlyCache))).result
    #expect(cached.failure(as: NetworkError.self)?.code == .notCached)
    gate.resolver.fulfill(())
    for call in plain + reloads + [lasting] { _ = try await call.value }
    #expect(count.value == 4)
  }

  @Test func aProcessThatIsStoppedWithTheLockDelaysNoRequestForLong() async throws {
    let fixture = try CacheFixture(.memory)
    _ = try await store(fixture)
    let cache = cache(memory: nil)
    let client = fixture.client(cache)
    do {
      let path = folder.url("cache").path
      // A lock of this process by another file is the same as that of another process.
      let lock0 = try FileLock(tryLocking: "\(path)/lock.0")
      let lock1 = try FileLock(tryLocking: "\(path)/lock.1")
      let lock2 = try FileLock(tryLocking: "\(path)/lock.2")
      let lock3 = try FileLock(tryLocking: "\(path)/lock.3")
      for _ in 0..<20 {
        fixture.reply("two", fresh)
        #expect(try await client.request(.get("/b")).value.source == .network)
      }
      #expect(try await client.request(.get("/a")).value.source == .cache)
      await cache.flush()
      #expect(await cache.usage().failedWrites == 20)
      _ = (lock0 != nil, lock1 != nil, lock2 != nil, lock3 != nil)
    }
    fixture.reply("three", fresh)
    _ = try await client.request(.get("/b")).value
    await cache.flush()
    #expect(try await client.request(.get("/b")).value.source == .cache)
  }

  @Test func aRecordThatIsTooLargeForTheMemoryKeepsItsNewestResponses() async throws {
    let fixture = try CacheFixture(.memory) { request in
      .init(
        headers: ["Cache-Control": "max-age=100", "Vary": "X-User"],
        body: String(repeating: request.headers["X-User"] ?? "", count: 1_000))
    }
    let client = fixture.client(HTTPCache(memory: .init(bytes: 12_000, entries: 10)))
    func request(_ user: Int) async throws -> Response {
      try await client.request(.get("/a", headers: ["X-User": "\(user)"])).value
    }
    for user in 0..<10 { _ = try await request(user) }
    for user in 5..<10 { #expect(try await request(user).source == .cache, "\(user)") }
    #expect(try await request(0).source == .network)
  }

  @Test func aFileThatIsTooLargeForARecordIsNotRead() async throws {
    let fixture = try CacheFixture(.memory)
    let key = try await store(fixture)
    let name = try #require(CacheDigest.digest("url", key.text))
    let path = folder.url("cache").path + "/\(name.prefix(2))/\(name)"
    #expect(truncate(path, 1 << 40) == 0)
    fixture.reply("two", fresh)
    let response = try await fixture.client(cache()).request(.get("/a")).value
    #expect(response.source == .network && !FileManager.default.fileExists(atPath: path + "x"))
  }

  @Test func aFileThatIsMissingIsNoReasonToSendWhatMustNotBeSent() async throws {
    let fixture = try CacheFixture(.memory)
    _ = try await store(fixture, String(repeating: "x", count: 50_000))
    for url in FileManager.default.enumerator(
      at: folder.url("cache"), includingPropertiesForKeys: nil)?
      .allObjects as? [URL] ?? [] where url.pathExtension == "body"
    {
      try FileManager.default.removeItem(at: url)
    }
    let response = try await fixture.client(cache()).request(.get(control: "only-if-cached"))
      .value
    #expect(response.status == 504 && fixture.received.count == 1)
  }

  @Test func aStaleResponseHidesNoUntrustedServer() async throws {
    let stale: HTTPHeaders = ["Cache-Control": "max-age=1, stale-if-error=1000", "ETag": "\"1\""]
    for (code, isStale) in [
      (NetworkError.Code.connectionLost, true), (.malformedResponse, true), (.dnsFailed, true),
      (.timedOut(.idle), true), (.pinMismatch, false), (.tlsUntrusted, false),
      (.tlsHostMismatch, false), (.bodyTooLarge, false), (.digestMismatch, false),
    ] {
      let isFailing = Atomic(false)
      let now = Mutex(CacheFixture.start)
      let transport = MockTransport(routes: [
        Route(.get, "/a") { _ in
          if isFailing.load(ordering: .relaxed) { return .failure(code) }
          return .text("one").header("Cache-Control", stale["Cache-Control"] ?? "")
            .header("ETag", "\"1\"")
        }
      ])
      let client = Networking.caching(over: transport) { $0.wallClock = { now.withLock { $0 } } }
      _ = try await client.request(.get("/a")).value
      isFailing.store(true, ordering: .relaxed)
      now.withLock { $0 += 10 }
      let result = await client.request(.get("/a")).result
      if isStale {
        #expect(try result.get().source.isStale, "\(code)")
      } else {
        #expect(result.failure(as: NetworkError.self)?.code == code, "\(result)")
      }
    }
  }
}

extension Response.Source {
  fileprivate var isStale: Bool { if case .stale = self { true } else { false } }
}
