import Foundation
import Mocking
import MockingOAuth2
import Networking
import NetworkingOAuth2
import NetworkingValues
import TestGate
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The step from an existing network layer: its requests, its hooks and its tokens.
@Suite(.gated)
struct ConduitMigrationTests {
  private let login: MockAuthorizationServer
  private let server: MockServer
  private let sessionClient: Networking<Request>

  init() throws {
    let login = try MockAuthorizationServer()
    server = try MockServer {
      Route(.get, "/kittens") { request in login.accepts(request) ? .json([]) : .status(401) }
      Route(.put, "/kittens") { request in .text(request.text) }
    }
    sessionClient = Networking(baseURL: server.url, sessionConfiguration: .ephemeral)
    self.login = login
  }

  @Test("C13: a URLRequest is sent, and a hook changes each URLRequest")
  func urlRequests() async throws {
    var request = URLRequest(url: server.url.appending(path: "kittens"))
    request.httpMethod = "PUT"
    request.httpBody = Data("Jingles".utf8)
    // sample C13
    sessionClient.preProcessRequest = { request in
      request.modifyingURLRequest { $0.setValue("v1", forHTTPHeaderField: "X-Layer") }
    }
    let response = sessionClient.request(Request(request)).validate()
    // end
    #expect(try await response.toString().value == "Jingles")
    #expect(server.receivedRequests[0].headers["X-Layer"] == "v1")
    #expect(server.receivedRequests[0].method == .put)
  }

  @Test("C13b: hooks before and after the refresh of a token")
  func refreshHooks() async throws {
    let session = OAuth2Session(login.client("app"), store: .memory)
    _ = try await session.signIn(.password(username: "ann", password: "ann-password")).value
    sessionClient.authorize(with: session)
    login.revokeAll()
    let oldLayer = Log<String>()
    // sample C13b
    let events = session.events
    let hooks = Task {
      for await event in events {
        if case .refreshing = event { oldLayer.append("will refresh") }
        if case .refreshed = event { oldLayer.append("did refresh") }
      }
    }
    // end
    _ = try await sessionClient.request(.get("kittens")).validate().value
    #expect(await oldLayer.entries(2) == ["will refresh", "did refresh"])
    hooks.cancel()
    #expect(login.counts.refreshes == 1)
  }

  @Test("C13c: the token of another layer is used")
  func tokenOfAnotherLayer() async throws {
    let client = login.client("app")
    let grant = OAuth2Grant.password(username: "ann", password: "ann-password")
    let oldToken = try await grant.token(for: client).value.accessToken
    let store = MemoryTokenStore()
    // sample C13c
    store.setToken(OAuth2Token(accessToken: oldToken), for: TokenKey(for: client))
    sessionClient.authorize(with: OAuth2Session(client, store: store))
    // end
    #expect(try await sessionClient.request(.get("kittens")).value.status == 200)
    #expect(server.receivedRequests[0].headers["Authorization"] == "Bearer \(oldToken)")
  }
}
