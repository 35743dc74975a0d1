import CatenaSystem
import Foundation
import Mocking
import MockingOAuth2
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingOAuth2

/// The authorization code grant, its strategies, and the checks of the redirect.
@Suite(.gated)
struct OAuth2ConsentTests {
  /// A strategy that follows the redirect of the page without a browser.
  private struct Direct: ConsentStrategy {
    let transport: any Transport
    /// A change of the redirect.
    var change: @Sendable (URL) -> URL = { $0 }

    func consent(to request: ConsentRequest) async throws -> ConsentResponse {
      let redirectURL = URL.of("com.example.app:/callback")
      let page = request.pageURL(redirectingTo: redirectURL)
      let url = try await Self.redirect(of: page, over: transport)
      return ConsentResponse(change(url), redirectURL: redirectURL)
    }

    static func redirect(of page: URL, over transport: any Transport) async throws -> URL {
      var configuration = NetworkingConfiguration()
      configuration.redirects = .refuse
      let browser = Networking<Request>(transport: transport, configuration: configuration)
      let response = try await browser.request(.get(.url(page))).value
      return try #require(response.headers["Location"].flatMap { URL(string: $0) })
    }
  }

  private let fixture: OAuth2Fixture

  init() throws {
    fixture = try OAuth2Fixture()
  }

  private func token(
    scope: Set<String> = [], _ client: @Sendable (inout OAuth2Client) -> Void = { _ in },
    _ change: @escaping @Sendable (URL) -> URL = { $0 }
  ) async throws -> OAuth2Token {
    var registration = fixture.login.client("app", scope: scope)
    client(&registration)
    let fixture = fixture
    return try await fixture.time.run { [registration] in
      try await OAuth2Grant.authorizationCode(
        Direct(transport: fixture.login.transport, change: change)
      )
      .token(
        for: registration, transport: fixture.login.transport, configuration: fixture.configuration
      ).value
    }
  }

  private func code(
    scope: Set<String> = [], _ client: @Sendable (inout OAuth2Client) -> Void = { _ in },
    _ change: @escaping @Sendable (URL) -> URL = { $0 }
  ) async -> OAuth2Error.Code? {
    do {
      _ = try await token(scope: scope, client, change)
      return nil
    } catch {
      return (error as? OAuth2Error)?.code
    }
  }

