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

/// Each grant, against a mock authorization server.
@Suite(.gated)
struct OAuth2GrantTests {
  private let fixture: OAuth2Fixture

  init() throws {
    fixture = try OAuth2Fixture()
  }

  private func issue(
    _ grant: OAuth2Grant, _ client: String = "app", scope: Set<String> = []
  ) async throws -> OAuth2Token {
    let (client, fixture) = (fixture.login.client(client, scope: scope), fixture)
    return try await fixture.time.run {
      try await grant.token(
        for: client, transport: fixture.login.transport, configuration: fixture.configuration
      ).value
    }
  }

  private func error(_ grant: OAuth2Grant, _ client: String = "app") async -> OAuth2Error? {
    do {
      _ = try await issue(grant, client)
      return nil
    } catch {
      return error as? OAuth2Error
    }
  }

  @Test func passwordIssuesATokenOfTheUser() async throws {
    let grant = OAuth2Grant.password(username: "ann", password: "ann-password")
    let token = try await issue(grant, scope: ["orders", "mail"])
    #expect(fixture.login.accepts(accessToken: token.accessToken))
    #expect(token.refreshToken != nil && token.scope == ["mail", "orders"])
    #expect(token.expires == OAuth2Fixture.start + 3_600)
    let wrong = await error(.password(username: "ann", password: "wrong"))
    #expect(wrong?.isInvalidGrant == true && wrong?.status == 400)
  }

  @Test func clientCredentialsAuthenticateByTheHeaderOrTheForm() async throws {
    let token = try await issue(.clientCredentials, "service")
    #expect(token.refreshToken == nil && fixture.login.accepts(accessToken: token.accessToken))
    var client = fixture.login.client("service")
    client.authentication = .requestBody
    let fixture = fixture
    let other = try await fixture.time.run { [client] in
      try await OAuth2Grant.clientCredentials.token(
        for: client, transport: fixture.login.transport, configuration: fixture.configuration
      ).value
    }
    #expect(fixture.login.accepts(accessToken: other.accessToken))
    #expect(await error(.clientCredentials)?.code == .server("unauthorized_client"))
  }

  @Test func refreshTokensRotate() async throws {
    let first = try await issue(.password(username: "ann", password: "ann-password"))
    let old = try #require(first.refreshToken)
    let second = try await issue(.refreshToken(old))
    #expect(second.refreshToken != old && second.refreshToken != nil)
    #expect(await error(.refreshToken(old))?.isInvalidGrant == true)
    #expect(fixture.login.counts.reused == 1)
    // A second use revokes all tokens of the sign-in.
    #expect(!fixture.login.accepts(accessToken: second.accessToken))
  }

