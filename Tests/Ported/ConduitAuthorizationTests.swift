import Foundation
import Mocking
import MockingOAuth2
import Networking
import NetworkingOAuth2
import Promises
import TestGate
import TestSupport
import Testing

/// Credentials that a client applies to its requests: Conduit's middleware for OAuth2.
@Suite(.gated)
struct ConduitAuthorizationTests {
  private let login: MockAuthorizationServer
  private let server: MockServer

  init() throws {
    let login = try MockAuthorizationServer()
    server = try MockServer {
      Route(.get, "/kittens") { request in
        login.accepts(request) ? .json(["name": "Jingles"]) : .status(401)
      }
      Route(.get, "/basic", .status(204))
    }
    self.login = login
  }

  private func client() -> Networking<Request> {
    Networking(baseURL: server.url, sessionConfiguration: .ephemeral)
  }

  private func signedIn(_ id: String = "app") async throws -> OAuth2Session {
    let session = OAuth2Session(login.client(id), store: .memory)
    _ = try await session.signIn(.password(username: "ann", password: "ann-password")).value
    return session
  }

  private var authorizations: [String?] {
    server.receivedRequests.map { $0.headers["Authorization"] }
  }

  @Test("C14: the bearer token of the user is applied to a request with a complex query")
  func userBearer() async throws {
    let kittnAPISessionClient = client()
    let userSession = try await signedIn()
    let responses = Log<[String: JSON]?>()
    // sample C14
    let sessionClient = kittnAPISessionClient.copy()
    sessionClient.authorize(with: userSession)
    let request = Request.get(
      "kittens",
      parameters: [
        "options": [
          "include": ["fuzzy", "fluffy", "not mean"],
          "2+2": 4,
        ]
      ], .queryFormat(QueryFormat(arrays: .joined(by: .comma), nesting: .dots, spaces: .plus)))
    sessionClient.request(request).toJsonDictionary().always { result in
      let responseDict = try? result.get()
      responses.append(responseDict)
    }
    // end
    #expect(await responses.entries(1) == [["name": "Jingles"]])
    let token = try #require(userSession.currentToken())
    #expect(authorizations == ["Bearer \(token.accessToken)"])
    #expect(
      server.receivedRequests[0].target
        == "/kittens?options.include=fuzzy,fluffy,not+mean&options.2%2B2=4")
  }

  @Test("C15: an expired token is refreshed once, and the other requests wait")
  func oneRefresh() async throws {
    let sessionClient = client()
    let userSession = try await signedIn()
    login.revokeAll()
    // sample C15
    sessionClient.authorize(with: userSession)
    let requests = (1...20).map { _ in sessionClient.request(.get("kittens")).validate() }
    // end
    #expect(try await when(requests).value.count == 20)
    #expect(login.counts.refreshes == 1)
  }

  @Test("C16: the bearer token of the client is requested by itself")
  func clientBearer() async throws {
    let sessionClient = client()
    // sample C16
    let clientSession = OAuth2Session(login.client("service"), store: .memory)
    sessionClient.authorize(with: clientSession, .client)
    // end
    _ = try await sessionClient.request(.get("kittens")).validate().value
    #expect(login.counts.issued == ["client_credentials": 1])
  }

  @Test("C17: the basic credentials of the client")
  func clientBasic() async throws {
    let sessionClient = client()
    let clientSession = OAuth2Session(login.client("service"), store: .memory)
    // sample C17
    sessionClient.authorize(with: clientSession, .client, .basic)
    // end
    _ = try await sessionClient.request(.get("basic")).validate().value
    let pair = Data("service:service-secret".utf8).base64EncodedString()
    #expect(authorizations == ["Basic \(pair)"])
  }

  @Test("C18: several network sessions, each with its OAuth2 client")
  func severalSessions() async throws {
    let (users, services) = (client(), client())
    let userSession = try await signedIn()
    // sample C18
    users.authorize(with: userSession)
    services.authorize(with: OAuth2Session(login.client("service"), store: .memory), .client)
    // end
    _ = try await users.request(.get("kittens")).validate().value
    _ = try await services.request(.get("kittens")).validate().value
    #expect(Set(authorizations.compactMap(\.self)).count == 2)
    #expect(login.counts.issued == ["password": 1, "client_credentials": 1])
  }

  @Test("C19: a session that is the default of an app with one client")
  func defaultSession() async throws {
    let sessionClient = client()
    // sample C19
    sessionClient.authorize(with: .app)
    // end
    _ = try await OAuth2Session.app.signIn(.password(username: "ann", password: "ann-password"))
      .value
    let token = try #require(OAuth2Session.app.currentToken())
    _ = try await sessionClient.request(.get("kittens")).value
    #expect(authorizations.first == "Bearer \(token.accessToken)")
  }
}

private let appLogin = Result { try MockAuthorizationServer() }
private let clientConfiguration = (try? appLogin.get())?.client("app") ?? OAuth2Client(id: "app")

// sample C19
extension OAuth2Session {
  fileprivate static let app = OAuth2Session(clientConfiguration, store: .memory)
}
// end