  private static func setting(_ name: String, _ value: String?) -> @Sendable (URL) -> URL {
    { url in
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) ?? URLComponents()
      parts.queryItems = parts.queryItems?.filter { $0.name != name }
      if let value { parts.queryItems?.append(URLQueryItem(name: name, value: value)) }
      return parts.url ?? url
    }
  }

  @Test func aCodeIsExchangedWithItsProofKey() async throws {
    let token = try await token(scope: ["openid", "orders"])
    #expect(fixture.login.accepts(accessToken: token.accessToken))
    #expect(token.idToken != nil && token.scope == ["openid", "orders"])
    let page = try #require(fixture.login.transport.journal.entries.first?.request)
    #expect(page.query["code_challenge_method"] == "S256")
    #expect((page.query["state"] ?? "").count >= 32 && (page.query["nonce"] ?? "").count >= 32)
    let form = try #require(fixture.login.transport.journal.entries.last?.request.form)
    let verifier = try #require(form["code_verifier"])
    #expect(verifier.count == 43)
    #expect(try ProofKey.challenge(verifier) == page.query["code_challenge"])
  }

  /// RFC 7636 appendix B.
  @Test func theChallengeIsThatOfTheStandard() throws {
    #expect(
      try ProofKey.challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test func aRedirectOfAnotherRequestIsRefused() async {
    #expect(await code({ _ in }, Self.setting("state", "x")) == .stateMismatch)
    #expect(await code({ _ in }, Self.setting("state", nil)) == .stateMismatch)
  }

  @Test func aRedirectOfAnotherIssuerIsRefused() async {
    #expect(await code({ _ in }, Self.setting("iss", "https://evil.example")) == .issuerMismatch)
    #expect(await code({ _ in }, Self.setting("iss", nil)) == .issuerMismatch)
    #expect(await code({ $0.sendsIssuer = false }, Self.setting("iss", nil)) == nil)
    #expect(await code({ $0.issuer = "https://other.example" }) == .issuerMismatch)
    #expect(await code({ $0.issuer = nil }, Self.setting("iss", "https://any.example")) == nil)
  }

  @Test func aMissingAndAnUnknownCodeAreRefused() async {
    #expect(await code({ _ in }, Self.setting("code", nil)) == .malformedResponse)
    #expect(await code({ _ in }, Self.setting("code", "other")) == OAuth2Error.invalidGrant)
  }

  private static func adding(_ query: String) -> @Sendable (URL) -> URL {
    { url in URL(string: "\(url)&\(query)") ?? url }
  }

  @Test(arguments: ["code=x", "iss=x", "error=a&error=b"])
  func aRepeatedParameterOfTheSignInIsRefused(query: String) async {
    #expect(await code({ _ in }, Self.adding(query)) == .malformedResponse)
    #expect(await code({ $0.issuer = nil }, Self.adding(query)) == .malformedResponse)
  }

  /// RFC 6749 section 4.1.2: other parameters are ignored.
  @Test(arguments: ["scope=orders&scope=mail", "scope&scope", "x=%FF"])
  func otherParametersAreIgnored(query: String) async {
    #expect(await code({ _ in }, Self.adding(query)) == nil)
  }

  @Test func aRefusalOfTheUserIsAnError() async {
    var settings = fixture.login.settings
    settings.consents = false
    fixture.login.settings = settings
    #expect(await code() == .server("access_denied"))
  }

  @Test(arguments: [
    (#"{"nonce":"x","aud":"app","iss":"https://login.example"}"#, OAuth2Error.Code.idTokenMismatch),
    (#"{"aud":"app","iss":"https://login.example"}"#, .idTokenMismatch), ("{", .malformedResponse),
  ])
  func anIDTokenOfAnotherRequestIsRefused(claims: String, expected: OAuth2Error.Code) async {
    let idToken = "e30.\(Data(claims.utf8).base64URLEncoded)."
    fixture.login.fail(
      .response(
        .json(["access_token": "a", "token_type": "Bearer", "id_token": .string(idToken)])))
    #expect(await code(scope: ["openid"]) == expected)
    fixture.login.fail(.response(.json(["access_token": "a", "token_type": "Bearer"])))
    #expect(await code(scope: ["openid"]) == .idTokenMismatch)
  }

  @Test func parametersOfThePageAreKeptAndEncoded() throws {
    let request = ConsentRequest(
      .of("https://login.example/page?tenant=a%20b#x"), redirectURL: nil, state: "s",
      parameters: [("scope", "a b&c")])
    #expect(
      request.pageURL(redirectingTo: .of("app:/cb")).absoluteString
        == "https://login.example/page?tenant=a%20b&scope=a%20b%26c&redirect_uri=app%3A%2Fcb&state=s"
    )
  }

  // MARK: Manual

  @Test func theAppHandlesTheRedirect() async throws {
    let pages = Log<URL>()
    let consent = ManualConsent(redirectURL: .of("com.example.app:/callback")) { pages.append($0) }
    let session = fixture.session()
    let signedIn = session.signIn(.authorizationCode(consent))
    let page = await pages.entries(1)[0]
    let redirect = try await Direct.redirect(of: page, over: fixture.login.transport)
    #expect(!consent.handleOpen(.of("com.example.app:/other?state=x")))
    #expect(!consent.handleOpen(Self.setting("state", "x")(redirect)))
    #expect(consent.handleOpen(redirect))
    #expect(!consent.handleOpen(redirect))
    await fixture.time.run()
    #expect(signedIn.fulfilledValue != nil && session.currentToken() != nil)
  }

  @Test(
    arguments: [
      ("scope=orders&scope=mail", nil), ("code=x", OAuth2Error.Code.malformedResponse),
    ])
  func aRedirectWithARepeatedParameterIsNotIgnored(
    query: String, expected: OAuth2Error.Code?
  ) async throws {
    let pages = Log<URL>()
    let consent = ManualConsent(redirectURL: .of("com.example.app:/callback")) { pages.append($0) }
    let signedIn = fixture.session().signIn(.authorizationCode(consent))
    let redirect = try await Direct.redirect(
      of: await pages.entries(1)[0], over: fixture.login.transport)
    #expect(consent.handleOpen(Self.adding(query)(redirect)))
    await fixture.time.run()
    #expect((signedIn.currentError as? OAuth2Error)?.code == expected)
    #expect((signedIn.fulfilledValue != nil) == (expected == nil))
  }

  @Test func aUserWhoDoesNotRespondTimesOut() async throws {
    let consent = ManualConsent(redirectURL: .of("com.example.app:/callback")) { _ in }
    let session = fixture.session()
    let late = session.signIn(.authorizationCode(consent, timeLimit: .seconds(60)))
    await fixture.time.run()
    #expect((late.currentError as? OAuth2Error)?.code == .consentTimedOut)
    let cancelled = session.signIn(.authorizationCode(consent))
    await fixture.time.advance(by: .seconds(1))
    consent.cancel()
    await fixture.time.advance(by: .seconds(1))
    #expect((cancelled.currentError as? OAuth2Error)?.code == .consentCancelled)
  }

  // MARK: Loopback

  @Test func theLoopbackServerReceivesTheRedirect() async throws {
    let login = try MockAuthorizationServer()
    let session = OAuth2Session(login.client("app"), store: .memory)
    let page = Mutex<URL?>(nil)
    let browser = Networking<Request>(sessionConfiguration: .ephemeral)
    let seen = Log<String>()
    let consent = LoopbackConsent { url in
      page.withLock { $0 = url }
      let response = try await browser.request(.get(.url(url))).value
      seen.append(String(decoding: response.data, as: UTF8.self))
    }
    let token = try await session.signIn(.authorizationCode(consent)).value
    #expect(login.accepts(accessToken: token.accessToken))
    #expect(seen.entries.first?.contains("You can return to the app.") == true)
    let redirect = try #require(
      page.withLock { $0 }.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }?
        .queryItems?.first { $0.name == "redirect_uri" }?.value.flatMap { URL(string: $0) })
    #expect(redirect.host == "127.0.0.1" && redirect.path == "/callback")
    // The server has stopped.
    let error = await #expect(throws: NetworkError.self) {
      try await browser.request(.get(.url(redirect))).value
    }
    #expect(error?.code == .cannotConnect)
  }

  @Test(
    arguments: [
      "http://127.0.0.1:70000/cb", "https://127.0.0.1:8080/cb", "http://127.0.0.1/cb?x=1",
      "http://example.com/cb", "http://127.0.0.1:-1/cb",
    ])
  func aRedirectURLThatTheServerCannotHaveIsAnError(_ url: String) async throws {
    guard let redirectURL = URL(string: url) else { return }
    var client = fixture.login.client("app")
    client.redirectURL = redirectURL
    let session = OAuth2Session(
      client, store: .memory, transport: fixture.login.transport,
      configuration: fixture.configuration)
    let opened = Counter()
    let signedIn = session.signIn(.authorizationCode(LoopbackConsent { _ in opened.add() }))
    await fixture.time.run()
    #expect((signedIn.currentError as? OAuth2Error)?.code == .consentUnavailable)
    #expect(opened.value == 0)
  }

  @Test func aRefusalHasAnotherPage() async throws {
    let login = try MockAuthorizationServer()
    login.settings.consents = false
    let session = OAuth2Session(login.client("app"), store: .memory)
    let seen = Log<String>()
    let browser = Networking<Request>(sessionConfiguration: .ephemeral)
    let consent = LoopbackConsent { url in
      let response = try await browser.request(.get(.url(url))).value
      seen.append(String(decoding: response.data, as: UTF8.self))
    }
    let result = await session.signIn(.authorizationCode(consent)).result
    #expect(result.failure(as: OAuth2Error.self)?.code == .server("access_denied"))
    #expect(seen.entries.first?.contains("You are not signed in.") == true)
  }

  @Test func theLoopbackServerIgnoresOtherRequests() async throws {
    let login = try MockAuthorizationServer()
    let session = OAuth2Session(login.client("app"), store: .memory)
    let statuses = Log<Int>()
    let browser = Networking<Request>(sessionConfiguration: .ephemeral)
    let consent = LoopbackConsent(path: "done") { url in
      let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
      let redirect = try #require(parts?.queryItems?.first { $0.name == "redirect_uri" }?.value)
      // A silent connection, as browsers open them in advance.
      let silent = try RawClient(port: URL(string: redirect)?.port ?? 0)
      for path in ["/favicon.ico", "/done", "/done?state=guess&code=x", "/done?state"] {
        let base = redirect.replacingOccurrences(of: "/done", with: "")
        let response = try await browser.request(
          .get(.url(try #require(URL(string: base + path))))
        ).value
        statuses.append(response.status)
      }
      _ = try await browser.request(.get(.url(url))).value
      withExtendedLifetime(silent) {}
    }
    let token = try await session.signIn(.authorizationCode(consent)).value
    #expect(login.accepts(accessToken: token.accessToken))
    #expect(statuses.entries == [404, 404, 404, 404])
  }

  @Test func theEscapesOfTheRedirectAreUnchanged() async throws {
    let consent = LoopbackConsent { page in
      let parts = URLComponents(url: page, resolvingAgainstBaseURL: true)
      let redirect = try #require(parts?.queryItems?.first { $0.name == "redirect_uri" }?.value)
      let browser = try RawClient(port: URL(string: redirect)?.port ?? 0)
      try await browser.send("GET /cb%2F1?state=s&code=a%2Bb&x=[y] HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try await browser.receive(until: "</html>")
    }
    let request = ConsentRequest(
      .of("https://login.example/page"), redirectURL: .of("http://127.0.0.1/cb%2F1"), state: "s",
      parameters: [])
    let response = try await consent.consent(to: request)
    #expect(response.redirectURL.path(percentEncoded: true) == "/cb%2F1")
    #expect(response.url.query(percentEncoded: true) == "state=s&code=a%2Bb&x=%5By%5D")
  }

  /// A redirect URL can have a query, whose escapes also stay.
  @Test func theMockServerKeepsTheQueryOfTheRedirectURL() async throws {
    let page = try #require(
      fixture.login.client("app").authorizationURL.flatMap {
        URL(
          string: "\($0)?client_id=app&response_type=code&code_challenge=c&state=x%2By%20z"
            + "&code_challenge_method=S256&redirect_uri=com.example.app%3A%2Fcb%3Ft%3Da%252Bb%5B1%5D"
        )
      })
    let transport = fixture.login.transport
    let url = try await fixture.time.run { try await Direct.redirect(of: page, over: transport) }
    #expect(url.absoluteString.hasPrefix("com.example.app:/cb?t=a%2Bb%5B1%5D&code="))
    #expect(url.absoluteString.hasSuffix("&state=x%2By%20z"))
  }

  @Test func aCancelledSignInStopsTheLoopbackServer() async throws {
    let login = try MockAuthorizationServer()
    let session = OAuth2Session(login.client("app"), store: .memory)
    let pages = Log<URL>()
    let signedIn = session.signIn(.authorizationCode(LoopbackConsent { pages.append($0) }))
    let page = await pages.entries(1)[0]
    signedIn.cancel()
    let parts = URLComponents(url: page, resolvingAgainstBaseURL: true)
    let port = try #require(
      parts?.queryItems?.first { $0.name == "redirect_uri" }?.value.flatMap {
        URL(string: $0)?.port
      })
    // The port becomes free, which takes as long as the thread needs to wake.
    while (try? LoopbackListener(port: UInt16(port)) { _ in "" }) == nil { await Task.yield() }
    #expect(signedIn.currentError != nil)
  }

  @Test func aRedirectURLOnAnotherMachineIsRefused() async throws {
    var client = fixture.login.client("app")
    client.redirectURL = .of("https://shop.example/callback")
    let promise = OAuth2Grant.authorizationCode(LoopbackConsent { _ in })
      .token(for: client, transport: fixture.login.transport)
    let error = await #expect(throws: OAuth2Error.self) { try await promise.value }
    #expect(error?.code == .consentUnavailable)
  }
}
