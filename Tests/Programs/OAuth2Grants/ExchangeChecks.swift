import Foundation
import Networking
import NetworkingOAuth2
import Promises

/// The `iss` of redirects (RFC 9207) and the token exchange (RFC 8693), against idpyoidc.
///
/// The issuers, the clients and the user are those of `exchange.py` in Tests/Differential.
struct ExchangeChecks {
  let server: URL
  private static let scope: Set = ["offline_access", "orders", "stock"]

  func run() async throws {
    try await discovery()
    let token = try await signIn()
    try await wrongIssuers()
    try await exchange(token)
    try await exchangeForRefreshToken(token)
    try await refusals(token)
  }

  private func discovery() async throws {
    let app = try await client("app", of: "right")
    let issuer = url("right").absoluteString
    check(
      app.issuer == issuer && app.tokenURL?.absoluteString == issuer + "/token"
        && app.authorizationURL != nil && app.introspectionURL != nil,
      "discovery of an issuer with a path")
    check(app.sendsIssuer, "the metadata announces iss")
    // The same document, whose issuer has no slash at the end.
    let other = OAuth2Client(id: "app").discovering(issuer: url("right/"))
    check(await failure(of: other)?.code == .issuerMismatch, "metadata of another issuer")
  }

  /// Signs in with a redirect that has the right `iss`.
  ///
  /// The redirect repeats `scope` for each value.
  private func signIn() async throws -> OAuth2Token {
    let session = OAuth2Session(try await client("app", of: "right"), store: .memory)
    let token = try await session.signIn(code()).value
    check(
      token.scope == Self.scope && token.refreshToken != nil && token.expires != nil,
      "redirect with iss")
    check(try await tokenRequests("right") == 1, "one token request")
    let refreshed = try await session.refresh().value
    check(
      refreshed.accessToken != token.accessToken && refreshed.refreshToken == token.refreshToken,
      "refresh without a new refresh token")
    return refreshed
  }

  /// Signs in with redirects of another issuer, and without `iss`.
  private func wrongIssuers() async throws {
    for name in ["other", "missing"] {
      let session = OAuth2Session(try await client("app", of: name), store: .memory)
      let error = await failure(of: session.signIn(code()))
      check(error?.code == .issuerMismatch && session.currentToken() == nil, "iss is \(name)")
      check(try await tokenRequests(name) == 0, "no token request, iss is \(name)")
    }
    // The control: a client that does not expect `iss`.
    var app = try await client("app", of: "missing")
    app.sendsIssuer = false
    let token = try await OAuth2Grant.authorizationCode(consent).token(for: app).value
    let count = try await tokenRequests("missing")
    check(token.scope == Self.scope && count == 1, "iss is not expected")
  }

  private func exchange(_ token: OAuth2Token) async throws {
    let gateway = try await client("gateway", of: "right")
    let warehouse = OAuth2Session(try await client("warehouse", of: "right"), store: .memory)
    let exchanged = try await OAuth2Grant.tokenExchange(
      token.accessToken, audience: "warehouse", scope: ["stock"]
    ).token(for: gateway).value
    check(
      exchanged.accessToken != token.accessToken && exchanged.type == "Bearer"
        && exchanged.refreshToken == nil && exchanged.expires != nil, "token exchange")
    check(
      exchanged.other["issued_token_type"]?.string == ExchangeTokenType.accessToken.rawValue,
      "issued_token_type")
    check(exchanged.scope == ["stock"], "scope of the exchange")
    let state = try await warehouse.introspect(exchanged.accessToken).value
    check(
      state.isActive && state.username == "ann@example.com" && state.clientID == "gateway"
        && state.scope == ["stock"]
        && state.members["aud"].array?.compactMap(\.string) == ["warehouse"],
      "the audience accepts the exchanged token")
    check(
      try await !warehouse.introspect(token.accessToken).value.isActive,
      "the audience refuses the token of the user")

    let unscoped = try await OAuth2Grant.tokenExchange(token.accessToken).token(for: gateway).value
    check(unscoped.scope == Self.scope, "scope of the response")
  }

  /// Exchanges a token for one that is not an access token.
  private func exchangeForRefreshToken(_ token: OAuth2Token) async throws {
    let session = OAuth2Session(try await client("gateway", of: "right"), store: .memory)
    let issued = try await session.signIn(
      .tokenExchange(token.accessToken, for: .refreshToken)
    ).value
    check(
      issued.type == "N_A"
        && issued.other["issued_token_type"]?.string == ExchangeTokenType.refreshToken.rawValue,
      "exchange for a refresh token")
    let networking = Networking<Request>()
    networking.baseURL = server
    networking.authorize(with: session)
    let request = networking.request(.get("right/token-requests"))
    let count = try await tokenRequests("right")
    check(
      await failure(of: request)?.code == .unsupportedTokenType, "it is not sent as a bearer token")
    check(try await tokenRequests("right") == count, "no token request after it")
  }

  private func refusals(_ token: OAuth2Token) async throws {
    let gateway = try await client("gateway", of: "right")
    let cases: [(name: String, grant: OAuth2Grant, code: String, description: String)] = [
      (
        "invalid subject token", .tokenExchange("not-a-token"), "invalid_request",
        "Subject token invalid"
      ),
      (
        "refused token type", .tokenExchange(token.accessToken, for: .idToken), "invalid_request",
        "Unsupported requested token type"
      ),
      (
        "unknown audience", .tokenExchange(token.accessToken, audience: "bank"), "invalid_target",
        "Unknown audience"
      ),
      (
        "unknown resource", .tokenExchange(token.accessToken, resource: server), "invalid_target",
        "Unknown resource"
      ),
      (
        "refused actor", .tokenExchange(token.accessToken, actor: token.accessToken),
        "invalid_request", "Actor token not supported"
      ),
      (
        "unknown scope", .tokenExchange(token.accessToken, scope: ["admin"]), "invalid_scope",
        "Invalid requested scopes"
      ),
    ]
    for (name, grant, code, description) in cases {
      let error = await failure(of: grant.token(for: gateway))
      check(
        error?.code == .server(code) && error?.serverDescription == description
          && error?.status == 400, name)
    }
  }

  private var consent: LoopbackConsent {
    LoopbackConsent { page in log("open \(page.absoluteString)") }
  }

  private func code() -> OAuth2Grant { .authorizationCode(consent, timeLimit: .seconds(60)) }

  private func client(_ id: String, of issuer: String) async throws -> OAuth2Client {
    let secret = id == "app" ? nil : id + "-secret"
    return try await OAuth2Client(id: id, secret: secret, scope: id == "app" ? Self.scope : [])
      .discovering(issuer: url(issuer)).value
  }

  /// Returns the number of requests that the token endpoint of an issuer has received.
  private func tokenRequests(_ issuer: String) async throws -> Int? {
    let networking = Networking<Request>()
    let response = try await networking.request(.get(.url(url("\(issuer)/token-requests")))).value
    return Int(String(decoding: response.data, as: UTF8.self))
  }

  private func url(_ path: String) -> URL {
    URL(string: "\(server.absoluteString)/\(path)") ?? server
  }
}
