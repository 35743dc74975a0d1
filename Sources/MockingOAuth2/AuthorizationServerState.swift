import Foundation
import Networking
import NetworkingOAuth2

/// The state of a mock authorization server: its codes and tokens.
///
/// Each method takes the time and returns the response.
struct AuthorizationServerState {
  /// An access token or a refresh token.
  struct Grant {
    var client: String
    var user: String?
    var scope: String
    /// The number of the sign-in, whose tokens are revoked together.
    var family: Int
    var expires: Duration?
    var isUsed = false
    var isRevoked = false

    func isValid(at now: Duration) -> Bool { !isRevoked && !isUsed && !isExpired(at: now) }

    func isExpired(at now: Duration) -> Bool { expires.map { now >= $0 } ?? false }
  }

  /// An authorization code.
  struct Code {
    var grant: Grant
    var redirectURL: String
    var challenge: String?
    var nonce: String?
  }

  /// A device authorization.
  struct Device {
    var grant: Grant
    var userCode: String
    var isApproved: Bool?
    var interval: Duration
    var lastPoll: Duration?
  }

  /// An error response.
  struct Refusal: Error {
    var code: String
    var status = 400
  }

  var settings: AuthorizationServerSettings
  let issuer: String
  var counts = AuthorizationServerCounts()
  var faults: [AuthorizationServerFault] = []
  private var accessTokens: [String: Grant] = [:]
  private var refreshTokens: [String: Grant] = [:]
  private var codes: [String: Code] = [:]
  private var devices: [String: Device] = [:]
  private var lastNumber = 0
  private var random = SystemRandomNumberGenerator()

  init(_ settings: AuthorizationServerSettings, issuer: String) {
    self.settings = settings
    self.issuer = issuer
  }

  // MARK: Tokens

  /// Issues tokens.
  mutating func issue(
    _ grant: Grant, at now: Duration, refreshing: Bool, nonce: String? = nil
  ) -> [String: JSON] {
    var grant = grant
    grant.isUsed = false
    grant.expires = now + settings.accessTokenLife
    let access = newValue("access")
    accessTokens[access] = grant
    var response: [String: JSON] = [
      "access_token": .string(access), "token_type": "Bearer",
      "expires_in": .int(Int(settings.accessTokenLife / .seconds(1))),
      "scope": .string(grant.scope),
    ]
    if refreshing {
      grant.expires = settings.refreshTokenLife.map { now + $0 }
      let refresh = newValue("refresh")
      refreshTokens[refresh] = grant
      response["refresh_token"] = .string(refresh)
    }
    if grant.scope.split(separator: " ").contains("openid") {
      response["id_token"] = .string(idToken(grant, nonce))
    }
    return response
  }

  /// Uses a refresh token.
  mutating func refresh(_ value: String, client: String, at now: Duration) throws -> [String: JSON]
  {
    guard var grant = refreshTokens[value], grant.client == client else {
      throw Refusal(code: "invalid_grant")
    }
    if grant.isUsed {
      counts.reused += 1
      revoke(family: grant.family)
    }
    guard grant.isValid(at: now) else { throw Refusal(code: "invalid_grant") }
    if settings.rotatesRefreshTokens {
      grant.isUsed = true
      refreshTokens[value] = grant
    }
    return issue(grant, at: now, refreshing: settings.rotatesRefreshTokens)
  }

  /// Returns whether an access token can be used.
  func isValid(_ accessToken: String, at now: Duration) -> Bool {
    accessTokens[accessToken]?.isValid(at: now) ?? false
  }

  /// Returns the members of an introspection.
  func introspect(_ value: String, at now: Duration) -> [String: JSON] {
    guard let grant = accessTokens[value] ?? refreshTokens[value], grant.isValid(at: now) else {
      return ["active": false]
    }
    var members: [String: JSON] = [
      "active": true, "client_id": .string(grant.client), "scope": .string(grant.scope),
    ]
    if let user = grant.user { members["username"] = .string(user) }
    return members
  }

  /// Revokes a token and, for a refresh token, all tokens of its sign-in.
  mutating func revoke(_ value: String) {
    counts.revoked += 1
    accessTokens[value]?.isRevoked = true
    if let grant = refreshTokens[value] { revoke(family: grant.family) }
  }

  /// Revokes all access tokens, or all tokens.
  mutating func revokeAll(refreshTokens all: Bool) {
    for key in accessTokens.keys { accessTokens[key]?.isRevoked = true }
    if all { for key in refreshTokens.keys { refreshTokens[key]?.isRevoked = true } }
  }

