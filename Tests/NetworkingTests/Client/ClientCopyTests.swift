import Foundation
import Networking
import NetworkingInterceptors
import NetworkingTracing
import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct ClientCopyTests {
  private let backend = FakeTransport { request in
    .response(request.headers["Authorization"] == "Bearer old" ? 401 : 200)
  }

  private func client() -> Networking<BoardsAPI> {
    let client = Networking<BoardsAPI>(transport: backend, configuration: .plain)
    client.callbackContext = .inline
    return client
  }

  private func fields(_ name: String) -> [String?] { backend.requests.map { $0.headers[name] } }

  @Test func hooksAndInterceptorsAreSeparate() async throws {
    let client = client()
    client.interceptors = [HeaderInjector { _ in ["X-Both": "1"] }]
    let copy = client.copy()
    copy.interceptors.append(HeaderInjector { _ in ["X-Copy": "1"] })
    copy.beforeEach = { $0.with(.headers(["X-Each": "1"])) }
    client.interceptors[.hop] = [HeaderInjector { _ in ["X-Original": "1"] }]
    _ = try await client.request(.boards).value
    _ = try await copy.request(.boards).value
    #expect(fields("X-Both") == ["1", "1"])
    #expect(fields("X-Copy") == [nil, "1"] && fields("X-Each") == [nil, "1"])
    #expect(fields("X-Original") == ["1", nil])
  }

  @Test(arguments: [true, false])
  func theBaseURLAndTheCredentialsAreShared(_ areSetOnTheCopy: Bool) async throws {
    let client = client()
    let copy = client.copy().copy()
    let setting = areSetOnTheCopy ? copy : client
    setting.authenticate(bearerToken: "t-1")
    setting.baseURL = .of("https://staging.example.com/")
    setting.authenticate(bearerToken: "t-2")
    for each in [client, copy] { _ = try await each.request(.boards).value }
    setting.baseURL = nil
    for each in [client, copy] { _ = try await each.request(.boards).value }
    let hosts = backend.requests.map { $0.url.host() ?? "" }
    #expect(
      hosts == Array(repeating: "staging.example.com", count: 2)
        + Array(repeating: "api.example.com", count: 2))
    #expect(fields("Authorization") == ["Bearer t-2", "Bearer t-2", nil, nil])
    #expect(try copy.curlCommand(for: .boards).contains("api.example.com"))
  }

  @Test func aRefreshAppliesToBothClients() async throws {
    let (client, refreshes) = (client(), Counter())
    client.authenticate(bearerToken: "old")
    client.interceptors.append(
      RefreshInterceptor { [unowned client] _ in
        refreshes.add()
        client.authenticate(bearerToken: "new")
        return Promise<Void>.fulfilled()
      })
    let copy = client.copy()
    #expect(try await copy.request(.boards).value.status == 200)
    #expect(try await client.request(.boards).value.status == 200)
    #expect(refreshes.value == 1)
    #expect(fields("Authorization") == ["Bearer old", "Bearer new", "Bearer new"])
  }

  @Test func theQueueIsShared() async {
    let open = FakeTransport { _ in [] }
    let client = Networking<BoardsAPI>(mode: .sync, transport: open, configuration: .plain)
    client.callbackContext = .inline
    let copy = client.copy()
    let first = client.request(.boards)
    let second = copy.request(.boards)
    #expect(open.requests.count == 1 && second.isPending)
    copy.cancelAllRequests()
    #expect(first.isCancelled && second.isCancelled)
    #expect(open.requests.count == 1)
  }

  @Test func theCopyKeepsTheSessionOfAReleasedClient() async throws {
    var client: Networking<BoardsAPI>? = client()
    client?.authenticate(bearerToken: "t")
    let copy = client?.copy()
    client = nil
    _ = try await copy?.request(.boards).value
    #expect(fields("Authorization") == ["Bearer t"])
  }
}