  @Test func extensionGrantsSendTheirParameters() async throws {
    let grant = OAuth2Grant.extension(
      "urn:mock:grant-type:voucher", parameters: ["voucher": "open-sesame"])
    #expect(fixture.login.accepts(accessToken: try await issue(grant).accessToken))
    #expect(
      await error(.extension("urn:x", parameters: [:]))?.code == .server("unsupported_grant_type"))
  }

  @Test func tokensAreExchanged() async throws {
    let token = try await issue(.password(username: "ann", password: "ann-password"))
    let other = try await issue(.tokenExchange(token.accessToken, audience: "warehouse"))
    #expect(other.accessToken != token.accessToken)
    #expect(other.other["issued_token_type"]?.string == ExchangeTokenType.accessToken.rawValue)
  }

  // MARK: Device

  @Test func aDeviceWaitsForTheUser() async throws {
    let fixture = fixture
    let codes = Log<DeviceAuthorization>()
    let token = OAuth2Grant.device { codes.append($0) }
      .token(
        for: fixture.login.client("app"), transport: fixture.login.transport,
        configuration: fixture.configuration)
    await fixture.time.advance(by: .seconds(12))
    let code = try #require(codes.entries.first)
    #expect(code.verificationURL.absoluteString == "https://login.example/device")
    #expect(token.isPending)
    #expect(fixture.login.decide(userCode: code.userCode))
    await fixture.time.advance(by: .seconds(3))
    #expect(fixture.login.accepts(accessToken: token.fulfilledValue?.accessToken ?? ""))
    // 5, 10 and 15 seconds after the code.
    #expect(fixture.time.elapsed == .seconds(15))
  }

  @Test(
    arguments: [
      ("javascript:alert(1)", nil), ("http://login.example/device", nil), ("tel:123", nil),
      ("file:///etc/passwd", nil), ("/device", nil),
      ("https://login.example/device", "intent://login.example/device?code=x"),
      ("https://login.example/device", "http://login.example/device?code=x"),
    ] as [(String, String?)])
  func aPageOfADeviceIsNotShownUnlessItIsSecure(page: String, complete: String?) async {
    var json: [String: JSON] = [
      "device_code": "d", "user_code": "u", "verification_uri": .string(page),
    ]
    json["verification_uri_complete"] = complete.map { JSON.string($0) }
    let server = MockTransport(routes: [Route(.post, "/device", .json(.dictionary(json)))])
    var client = OAuth2Client(id: "app", tokenURL: .of("https://login.example/token"))
    client.deviceAuthorizationURL = .of("https://login.example/device")
    let prompts = Counter()
    let token = OAuth2Grant.device { _ in _ = prompts.add() }
      .token(for: client, transport: server, configuration: fixture.configuration)
    await fixture.time.run()
    let error = token.currentError as? OAuth2Error
    #expect(error?.code == .insecureURL && error?.reason == "the verification page")
    #expect(prompts.value == 0)
  }

  @Test func aDeviceSlowsDownAndEnds() async throws {
    var settings = fixture.login.settings
    settings.deviceCodeLife = .seconds(40)
    fixture.login.settings = settings
    let token = OAuth2Grant.device { _ in }
      .token(
        for: fixture.login.client("app"), transport: fixture.login.transport,
        configuration: fixture.configuration)
    fixture.login.fail(.error("slow_down"), .noResponse)
    let requests = { fixture.login.transport.journal.entries.count - 1 }
    await fixture.time.advance(by: .seconds(14.9))
    #expect(requests() == 1)
    await fixture.time.advance(by: .seconds(0.1))
    #expect(requests() == 2)
    await fixture.time.advance(by: .seconds(19))
    #expect(requests() == 2)
    await fixture.time.run()
    #expect(requests() == 3)
    #expect((token.currentError as? OAuth2Error)?.code == .server("expired_token"))
  }

  @Test func aDeniedDeviceFails() async throws {
    let fixture = fixture
    let token = OAuth2Grant.device {
      fixture.login.decide(userCode: $0.userCode, isApproved: false)
    }
    .token(
      for: fixture.login.client("app"), transport: fixture.login.transport,
      configuration: fixture.configuration)
    await fixture.time.run()
    #expect((token.currentError as? OAuth2Error)?.code == .server("access_denied"))
  }

  @Test func cancellingADeviceEndsItsRequests() async throws {
    let token = OAuth2Grant.device { _ in }
      .token(
        for: fixture.login.client("app"), transport: fixture.login.transport,
        configuration: fixture.configuration)
    await fixture.time.advance(by: .seconds(6))
    token.cancel()
    let count = fixture.login.transport.journal.entries.count
    await fixture.time.run()
    #expect(fixture.login.transport.journal.entries.count == count)
  }

  // MARK: Errors

  @Test func theServersWordsAreKeptWithoutTheValuesOfTheRequest() async throws {
    fixture.login.fail(
      .response(
        .json(
          [
            "error": "invalid_grant", "error_description": "no user with hunter2-pass here",
            "error_uri": "https://login.example/help",
          ], status: 400)))
    let error = await error(.password(username: "ann", password: "hunter2-pass"))
    #expect(error?.serverDescription == "no user with *** here")
    #expect(error?.serverURI == "https://login.example/help")
    #expect("\(try #require(error))".contains("invalid_grant: no user with *** here (status 400)"))
  }

  @Test(arguments: [
    (Mock.text("<html>", status: 501), OAuth2Error.Code.malformedResponse),
    (.text("ok"), .malformedResponse), (.json([:]), .malformedResponse),
    (.json(["error": "bad"]), .server("bad")), (.redirect(to: "/other"), .malformedResponse),
  ])
  func otherResponsesAreErrors(mock: Mock, code: OAuth2Error.Code) async {
    fixture.login.fail(.response(mock))
    #expect(await error(.password(username: "ann", password: "ann-password"))?.code == code)
  }

  @Test func aMissingNetworkIsANetworkError() async {
    fixture.login.fail(.noResponse)
    let error = await #expect(throws: NetworkError.self) {
      try await issue(.password(username: "ann", password: "ann-password"))
    }
    #expect(error?.code == .connectionLost)
  }

  @Test(arguments: ["http://login.example/token", "ftp://login.example/token"])
  func secretsAreNotSentInClear(url: String) async throws {
    let client = OAuth2Client(id: "app", tokenURL: URL(string: url))
    let promise = OAuth2Grant.password(username: "ann", password: "x")
      .token(for: client, transport: fixture.login.transport)
    await fixture.time.run()
    #expect((promise.currentError as? OAuth2Error)?.code == .insecureURL)
    #expect(fixture.login.transport.journal.entries.isEmpty)
  }

  @Test func identifierAndSecretAreEncodedAsInForms() {
    let client = OAuth2Client(id: "a:b", secret: "ä c")
    #expect(
      client.basicValue == "Basic \(Data("a%3Ab:%C3%A4%20c".utf8).base64EncodedString())")
  }
}
