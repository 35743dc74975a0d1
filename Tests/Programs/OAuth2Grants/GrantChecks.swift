import Foundation
import Networking
import NetworkingOAuth2
import Promises

/// The grants, refreshes and revocation, against django-oauth-toolkit.
///
/// The server has the clients "public-app", "password-app", "device-app" and "service", whose secret
/// is "service-secret", and the user "ann" with the password "ann-password".
struct GrantChecks {
  let issuer: URL
  /// A URL that responds with 200 to a request with a valid access token.
  let api: URL
  /// The folder of the token files.
  let folder: URL

  func run() async throws {
    try await clientCredentials()
    try await password()
    try await usedRefreshToken()
    try await code()
    try await device()
  }

  private func clientCredentials() async throws {
    let service = try await client("service", secret: "service-secret")
    check(service.tokenURL != nil && service.authorizationURL != nil, "discovery")
    let session = OAuth2Session(service, store: .memory)
    check(try await status(session, .client) == 200, "client credentials")
    let wrong = try await client("service", secret: "wrong-secret")
    let refusal = await failure(of: OAuth2Grant.clientCredentials.token(for: wrong))
    check(refusal?.code == .server("invalid_client"), "wrong secret")
  }

  /// Password, rotation, a refresh for many callers, revocation.
  private func password() async throws {
    let service = OAuth2Session(
      try await client("service", secret: "service-secret"), store: .memory)
    let password = try await client("password-app")
    let file = folder.appendingPathComponent("tokens")
    let key = TokenEncryptionKey.bytes(TokenEncryptionKey.makeBytes())
    let store = try FileTokenStore(file, encryptedWith: key)
    let session = OAuth2Session(password, store: store)
    let first = try await session.signIn(
      .password(username: "ann", password: "ann-password", scope: ["read"])
    ).value
    check(try await status(session) == 200, "password")
    let content = try Data(contentsOf: file)
    check(
      [first.accessToken, first.refreshToken ?? first.accessToken].allSatisfy {
        content.range(of: Data($0.utf8)) == nil
      }, "no token in clear")
    let wrong = OAuth2Grant.password(username: "ann", password: "no").token(for: password)
    check(await failure(of: wrong)?.isInvalidGrant == true, "wrong password")
    let tokens = try await when((0..<100).map { _ in session.refresh() }).value
    check(
      Set(tokens.map(\.accessToken)).count == 1 && tokens[0].refreshToken != first.refreshToken
        && tokens[0].accessToken != first.accessToken, "one refresh with rotation")
    check(try await status(session) == 200, "refreshed token")
    for _ in 0..<5 { _ = try await session.refresh().value }
    check(try await status(session) == 200, "five rotations")
    let expired = try await session.token().value
    try store.setToken(
      OAuth2Token(
        accessToken: "expired", refreshToken: expired.refreshToken,
        issued: Date(timeIntervalSinceNow: -99),
        expires: Date(timeIntervalSinceNow: -9)), for: TokenKey(for: password))
    let other = OAuth2Session(password, store: try FileTokenStore(file, encryptedWith: key))
    check(try await status(other) == 200, "expired token of the file")
    let last = try await other.token().value
    let state = try await service.introspect(last.accessToken).value
    check(state.isActive && state.username == "ann", "introspection")
    try await other.signOut().value
    check(try await !service.introspect(last.accessToken).value.isActive, "revocation")
    check(try store.token(for: TokenKey(for: password)) == nil, "sign-out")
  }

  /// A refresh token that was used before.
  private func usedRefreshToken() async throws {
    let password = try await client("password-app")
    let session = OAuth2Session(password, store: .memory)
    let signedIn = try await session.signIn(
      .password(username: "ann", password: "ann-password")
    ).value
    _ = try await session.refresh().value
    guard let refreshToken = signedIn.refreshToken else {
      return check(false, "used refresh token")
    }
    let refusal = await failure(of: OAuth2Grant.refreshToken(refreshToken).token(for: password))
    check(refusal?.isInvalidGrant == true, "used refresh token")
  }

  /// The code through a browser.
  private func code() async throws {
    let app = try await client("public-app", scope: ["openid", "read"])
    let session = OAuth2Session(app, store: .memory)
    let consent = LoopbackConsent { page in log("open \(page.absoluteString)") }
    let token = try await session.signIn(
      .authorizationCode(consent, timeLimit: .seconds(120))
    ).value
    check(token.idToken != nil && token.scope == ["openid", "read"], "authorization code")
    check(try await status(session) == 200, "token of the code")
    _ = try await session.refresh().value
    check(try await status(session) == 200, "refreshed token of the code")
  }

  /// A device, which the script approves in the browser.
  ///
  /// The program prints "device URL CODE".
  private func device() async throws {
    let session = OAuth2Session(try await client("device-app"), store: .memory)
    _ = try await session.signIn(
      .device { code in log("device \(code.verificationURL.absoluteString) \(code.userCode)") }
    ).value
    check(try await status(session) == 200, "device")
  }

  private func status(_ session: OAuth2Session, _ level: TokenLevel = .user) async throws -> Int {
    let networking = Networking<Request>()
    networking.baseURL = api
    networking.authorize(with: session, level)
    return try await networking.request(.get(.url(api))).value.status
  }

  private func client(
    _ id: String, secret: String? = nil, scope: Set<String> = ["read"]
  ) async throws -> OAuth2Client {
    var client = try await OAuth2Client(id: id, secret: secret, scope: scope)
      .discovering(issuer: issuer).value
    // The metadata of this server does not name them.
    let url = { (path: String) in URL(string: "\(issuer.absoluteString)/\(path)") }
    client.revocationURL = client.revocationURL ?? url("revoke_token/")
    client.introspectionURL = client.introspectionURL ?? url("introspect/")
    client.deviceAuthorizationURL = client.deviceAuthorizationURL ?? url("device-authorization/")
    return client
  }
}
