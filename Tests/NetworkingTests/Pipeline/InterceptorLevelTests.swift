import Foundation
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The interceptors of calls, attempts and hops.
@Suite(.gated)
struct InterceptorLevelTests {
  /// Records the path of each request, and the status of each response.
  private struct Recorder: Interceptor {
    let name: String
    let log: Log<String>

    func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
      log.append("\(name) \(exchange.request.url.path)")
      return next(exchange).always(on: .inline) { result in
        log.append("\(name) \((try? result.get().status) ?? 0)")
      }
    }
  }

  private let log = Log<String>()
  private let time = TestScheduler()

  private func recorder(_ name: String) -> Recorder { Recorder(name: name, log: log) }

  private func client(
    _ transport: any Transport, _ change: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration.plain
    configuration.scheduler = time
    configuration.retry = .delayed(.seconds(1), limit: 1)
    change(&configuration)
    let client = Networking<Request>(
      baseURL: .of("https://a.example"), transport: transport, configuration: configuration)
    client.callbackContext = .inline
    return client
  }

  /// A server that redirects `/a` to `/b`, whose first response is a 503.
  private func redirectingServer(to target: String = "/b") -> FakeTransport {
    let tries = Counter()
    return FakeTransport { request in
      if request.url.path == "/a" { return .response(307, ["Location": target]) }
      return .response(tries.add() == 1 ? 503 : 200)
    }
  }

  private func response(of client: Networking<Request>) async throws -> Response {
    let promise = client.request(.get("a"))
    await time.run()
    return try await promise.value
  }

  @Test func callsAttemptsAndHopsAreNested() async throws {
    let client = client(redirectingServer())
    // In another order than that of the stages.
    client.interceptors.append(recorder("hop"), at: .hop)
    client.interceptors.append(recorder("origin"), at: .origin)
    client.interceptors.append(recorder("attempt"), at: .attempt)
    client.interceptors.append(recorder("call"))
    #expect(try await response(of: client).status == 200)
    let redirect = ["origin /a", "hop /a", "hop 307", "origin 307"]
    #expect(
      log.entries == ["call /a", "attempt /a"] + redirect
        + ["origin /b", "hop /b", "hop 503", "origin 503", "attempt 503", "attempt /a"] + redirect
        + ["origin /b", "hop /b", "hop 200", "origin 200", "attempt 200", "call 200"])
  }

  @Test(arguments: [InterceptorLevel.call, .attempt, .origin, .hop])
  func theFirstInterceptorOfALevelIsTheOutermost(_ level: InterceptorLevel) async throws {
    let client = client(FakeTransport { _ in .response(200) })
    client.interceptors[level] = [recorder("outer")]
    client.interceptors.append(recorder("inner"), at: level)
    _ = try await response(of: client)
    #expect(log.entries == ["outer /a", "inner /a", "inner 200", "outer 200"])
  }

  @Test func anInterceptorOfAttemptsChangesAllHopsOfItsAttempt() async throws {
    let server = redirectingServer()
    let client = client(server)
    let count = Counter()
    client.interceptors.append(
      RequestAdapter { request in
        #expect(request.headers["Authorization"] == nil && request.url.path == "/a")
        var request = request
        request.headers["X-Try"] = "\(count.add())"
        return request
      }, at: .attempt)
    client.authenticate(bearerToken: "t")
    let response = try await response(of: client)
    #expect(response.status == 200 && response.attempts.count == 2)
    #expect(server.requests.map { $0.headers["X-Try"] } == ["1", "1", "2", "2"])
    #expect(server.requests.allSatisfy { $0.headers["Authorization"] == "Bearer t" })
  }

  @Test func secretsOfAnAttemptAreNotSentToAnotherOrigin() async throws {
    let server = redirectingServer(to: "https://b.example/b")
    let client = client(server)
    client.interceptors.append(
      HeaderInjector { _ in ["X-Api-Key": "k", "X-Client": "c"] }, at: .attempt)
    _ = try await response(of: client)
    #expect(server.requests.map { $0.headers["X-Api-Key"] } == ["k", nil, "k", nil])
    #expect(server.requests.map { $0.headers["X-Client"] } == ["c", "c", "c", "c"])
  }

  @Test func anInterceptorOfOriginsSeesHopsBeforeTheirCredentials() async throws {
    let client = client(redirectingServer(to: "https://b.example/b"))
    let fields = Log<String>()
    for level in [InterceptorLevel.origin, .hop] {
      client.interceptors.append(
        RequestAdapter { request in
          let host = try #require(request.url.host)
          fields.append("\(host) \(request.headers["Authorization"] ?? "-")")
          return request
        }, at: level)
    }
    client.authenticate(bearerToken: "t")
    #expect(try await response(of: client).status == 200)
    let hops = ["a.example -", "a.example Bearer t", "b.example -", "b.example -"]
    #expect(fields.entries == hops + hops)
  }

  @Test func anInterceptorOfAttemptsCanEndAnAttempt() async throws {
    struct Refusal: Interceptor {
      let count = Counter()

      func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
        count.add() == 1 ? .rejected(NetworkError(.connectionLost)) : next(exchange)
      }
    }
    let server = FakeTransport { _ in .response(200) }
    let client = client(server)
    client.interceptors.append(Refusal(), at: .attempt)
    let response = try await response(of: client)
    #expect(response.attempts.count == 2 && server.requests.count == 1)
  }

  @Test func callsThatShareAnExchangeShareItsAttemptsAndHops() async throws {
    let gate = GatedTransport()
    let client = client(gate) { $0.sharesRequests = true }
    client.interceptors.append(recorder("call"))
    client.interceptors.append(recorder("attempt"), at: .attempt)
    client.interceptors.append(recorder("hop"), at: .hop)
    let calls = (0..<2).map { _ in client.request(.get("a")) }
    #expect(log.entries == ["call /a", "attempt /a", "hop /a", "call /a"])
    gate.respond(200)
    for call in calls { #expect(try await call.value.status == 200) }
    #expect(
      log.entries.filter { $0.hasSuffix(" 200") }.sorted() == [
        "attempt 200", "call 200", "call 200", "hop 200",
      ])
  }

  @Test(arguments: [InterceptorLevel.attempt, .origin, .hop])
  func aCopyWithOtherInterceptorsOfAttemptsOrHopsSharesNothing(
    _ level: InterceptorLevel
  ) async throws {
    let transport = FakeTransport { _ in [] }
    let client = client(transport) { $0.sharesRequests = true }
    let copy = client.copy()
    for (each, user) in [(client, "alice"), (copy, "bob")] {
      each.interceptors.append(HeaderInjector { _ in ["X-User": user] }, at: level)
    }
    let calls = [client, copy, client, copy].map { $0.request(.get("a")) }
    #expect(transport.requests.map { $0.headers["X-User"] } == ["alice", "bob"])
    // Unchanged interceptors are the same.
    let another = copy.copy()
    another.interceptors.append(recorder("call"))
    let shared = another.request(.get("a"))
    #expect(transport.requests.count == 2)
    for call in calls + [shared] { call.cancel() }
  }

  @Test(arguments: [nil, InterceptorLevel.attempt, .origin, .hop])
  func requestsWithAttributesAreNotSharedBeforeInterceptorsThatMayReadThem(
    _ level: InterceptorLevel?
  ) {
    let transport = FakeTransport { _ in [] }
    let client = client(transport) {
      $0.sharesRequests = true
      $0.decoder = JSONDecoder()
      $0.secretNames = ["pin"]
    }
    if let level {
      client.interceptors.append(
        RequestAdapter { request in
          var request = request
          request.headers["X-Tenant"] = request.attributes[TenantKey.self]
          return request
        }, at: level)
    }
    let calls = ["a", "b"].map { client.request(.get("a"), .attribute(TenantKey.self, $0)) }
    #expect(
      transport.requests.map { $0.headers["X-Tenant"] } == (level == nil ? [nil] : ["a", "b"]))
    // The attributes of the client do not count.
    let others = [1, 2].map { _ in client.request(.get("b")) }
    #expect(transport.requests.count(where: { $0.url.path == "/b" }) == 1)
    for call in calls + others { call.cancel() }
  }

  @Test(arguments: [InterceptorLevel.call, .attempt, .origin, .hop], [false, true])
  func aResentRequestHasTheCurrentCredentials(
    _ level: InterceptorLevel, _ refreshes: Bool
  ) async throws {
    let server = FakeTransport { request in
      .response(request.headers["Authorization"] == "Bearer new" ? 200 : 401)
    }
    let client = client(server)
    client.authenticate(bearerToken: "old")
    let renew: @Sendable () -> Promise<Void> = { [unowned client] in
      client.renewCredentials {
        client.authenticate(bearerToken: "new")
        return Promise<Void>.fulfilled()
      }
    }
    client.interceptors.append(
      refreshes
        ? RefreshInterceptor { _ in renew() }
        : ResponseInterceptor { result, _ in
          (try? result.get().status) == 401 ? .resend(after: renew()) : .pass
        }, at: level)
    #expect(try await response(of: client).status == 200)
    #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new"])
    // A field of the request itself stays.
    _ = try await client.request(.get("b", headers: ["Authorization": "Bearer own"])).value
    #expect(
      server.requests.dropFirst(2).map { $0.headers["Authorization"] }
        == ["Bearer own", "Bearer own"])
  }

  // MARK: The list

  @Test func aLiteralHasInterceptorsOfCallsAndReplacesAllLevels() {
    let client = client(FakeTransport { _ in .response(200) })
    #expect(client.interceptors.isEmpty)
    for level in [InterceptorLevel.call, .attempt, .origin, .hop] {
      client.interceptors.append(recorder("any"), at: level)
    }
    #expect(client.interceptors.count == 4 && !client.interceptors.isEmpty)
    client.interceptors = [recorder("a"), recorder("b")]
    #expect(client.interceptors[.call].map(\.name) == ["a", "b"])
    #expect(client.interceptors.count == 2)
    client.interceptors[.hop].insert(recorder("c"), at: 0)
    client.interceptors[.call].removeAll { $0.name == "a" }
    #expect(client.interceptors.count == 2)
    client.interceptors.removeAll()
    #expect(client.interceptors.isEmpty)
  }

  @Test func aChangeAppliesToLaterCalls() async throws {
    let client = client(FakeTransport { _ in .response(200) })
    client.suspend()
    let early = client.request(.get("a"))
    client.interceptors.append(recorder("attempt"), at: .attempt)
    let late = client.request(.get("b"))
    client.resume()
    _ = try await (early.value, late.value)
    #expect(log.entries == ["attempt /b", "attempt 200"])
  }
}
