import CatenaSystem
import Foundation
import Networking
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

/// Retries, credential refreshes, and barriers through the public client API.
@Suite(.gated)
struct ClientRetryTests {
  private enum API: RequestConvertible {
    case boards
    case login
    case refresh

    static let baseURL: URL? = URL(string: "https://api.example.com/v1/")
    var request: Request {
      switch self {
      case .boards: .get("boards")
      case .login: .get("login", .retry(.never))
      case .refresh: .post("refresh")
      }
    }
  }

  private func client(_ mode: RequestMode, _ transport: FakeTransport) -> Networking<API> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.retry = .immediate(limit: 2)
    let client = Networking<API>(mode: mode, transport: transport, configuration: configuration)
    client.callbackContext = .inline
    client.interceptors.append(CircuitBreaker(threshold: 5), at: .origin)
    return client
  }

  @Test func theRequestsPolicyOverridesTheEndpointsAndTheClients() async throws {
    let transport = FakeTransport { _ in .response(429) }
    let client = client(.async, transport)
    for (endpoint, count) in [(API.boards, 3), (.login, 4)] {
      _ = try await client.request(endpoint).value
      #expect(transport.requests.count == count)
    }
    _ = try await client.request(API.login, .retry(.immediate(limit: 1))).value
    _ = try await client.request(API.boards, .retry(.never)).value
    #expect(transport.requests.count == 7)
  }

  @Test(arguments: [RequestMode.sync, .limited(3), .async])
  func fiveHundredCallersShareOneRefresh(_ mode: RequestMode) async throws {
    let refreshes = Counter()
    let transport = FakeTransport { request in
      if request.url.path.hasSuffix("refresh") {
        refreshes.add()
        return .response(200, [:], "new")
      }
      return .response(request.headers["Authorization"] == "Bearer new" ? 200 : 401)
    }
    let client = client(mode, transport)
    client.authenticate(bearerToken: "old")
    client.interceptors.append(
      RefreshInterceptor(on: [401]) { [unowned client] _ in
        client.request(API.refresh, .notIntercepted).validate().toString()
          .tap { client.authenticate(bearerToken: $0) }
      })
    let calls = (0..<500).map { _ in client.request(.boards) }
    for call in calls { #expect(try await call.value.status == 200) }
    #expect(refreshes.value == 1)
  }

  @Test(arguments: [false, true])
  func aRefreshRequestThatWouldWaitForItselfFailsWithAHint(_ isInTask: Bool) async {
    let client = client(.async, FakeTransport { _ in .response(401) })
    defer { withExtendedLifetime(client) {} }
    client.interceptors.append(
      RefreshInterceptor(on: [401]) { [unowned client] _ in
        guard isInTask else { return client.request(.refresh).validate() }
        return Promise { try await client.request(.refresh).validate().value }
      })
    let calls = (0..<3).map { _ in client.request(.boards) }
    for call in calls {
      let error = await call.result.failure(as: NetworkError.self)
      #expect(
        error?.description
          == "POST https://api.example.com/v1/refresh: the status 401 is not acceptable: the "
          + "request is part of the token refresh that it would wait for; make it .notIntercepted"
      )
      #expect(error?.code == .unacceptableStatus(401))
    }
  }

  @Test func aRequestOfTheRefreshIsNotHeldByIt() async throws {
    let transport = FakeTransport { request in
      if request.url.path.hasSuffix("login") { return .response(200, [:], "new") }
      return .response(request.headers["Authorization"] == "Bearer new" ? 200 : 401)
    }
    let client = client(.async, transport)
    defer { withExtendedLifetime(client) {} }
    client.interceptors.append(
      RefreshInterceptor(on: [401], holdsRequests: true) { [unowned client] _ in
        client.request(.login).validate().toString()
          .tap { client.authenticate(bearerToken: $0) }
      })
    #expect(try await client.request(.boards).value.status == 200)
    #expect(transport.requests.map(\.url.lastPathComponent) == ["boards", "login", "boards"])
  }

  @Test func aRequestMadeDuringARefreshIsResentAfterIt() async throws {
    let gate = GatedTransport()
    let unthrottledQueue = Log<NetworkPromise>()
    let client = Networking<API>(transport: gate)
    client.callbackContext = .inline
    defer { withExtendedLifetime(client) {} }
    client.interceptors.append(
      RefreshInterceptor(on: [401]) { [unowned client] _ in
        let refresh = client.request(API.refresh, .notIntercepted).validate()
          .tap { _ in client.authenticate(bearerToken: "new") }
        unthrottledQueue.append(client.request(.login))
        return refresh
      })
    let call = client.request(.boards)
    gate.respond(401)
    // The responses for the refresh, the request made during it, and the request that triggered it.
    for status in [200, 401, 200, 200] { gate.respond(status) }
    #expect(try await call.value.status == 200)
    #expect(try await unthrottledQueue.entries[0].value.status == 200)
    #expect(gate.tokens == ["none", "none", "none", "Bearer new", "Bearer new"])
  }

  @Test func aFailingHostReceivesNoMoreRequests() async throws {
    let transport = FakeTransport { _ in .response(500) }
    let client = client(.async, transport)
    _ = try await client.request(.boards).value
    let error = await client.request(.boards).result.failure(as: NetworkError.self)
    #expect(error?.code == .circuitOpen && error?.attempts == 3 && transport.requests.count == 5)
  }

  private struct Provider: TransportProvider {
    let transport: FakeTransport
    let scheduler: any Scheduler

    func transport(for endpoint: API, real: any Transport) -> (any Transport)? { transport }
  }

  @Test func retriesUntilTheServerRecovers() async throws {
    let time = TestScheduler()
    let count = Counter()
    let transport = FakeTransport { _ in .response(count.add() < 3 ? 503 : 200) }
    let networking = Networking<API>(
      mockProvider: Provider(transport: transport, scheduler: time),
      retry: .exponential(initial: .seconds(1), jitter: .none, limit: 3))
    let boards = networking.request(.boards).validate()
    await time.run()
    #expect(try await boards.value.attempts.count == 3)
    #expect(time.elapsed == .seconds(3))
  }
}
