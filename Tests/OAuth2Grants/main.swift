import Foundation
import Networking
import Promises

// Runs the grants against an authorization server, for .ci/oauth2.
//
//     oauth2-grants ISSUER API FOLDER
//
// ISSUER has the clients "public-app", "password-app" and "service", whose secret is
// "service-secret", and the user "ann" with the password "ann-password". The API responds with 200
// to a request with a valid access token. FOLDER is for the token files. The program prints
// "open URL" for the page of a sign-in, which the script opens in a browser, and "ok NAME" after
// each check.

let arguments = CommandLine.arguments
guard arguments.count == 4, let issuer = URL(string: arguments[1]),
  let api = URL(string: arguments[2])
else { exit(64) }
let folder = URL(fileURLWithPath: arguments[3])

func log(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

func check(_ condition: Bool, _ name: String) {
  log(condition ? "ok \(name)" : "failed \(name)")
  if !condition { exit(1) }
}

func status(_ session: OAuth2Session, _ level: TokenLevel = .user) async throws -> Int {
  let networking = Networking<Request>()
  networking.setBaseURL(api)
  networking.authorize(with: session, level)
  return try await networking.request(.get(.url(api))).value.status
}

func client(_ id: String, secret: String? = nil, scope: Set<String> = ["read"]) async throws
  -> OAuth2Client
{
  var client = try await OAuth2Client(id: id, secret: secret, scope: scope)
    .discovering(issuer: issuer).value
  // The metadata of this server does not name them.
  let url = { (path: String) in URL(string: "\(issuer.absoluteString)/\(path)") }
  client.revocationURL = client.revocationURL ?? url("revoke_token/")
  client.introspectionURL = client.introspectionURL ?? url("introspect/")
  client.deviceAuthorizationURL = client.deviceAuthorizationURL ?? url("device-authorization/")
  return client
}

// Client credentials, by themselves.
let service = try await client("service", secret: "service-secret")
check(service.tokenURL != nil && service.authorizationURL != nil, "discovery")
let serviceSession = OAuth2Session(service, store: .memory)
check(try await status(serviceSession, .client) == 200, "client credentials")
do {
  let wrong = try await client("service", secret: "wrong-secret")
  _ = try await OAuth2Grant.clientCredentials.token(for: wrong).value
  check(false, "wrong secret")
} catch let error as OAuth2Error {
  check(error.code == .server("invalid_client"), "wrong secret")
}

// Password, rotation, a refresh for many callers, revocation.
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
do {
  _ = try await OAuth2Grant.password(username: "ann", password: "no").token(for: password).value
  check(false, "wrong password")
} catch let error as OAuth2Error {
  check(error.isInvalidGrant, "wrong password")
}
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
let state = try await OAuth2Session(service, store: .memory)
  .introspect(try await other.token().value.accessToken).value
check(state.isActive && state.username == "ann", "introspection")
let last = try await other.token().value
try await other.signOut().value
let revoked = try await OAuth2Session(service, store: .memory).introspect(last.accessToken).value
check(!revoked.isActive, "revocation")
check(try store.token(for: TokenKey(for: password)) == nil, "sign-out")

// A refresh token that was used before.
let used = OAuth2Session(password, store: .memory)
let signedIn = try await used.signIn(.password(username: "ann", password: "ann-password")).value
_ = try await used.refresh().value
if let refreshToken = signedIn.refreshToken {
  do {
    _ = try await OAuth2Grant.refreshToken(refreshToken).token(for: password).value
    check(false, "used refresh token")
  } catch let error as OAuth2Error {
    check(error.isInvalidGrant, "used refresh token")
  }
}

// The code through a browser.
let app = try await client("public-app", scope: ["openid", "read"])
let appSession = OAuth2Session(app, store: .memory)
let consent = LoopbackConsent { page in log("open \(page.absoluteString)") }
let codeToken = try await appSession.signIn(
  .authorizationCode(consent, timeLimit: .seconds(120))
).value
check(codeToken.idToken != nil && codeToken.scope == ["openid", "read"], "authorization code")
check(try await status(appSession) == 200, "token of the code")
_ = try await appSession.refresh().value
check(try await status(appSession) == 200, "refreshed token of the code")

// A device, which the script approves in the browser.
let device = OAuth2Session(try await client("device-app"), store: .memory)
_ = try await device.signIn(
  .device { code in
    log("device \(code.verificationURL.absoluteString) \(code.userCode)")
  }
).value
check(try await status(device) == 200, "device")
log("end")