  private mutating func revoke(family: Int) {
    for (key, grant) in accessTokens where grant.family == family {
      accessTokens[key]?.isRevoked = true
    }
    for (key, grant) in refreshTokens where grant.family == family {
      refreshTokens[key]?.isRevoked = true
    }
  }

  // MARK: Sign-ins

  /// Returns a grant of a new sign-in.
  mutating func newGrant(client: String, user: String?, scope: String) -> Grant {
    lastNumber += 1
    return Grant(client: client, user: user, scope: scope, family: lastNumber)
  }

  /// Issues an authorization code.
  mutating func newCode(_ code: Code, at now: Duration) -> String {
    var code = code
    code.grant.expires = now + settings.codeLife
    let value = newValue("code")
    codes[value] = code
    return value
  }

  /// Uses an authorization code.
  mutating func use(
    code value: String, verifier: String?, redirectURL: String?, client: String, at now: Duration
  ) throws -> [String: JSON] {
    guard let code = codes[value], code.grant.client == client else {
      throw Refusal(code: "invalid_grant")
    }
    if code.grant.isUsed { revoke(family: code.grant.family) }
    codes[value]?.grant.isUsed = true
    guard code.grant.isValid(at: now), code.redirectURL == redirectURL,
      code.challenge == nil
        || code.challenge == verifier.flatMap({ try? ProofKey.challenge($0) })
    else { throw Refusal(code: "invalid_grant") }
    return issue(
      code.grant, at: now, refreshing: settings.issuesRefreshTokens, nonce: code.nonce)
  }

  /// Issues a device code.
  mutating func newDevice(_ grant: Grant, at now: Duration) -> [String: JSON] {
    var grant = grant
    grant.expires = now + settings.deviceCodeLife
    lastNumber += 1
    let device = Device(
      grant: grant, userCode: "USER-\(1_000 + lastNumber)", interval: settings.deviceInterval)
    let value = newValue("device")
    devices[value] = device
    return [
      "device_code": .string(value), "user_code": .string(device.userCode),
      "verification_uri": .string("\(issuer)/device"),
      "verification_uri_complete": .string("\(issuer)/device?user_code=\(device.userCode)"),
      "expires_in": .int(Int(settings.deviceCodeLife / .seconds(1))),
      "interval": .int(Int(settings.deviceInterval / .seconds(1))),
    ]
  }

  /// Records the decision of the user about a device.
  ///
  /// - Returns: Whether there is such a code.
  mutating func decide(userCode: String, isApproved: Bool) -> Bool {
    guard let key = devices.first(where: { $0.value.userCode == userCode })?.key else {
      return false
    }
    devices[key]?.isApproved = isApproved
    return true
  }

  /// Handles the request of a device for its token.
  mutating func poll(device value: String, at now: Duration) throws -> [String: JSON] {
    guard var device = devices[value] else { throw Refusal(code: "invalid_grant") }
    guard device.grant.isValid(at: now) else { throw Refusal(code: "expired_token") }
    let isEarly = device.lastPoll.map { now - $0 < device.interval } ?? false
    device.lastPoll = now
    if isEarly { device.interval += .seconds(5) }
    devices[value] = device
    if isEarly { throw Refusal(code: "slow_down") }
    switch device.isApproved {
    case nil: throw Refusal(code: "authorization_pending")
    case false?: throw Refusal(code: "access_denied")
    case true?:
      devices[value]?.grant.isUsed = true
      return issue(device.grant, at: now, refreshing: settings.issuesRefreshTokens)
    }
  }

  private mutating func newValue(_ kind: String) -> String {
    lastNumber += 1
    let bits = String(random.next(), radix: 16)
    return "mock-\(kind)-\(lastNumber)-\(bits)"
  }

  /// Returns an ID token without a signature.
  private func idToken(_ grant: Grant, _ nonce: String?) -> String {
    var claims: [String: JSON] = [
      "iss": .string(issuer), "aud": .string(grant.client), "sub": .string(grant.user ?? ""),
      // The year 2100, because the clock of the client is not known.
      "exp": .double(4_102_444_800),
    ]
    if let nonce { claims["nonce"] = .string(nonce) }
    let parts: [JSON] = [["alg": "none"], .dictionary(claims)]
    return parts.map { ((try? $0.data()) ?? Data()).base64URLEncoded }.joined(separator: ".") + "."
  }
}
