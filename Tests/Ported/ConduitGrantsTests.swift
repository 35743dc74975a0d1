import Foundation
import MockingOAuth2
import Networking
import NetworkingOAuth2
import Promises
import TestGate
import TestSupport
import Testing

/// Grants of OAuth2 by hand.
@Suite(.gated)
struct ConduitGrantsTests {
  private let server: MockAuthorizationServer

  init() throws {
    var settings = AuthorizationServerSettings()
    settings.clients["my_oauth2_client"] = .confidential(secret: "shhhh")
    settings.users["kitty@example.com"] = "hunter2"
    server = try MockAuthorizationServer(settings)
  }

  private var clientConfiguration: OAuth2Client {
    server.client("my_oauth2_client", scope: ["cats"])
  }

  @Test("C11: the configuration of a client")
  func configuration() async throws {
    let issuer = server.issuer
    // sample C11
    let tokenGrantURL = URL(string: "\(issuer)/token")
    let clientConfiguration = OAuth2Client(
      id: "my_oauth2_client", secret: "shhhh", tokenURL: tokenGrantURL,
      scope: ["cats", "dogs", "giraffes"])
    // end
    let token = try await OAuth2Grant.clientCredentials.token(for: clientConfiguration).value
    #expect(server.accepts(accessToken: token.accessToken))
    #expect(token.scope == ["cats", "dogs", "giraffes"])
  }

  @Test("C11a: a password grant, whose token is stored by hand")
  func password() async throws {
    let store = MemoryTokenStore()
    // sample C11a
    let token = try await OAuth2Grant.password(username: "kitty@example.com", password: "hunter2")
      .token(for: clientConfiguration).value
    store.setToken(token, for: TokenKey(for: clientConfiguration, level: .user))
    // end
    let session = OAuth2Session(clientConfiguration, store: store)
    #expect(try await session.token().value == token)
    #expect(server.accepts(accessToken: token.accessToken))
  }

  @Test("C11b: a grant of client credentials, whose token is stored by hand")
  func clientCredentials() async throws {
    let store = MemoryTokenStore()
    // sample C11b
    let token = try await OAuth2Grant.clientCredentials.token(for: clientConfiguration).value
    store.setToken(token, for: TokenKey(for: clientConfiguration, level: .client))
    // end
    let session = OAuth2Session(clientConfiguration, store: store)
    #expect(try await session.token(.client).value == token)
    #expect(server.counts.issued == ["client_credentials": 1])
  }

  @Test("C11c: a grant of a refresh token, and an extension grant")
  func refreshAndExtension() async throws {
    let grant = OAuth2Grant.password(username: "kitty@example.com", password: "hunter2")
    let first = try await grant.token(for: clientConfiguration).value
    let refreshToken = try #require(first.refreshToken)
    // sample C11c
    let refresh = OAuth2Grant.refreshToken(refreshToken)
    let voucher = OAuth2Grant.extension(
      "urn:mock:grant-type:voucher", parameters: ["voucher": "open-sesame"])
    let tokens = try await when(
      refresh.token(for: clientConfiguration), voucher.token(for: clientConfiguration)
    ).value
    // end
    #expect(tokens.0.accessToken != first.accessToken)
    #expect(server.accepts(accessToken: tokens.0.accessToken))
    #expect(server.accepts(accessToken: tokens.1.accessToken))
  }

  /// Follows the redirect of a page, as a browser does.
  private func redirect(of page: URL) async throws -> URL {
    var configuration = NetworkingConfiguration()
    configuration.redirects = .refuse
    configuration.session = .ephemeral
    let browser = Networking<Request>(configuration: configuration)
    let response = try await browser.request(.get(.url(page))).value
    return try #require(response.headers["Location"].flatMap { URL(string: $0) })
  }

  @Test("C11d: the page of an authorization code has the state, the scheme and the parameters")
  func page() async throws {
    let clientConfiguration = server.client("app", scope: ["cats", "dogs", "giraffes"])
    let session = OAuth2Session(clientConfiguration, store: .memory)
    let pages = Log<URL>()
    // sample C11d
    let redirectURL = URL(string: "x-my-custom-scheme://authorize")!
    let consent = ManualConsent(redirectURL: redirectURL) { page in pages.append(page) }
    let signedIn = session.signIn(
      .authorizationCode(consent, parameters: ["custom_param_1": "value"]))
    // end
    let page = try #require(await pages.entries(1).first)
    let items = URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems ?? []
    let values = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    #expect(page.absoluteString.hasPrefix("\(server.issuer)/authorize"))
    #expect(values["client_id"] == "app" && values["response_type"] == "code")
    #expect(values["redirect_uri"] == "x-my-custom-scheme://authorize")
    #expect(values["scope"]?.split(separator: " ").sorted() == ["cats", "dogs", "giraffes"])
    #expect(values["custom_param_1"] == "value" && values["state"]?.isEmpty == false)
    #expect(!consent.handleOpen(.of("x-my-custom-scheme://authorize?code=c-1&state=attacked")))
    consent.cancel()
    #expect(await signedIn.result.failure(as: OAuth2Error.self)?.code == .consentCancelled)
  }

  @Test("C11e: an authorization code becomes a token, which is stored")
  func authorizationCode() async throws {
    let clientConfiguration = server.client("app", scope: ["cats", "dogs", "giraffes"])
    let pages = Log<URL>()
    // sample C11e
    let session = OAuth2Session(clientConfiguration, store: .memory)
    let redirectURL = URL(string: "x-my-custom-scheme://authorize")!
    let consent = ManualConsent(redirectURL: redirectURL) { page in pages.append(page) }
    let signedIn = session.signIn(.authorizationCode(consent))
    @Sendable func application(open url: URL) -> Bool {
      consent.handleOpen(url)
    }
    // end
    let page = try #require(await pages.entries(1).first)
    #expect(application(open: try await redirect(of: page)))
    let token = try await signedIn.value
    #expect(server.accepts(accessToken: token.accessToken))
    #expect(session.currentToken() == token)
    #expect(server.counts.issued == ["authorization_code": 1])
  }
}
