import Foundation
import Mocking
import Networking
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

private struct RefreshAccessToken: GitHubRequestType, TypedEndpoint {
  struct ResponseType: Decodable { let access: String }

  var request: Request { .post("token") }
}

private struct GetProfile: GitHubRequestType {
  var id = 7
  var request: Request { .get("users/\(id)") }
}

/// APIKit: the refresh of an access token.
@Suite(.gated)
struct APIKitRefreshTests {
  /// Starts a server that rejects all tokens but `fresh`, with a status.
  private func server(
    rejecting status: Int = 401, token: Mock = .json(["access": "fresh"])
  ) throws -> MockServer {
    try MockServer {
      Route(.post, "/token", token)
      Route(.get, "/users/{id}") { request in
        request.headers["Authorization"] == "Bearer fresh"
          ? .json(["id": request.path["id"]])
          : .json(["code": "expired"], status: status)
      }
    }
  }

  /// Returns a client with an old token.
  private func client(
    to server: MockServer, _ configuration: NetworkingConfiguration = .isolated
  ) -> Networking<Request> {
    let client = Networking<Request>(to: server, configuration: configuration)
    client.baseURL = GetProfile.baseURL
    client.authenticate(bearerToken: "old")
    return client
  }

  @Test("K10: a 401 refreshes the token once for all requests, which are then sent again")
  func refresh() async throws {
    let server = try server()
    // sample K10
    let shared = client(to: server)
    let refresh = RefreshInterceptor(on: [401]) { [unowned shared] _ in
      shared.fetch(RefreshAccessToken(), .notIntercepted)
        .tap { token in shared.authenticate(bearerToken: token.access) }
    }
    shared.interceptors = [HeaderInjector { _ in ["x-auth-token": "x-1"] }, refresh]
    // end
    let profiles = when((1...20).map { shared.request(any: GetProfile(id: $0)) })
    #expect(try await profiles.value.allSatisfy { $0.status == 200 })
    try server.verify(.post, "/token", .exactly(1))
    #expect(
      server.receivedRequests.filter { $0.headers["Authorization"] == "Bearer fresh" }.count == 20)
  }

  @Test("K10b: while a refresh runs, all new calls of the client are held")
  func heldCalls() async throws {
    let token = Promise<Mock>.pending()
    let server = try MockServer {
      Route(.post, "/token") { _ in token.promise }
      Route(.get, "/users/{id}") { request in
        .status(request.headers["Authorization"] == "Bearer fresh" ? 200 : 401)
      }
    }
    let shared = client(to: server)
    // sample K10b
    shared.interceptors = [
      RefreshInterceptor(on: [401], holdsRequests: true) { [unowned shared] _ in
        shared.fetch(RefreshAccessToken(), .notIntercepted)
          .tap { token in shared.authenticate(bearerToken: token.access) }
      }
    ]
    // end
    let first = shared.request(any: GetProfile(id: 1))
    _ = try await (server.takeRequest().value, server.takeRequest().value)
    let held = when((2...4).map { shared.request(any: GetProfile(id: $0)) })
    token.resolver.fulfill(.json(["access": "fresh"]))
    #expect(try await first.value.status == 200)
    #expect(try await held.value.allSatisfy { $0.status == 200 })
    let rejected = server.receivedRequests.filter { $0.headers["Authorization"] == "Bearer old" }
    #expect(rejected.map(\.target) == ["/users/1", "/token"])
    #expect(server.requestCount == 6)
  }

  @Test("K10c: a 401 that comes after the refresh starts no other")
  func lateRejections() async throws {
    let late = Log<Resolver<Mock>>()
    let server = try MockServer {
      Route(.post, "/token", .json(["access": "fresh"]))
      Route(.get, "/users/{id}") { request in
        guard request.headers["Authorization"] == "Bearer old" else {
          return .fulfilled(.status(200))
        }
        guard request.path["id"] != "1" else { return .fulfilled(.status(401)) }
        let (promise, resolver) = Promise<Mock>.pending()
        late.append(resolver)
        return promise
      }
    }
    let shared = client(to: server)
    // sample K10c
    shared.interceptors = [
      RefreshInterceptor(on: [401]) { [unowned shared] _ in
        shared.fetch(RefreshAccessToken(), .notIntercepted)
          .tap { token in shared.authenticate(bearerToken: token.access) }
      }
    ]
    // end
    let slow = when([2, 3].map { shared.request(any: GetProfile(id: $0)) })
    let rejections = await late.entries(2)
    #expect(try await shared.request(any: GetProfile(id: 1)).value.status == 200)
    for rejection in rejections { rejection.fulfill(.status(401)) }
    #expect(try await slow.value.map(\.status) == [200, 200])
    try server.verify(.post, "/token", .exactly(1))
  }

  @Test("K10d: a rule decides whether a response triggers the refresh", arguments: [403, 410])
  func rule(_ status: Int) async throws {
    let server = try server(rejecting: status)
    let shared = client(to: server)
    // sample K10d
    let isExpired = RejectionRule.matching { response in
      response.status == 403 && (try? JSON(parsing: response.data))?["code"] == "expired"
    }
    // end
    let refresh = RefreshInterceptor(on: isExpired) { [unowned shared] _ in
      shared.fetch(RefreshAccessToken(), .notIntercepted)
        .tap { token in shared.authenticate(bearerToken: token.access) }
    }
    shared.interceptors.append(refresh)
    let response = try await shared.request(any: GetProfile()).value
    #expect(response.status == (status == 403 ? 200 : 410))
    try server.verify(.post, "/token", .exactly(status == 403 ? 1 : 0))
  }

  @Test("K10e: the success and the failure of a refresh are reported", arguments: [200, 400])
  func outcome(_ status: Int) async throws {
    let server = try server(token: .json(["access": "fresh"], status: status))
    let (accessTokens, failures) = (Log<String>(), Log<any Error>())
    let shared = client(to: server)
    let refresh = RefreshInterceptor(on: [401]) { [unowned shared] _ in
      shared.fetch(RefreshAccessToken(), .notIntercepted)
        .tap { token in shared.authenticate(bearerToken: token.access) }
        // sample K10e
        .tap { token in accessTokens.append(token.access) }
        .fail { error in failures.append(error) }
      // end
    }
    shared.interceptors = [refresh]
    let result = await shared.request(any: GetProfile()).result
    if status == 200 {
      #expect(try result.get().status == 200)
      #expect(accessTokens.entries == ["fresh"] && failures.entries.isEmpty)
    } else {
      #expect(result.failure(as: NetworkError.self)?.code == .unacceptableStatus(400))
      #expect(await failures.entries(1).count == 1 && accessTokens.entries.isEmpty)
    }
  }

  @Test("K10f: a rejected request that is also retried is sent with the new token")
  func refreshAndRetries() async throws {
    let server = try MockServer {
      Route(.post, "/token", .json(["access": "fresh"]))
      Route(.get, "/users/7", .sequence(.status(503), .status(401), .status(503), .json([:])))
    }
    var configuration = NetworkingConfiguration.isolated
    // sample K10f
    configuration.retry = .immediate(limit: 3)
    let shared = client(to: server, configuration)
    shared.interceptors = [
      RefreshInterceptor(on: [401]) { [unowned shared] _ in
        shared.fetch(RefreshAccessToken(), .notIntercepted)
          .tap { token in shared.authenticate(bearerToken: token.access) }
      }
    ]
    // end
    #expect(try await shared.request(any: GetProfile()).value.status == 200)
    #expect(
      server.receivedRequests.map { "\($0) \($0.headers["Authorization"] ?? "-")" } == [
        "GET /users/7 Bearer old", "GET /users/7 Bearer old", "POST /token Bearer old",
        "GET /users/7 Bearer fresh", "GET /users/7 Bearer fresh",
      ])
  }
}
