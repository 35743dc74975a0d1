import Foundation
import Mocking
import MockingOAuth2
import Networking
import NetworkingOAuth2
import Promises
import TestGate
import TestSupport
import Testing

/// Basic and bearer credentials that a client applies to its requests.
@Suite(.gated)
struct AtomAuthenticationTests {
  private let server: MockServer

  init() throws {
    server = try MockServer {
      Route(.get, "/seatmap", .json(["seats": ["1A"]]))
      // The token endpoint of the sample.
      Route(.post, "/oauth2") { request in
        guard request.form["refresh_token"] == "r-1" else {
          return .json(["error": "invalid_grant"], status: 400)
        }
        return .json(["access_token": "t-2", "expires_in": 3600, "refresh_token": "r-2"])
      }
    }
  }

  private func client() -> Networking<Request> {
    Networking(baseURL: server.url, sessionConfiguration: .ephemeral)
  }

  private func basic(_ name: String, _ password: String) -> String {
    "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
  }

  private var authorizations: [String?] {
    server.receivedRequests.filter { $0.method == .get }.map { $0.headers["Authorization"] }
  }

  @Test("T6: basic credentials")
  func basicCredentials() async throws {
    // sample T6
    let atom = client()
    atom.authenticate(username: "username", password: "password")
    // end
    _ = try await atom.request(.get("seatmap")).validate().value
    #expect(authorizations == [basic("username", "password")])
  }

  @Test("T7: basic credentials of an actor, which change")
  func credentialsOfAnActor() async throws {
    // sample T7
    actor CredentialManager {
      private(set) var basicCredential = (username: "ada", password: "p-1")
      func update(password: String) { basicCredential.password = password }
    }
    let manager = CredentialManager()
    let atom = client()
    atom.middleware = { _, atom in
      Promise {
        let credential = await manager.basicCredential
        atom.authenticate(username: credential.username, password: credential.password)
      }
    }
    // end
    _ = try await atom.request(.get("seatmap")).validate().value
    await manager.update(password: "p-2")
    _ = try await atom.request(.get("seatmap")).validate().value
    #expect(authorizations == [basic("ada", "p-1"), basic("ada", "p-2")])
  }

  /// The store of an app, in place of its keychain.
  private final class Keychain: Sendable {
    let token: MockState<OAuth2Token?>

    init(refreshToken: String = "r-1") {
      token = MockState(
        OAuth2Token(
          accessToken: "t-1", refreshToken: refreshToken, expires: Date(timeIntervalSinceNow: -60)))
    }
  }

  // sample T8
  private final class TokenManager: TokenStoring {
    let keychain: Keychain
    init(_ keychain: Keychain) { self.keychain = keychain }
    func token(for key: TokenKey) -> OAuth2Token? { keychain.token.value }
    func setToken(_ token: OAuth2Token?, for key: TokenKey) { keychain.token.value = token }
  }
  // end

  private func session(_ keychain: Keychain) -> OAuth2Session {
    // sample T8
    let endpoint = URL(string: "\(server.url)/oauth2")
    let client = OAuth2Client(id: "client-id", secret: "client-secret", tokenURL: endpoint)
    return OAuth2Session(client, store: TokenManager(keychain))
    // end
  }

  @Test("T8: a bearer token that has expired is refreshed before it is sent, and kept by the app")
  func bearer() async throws {
    let keychain = Keychain()
    let session = session(keychain)
    // sample T8
    let atom = client()
    atom.authorize(with: session)
    // end
    let requests = (1...5).map { _ in atom.request(.get("seatmap")).validate() }
    #expect(try await when(requests).value.count == 5)
    #expect(Set(authorizations) == ["Bearer t-2"])
    #expect(keychain.token.value?.refreshToken == "r-2")
    try server.verify(.post, "/oauth2")
  }

  @Test("T8b: after a refresh that fails, all later calls fail")
  func failedRefresh() async throws {
    let atom = client()
    let session = session(Keychain(refreshToken: "revoked"))
    // sample T8b
    atom.authorize(with: session)
    let first = await atom.request(.get("seatmap")).validate().result
    let second = await atom.request(.get("seatmap")).validate().result
    // end
    #expect(first.failure(as: OAuth2Error.self)?.isInvalidGrant == true)
    #expect(second.failure(as: OAuth2Error.self)?.code == .signInRequired)
    #expect(authorizations.isEmpty)
    try server.verify(.post, "/oauth2")
  }

  @Test("T8c: the refresh has the credentials of the client")
  func clientCredentials() async throws {
    let atom = client()
    let session = session(Keychain())
    // sample T8c
    atom.authorize(with: session)
    // end
    _ = try await atom.request(.get("seatmap")).validate().value
    let refresh = try #require(server.receivedRequests.first { $0.method == .post })
    #expect(refresh.headers["Authorization"] == basic("client-id", "client-secret"))
    #expect(refresh.form["grant_type"] == "refresh_token")
  }

  @Test("T14: an endpoint without authorization")
  func withoutAuthorization() async throws {
    let atom = client()
    atom.authenticate(bearerToken: "t-1")
    // sample T14
    let request = Request.get("seatmap", .withoutCredentials)
    // end
    _ = try await atom.request(request).validate().value
    _ = try await atom.request(.get("seatmap")).validate().value
    #expect(authorizations == [nil, "Bearer t-1"])
  }
}
