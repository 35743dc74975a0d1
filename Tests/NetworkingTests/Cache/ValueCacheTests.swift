import CatenaSystem
import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@testable import NetworkingValues

@Suite(.gated)
struct ValueCacheTests {
  private enum Failure: Error {
    case made
  }

  @Test func aValueIsMadeOnceHoweverManyAsk() async throws {
    let cache = ValueCache<Int, String>()
    let (work, resolver) = Promise<String>.pending(on: .inline)
    let made = Counter()
    let promises = (0..<100).map { _ in
      cache.value(for: 1) {
        made.add()
        return work
      }
    }
    resolver.fulfill("one")
    for promise in promises { #expect(try await promise.value == "one") }
    #expect(made.value == 1 && cache[1] == "one")
    #expect(try await cache.value(for: 1) { .rejected(Failure.made) }.value == "one")
  }

  @Test func memoryPressureRemovesAllValues() async throws {
    let cache = ValueCache<Int, String>()
    _ = try await cache.value(for: 1) { .fulfilled("one") }.value
    cache.pressure.report()
    #expect(cache[1] == nil && cache.valueCount == 0 && cache.totalCost == 0)
    #expect(try await cache.value(for: 1) { .fulfilled("two") }.value == "two")
  }

  @Test func aFailureIsDeliveredToAllAndNotStored() async throws {
    let cache = ValueCache<Int, String>()
    let (work, resolver) = Promise<String>.pending(on: .inline)
    let promises = (0..<3).map { _ in cache.value(for: 1) { work } }
    resolver.reject(Failure.made)
    for promise in promises { #expect(await promise.result.failure(as: Failure.self) != nil) }
    #expect(cache[1] == nil)
    #expect(try await cache.value(for: 1) { .fulfilled("two") }.value == "two")
  }

  @Test func aValueThatExceedsTheLimitAloneIsNotStored() async throws {
    let cache = ValueCache<Int, String>()
    for (key, cost) in [(1, Int.max - 1), (2, Int.max), (3, 5)] {
      let made = cache.value(for: key, cost: { _ in cost }) { .fulfilled("\(key)") }
      #expect(try await made.value == "\(key)")
      #expect(cache[key] == "\(key)" && cache.valueCount == 1)
    }
    let small = ValueCache<Int, String>(cost: 10)
    _ = try await small.value(for: 1) { .fulfilled("one") }.value
    _ = try await small.value(for: 2, cost: { _ in .max }) { .fulfilled("two") }.value
    #expect(small[1] == "one" && small[2] == nil)
  }

  @Test func theParametersOfACallArePartOfTheKey() async throws {
    let client = Networking<Request>(
      baseURL: URL.of("http://cache.test"),
      transport: MockTransport { Route(.get, "/boards") { request in .text(request.target) } })
    let cache = ValueCache<URL, Data>()
    for page in 1...2 {
      let value = client.value(for: .get("boards"), cached: cache, .parameters(["page": page]))
      #expect(try await value.value == Data("/boards?page=\(page)".utf8))
    }
    #expect(cache.valueCount == 2)
  }

  /// A client of a server whose responses count the requests, and have the language.
  private static func countingClient() -> Networking<Request> {
    let received = Counter()
    return Networking<Request>(
      baseURL: URL.of("http://cache.test"),
      transport: MockTransport {
        Route(.get, "/boards") { request in
          .text("\(request.headers["X-Language"] ?? "") \(received.add())")
        }
      })
  }

  @Test func theHeaderFieldsOfARequestArePartOfTheKey() async throws {
    let client = Self.countingClient()
    let cache = ValueCache<URL, Data>()
    for (language, text) in [("de", "de 1"), ("en", "en 2"), ("de", "de 1")] {
      let value = client.value(
        for: .get("boards"), cached: cache, .headers(["X-Language": language]))
      #expect(try await value.value == Data(text.utf8))
    }
    _ = try await client.value(for: .get("boards"), cached: cache).value
    #expect(cache[URL.of("http://cache.test/boards")] == Data(" 3".utf8))
  }

  @Test(arguments: [Request.CachePolicy.reload, .revalidate])
  func aReloadReplacesTheStoredValue(_ policy: Request.CachePolicy) async throws {
    let client = Self.countingClient()
    let cache = ValueCache<URL, Data>()
    for (options, text) in [
      ([], " 1"), ([], " 1"), ([RequestOption.cache(policy)], " 2"), ([], " 2"),
    ] {
      let value = client.value(for: .get("boards"), cached: cache, .all(options))
      #expect(try await value.value == Data(text.utf8))
    }
  }

  @Test func aValueThatIsNotToBeStoredIsNot() async throws {
    let cache = ValueCache<URL, Data>()
    let value = Self.countingClient().value(for: .get("boards"), cached: cache, .cache(.noStore))
    #expect(try await value.value == Data(" 1".utf8) && cache.valueCount == 0)
  }

  @Test func theProgressReachesAllCallers() async throws {
    let time = TestScheduler()
    var configuration = NetworkingConfiguration()
    configuration.scheduler = time
    let client = Networking<Request>(
      baseURL: URL.of("http://cache.test"),
      transport: MockTransport(scheduler: time) {
        Route(.get, "/boards") { _ in Mock.text("boards").delayed(by: .seconds(1)) }
      }, configuration: configuration)
    client.callbackContext = .inline
    let cache = ValueCache<URL, Data>()
    let received = [Log<Int64>(), Log<Int64>(), Log<Int64>()]
    let promises = received.map { log in
      client.value(
        for: .get("boards"), cached: cache, .onProgress { log.append($0.received.bytes) })
    }
    promises[2].cancel()
    await time.run()
    for promise in promises.dropLast() { #expect(try await promise.value == Data("boards".utf8)) }
    #expect(received.map(\.entries.last) == [6, 6, nil])
  }

  @Test func theKeyHasNoChangesOfThePreProcessingHook() async throws {
    let client = Self.countingClient()
    let runs = Counter()
    client.preProcessRequest = { request in
      var request = request
      request.headers["X-Run"] = "\(runs.add())"
      request.url.append(queryItems: [URLQueryItem(name: "run", value: "\(runs.value)")])
      return request
    }
    let cache = ValueCache<URL, Data>()
    for _ in 1...2 {
      let value = client.value(for: .get("boards"), cached: cache)
      #expect(try await value.value == Data(" 1".utf8))
    }
    #expect(runs.value == 1)
  }

  @Test func onlyTheValuesOfGETRequestsAreCached() async throws {
    let client = Networking<Request>(
      transport: MockTransport { Route(nil, "/boards", .text("one")) })
    client.baseURL = URL.of("http://cache.test")
    let cache = ValueCache<URL, Data>()
    _ = try await client.value(for: .get("/boards"), cached: cache).value
    let result = await client.value(for: .post("/boards"), cached: cache).result
    #expect(result.failure(as: NetworkError.self)?.code == .unsupported)
  }

  @Test func theLastCallerCancelsTheWork() async {
    let cache = ValueCache<Int, String>()
    let (work, resolver) = Promise<String>.pending(on: .inline)
    let cancelled = Counter()
    resolver.onCancel { cancelled.add() }
    let promises = (0..<3).map { _ in cache.value(for: 1) { work } }
    promises[0].cancel()
    promises[1].cancel()
    #expect(cancelled.value == 0)
    promises[2].cancel()
    #expect(cancelled.value == 1)
  }

  @Test func limitsEvictTheLeastRecentlyUsedValues() async throws {
    let cache = ValueCache<Int, String>(count: 3, cost: 10)
    for key in 1...3 {
      _ = try await cache.value(for: key, cost: { _ in 2 }) { .fulfilled("\(key)") }.value
    }
    #expect(cache[1] == "1")
    _ = try await cache.value(for: 4, cost: { _ in 2 }) { .fulfilled("4") }.value
    #expect(cache[2] == nil && cache[1] == "1" && cache[3] == "3" && cache.totalCost == 6)
    _ = try await cache.value(for: 5, cost: { _ in 7 }) { .fulfilled("5") }.value
    #expect(cache.totalCost <= 10 && cache[5] == "5" && cache[4] == nil)
    _ = try await cache.value(for: 6, cost: { _ in 11 }) { .fulfilled("6") }.value
    #expect(cache[6] == nil && cache[5] == "5")
    #expect(ValueCacheCost.megabytes(50).bytes == 50 << 20)
  }

  @Test func valuesExpire() async throws {
    let scheduler = TestScheduler()
    let cache = ValueCache<Int, String>(lifetime: .seconds(10), scheduler: scheduler)
    _ = try await cache.value(for: 1) { .fulfilled("one") }.value
    await scheduler.advance(by: .seconds(9))
    #expect(cache[1] == "one")
    await scheduler.advance(by: .seconds(1))
    #expect(cache[1] == nil && cache.valueCount == 0)
  }

  @Test func aValueThatIsRemovedWhileItIsMadeIsDeliveredAndNotStored() async throws {
    let cache = ValueCache<Int, String>()
    let (work, resolver) = Promise<String>.pending(on: .inline)
    let promises = (0..<2).map { _ in cache.value(for: 1) { work } }
    cache.remove(1)
    let second = cache.value(for: 1) { .fulfilled("two") }
    resolver.fulfill("one")
    for promise in promises { #expect(try await promise.value == "one") }
    #expect(try await second.value == "two" && cache[1] == "two")
    cache.removeAll()
    #expect(cache[1] == nil && cache.totalCost == 0)
  }

  private struct Cover: Codable, Sendable, Equatable {
    var id: Int
  }

  @Test func aClientDecodesAValueOnce() async throws {
    let received = Counter()
    let routes = [
      Route(.get, "/v1/boards/{id}") { request in
        received.add()
        return .json(["id": .int(Int(request.path["id"]) ?? 0)])
      }
    ]
    let client = Networking<BoardsAPI>(transport: MockTransport(routes: routes))
    let covers = ValueCache<URL, Cover>(cost: .megabytes(1))
    let promises = (0..<10).map { _ in client.value(for: .board(id: 7), cached: covers) }
    for promise in promises { #expect(try await promise.value == Cover(id: 7)) }
    #expect(received.value == 1)
    #expect(covers[URL.of("https://api.example.com/v1/boards/7")] == Cover(id: 7))
    #expect(covers.totalCost == 8)
    try await client.prefetch([.board(id: 1), .board(id: 2), .boards], cached: covers).value
    #expect(received.value == 3 && covers.valueCount == 3)
    let bytes = ValueCache<URL, Data>()
    #expect(
      try await client.value(for: .board(id: 3), cached: bytes).value == Data(#"{"id":3}"#.utf8))
    let lengths = ValueCache<URL, Int>()
    #expect(
      try await client.value(for: .board(id: 3), cached: lengths) { $0.data.count }.value == 8)
    #expect(
      await client.value(for: .boards, cached: lengths) { $0.data.count }.result.failure(
        as: NetworkError.self) != nil)
  }
}
