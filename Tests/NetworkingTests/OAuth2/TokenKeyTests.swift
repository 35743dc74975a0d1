import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingOAuth2

/// The keys of tokens in a store, and tokens under the keys of an earlier version.
@Suite(.gated)
struct TokenKeyTests {
  private let folder = TemporaryFolder(in: TemporaryFolder.memory)

  private func client(_ url: String, issuer: String? = nil) -> OAuth2Client {
    var client = OAuth2Client(id: "app", tokenURL: URL(string: url))
    client.issuer = issuer
    return client
  }

  private func session(_ client: OAuth2Client, _ store: some TokenStoring) -> OAuth2Session {
    OAuth2Session(client, store: store, transport: FakeTransport { _ in .response(500) })
  }

  /// Each two of these differ in one part, the last two in no part of the identity.
  @Test func eachRealmOfEachServerHasItsKey() {
    let urls = [
      "https://login.test/realms/one/token", "https://login.test/realms/two/token",
      "https://login.test/token?p=one", "https://login.test/token?p=two",
      "https://login.test:8443/realms/one/token", "http://login.test/realms/one/token",
      "https://other.test/realms/one/token", "https://[::1]/realms/one/token",
    ]
    var keys: Set<TokenKey> = []
    for url in urls {
      for level in TokenLevel.allCases {
        for account in ["", "ann"] {
          keys.insert(TokenKey(for: client(url), level: level, account: account))
        }
      }
    }
    #expect(keys.count == urls.count * 4)
    #expect(Set(keys.map(\.stableHash)).count == keys.count)
    #expect(Set(keys.map(\.description)).count == keys.count)
    #expect(
      TokenKey(for: client("HTTPS://Login.test:443/realms/one/token#x"))
        == TokenKey(for: client(urls[0])))
  }

  // MARK: Keys of an earlier version

  /// A store with one token under a key of host and port, and two realms of the host.
  private struct Upgrade {
    let store: any TokenStoring
    let token: OAuth2Token
    /// No other test has sessions of this host.
    let host = "\(UUID().uuidString.lowercased()).test"
    var earlier: TokenKey { TokenKey(clientID: "app", server: host) }

    init(_ store: any TokenStoring, _ token: OAuth2Token) throws {
      self.store = store
      self.token = token
      try store.setToken(token, for: earlier)
    }

    func client(_ realm: String, hasIssuer: Bool = false) -> OAuth2Client {
      var client = OAuth2Client(
        id: "app", tokenURL: URL(string: "https://\(host)/realms/\(realm)/token"))
      if hasIssuer { client.issuer = TokenKeyTests.issuer(realm) }
      return client
    }
  }

  private static func issuer(_ realm: String) -> String { "https://login.test/realms/\(realm)" }

  /// An ID token, or a signed access token, that names the issuer of a realm.
  private static func claims(_ realm: String) -> String {
    let claims = Data(#"{"iss": "\#(issuer(realm))"}"#.utf8).base64EncodedString()
    return "e30.\(claims.replacingOccurrences(of: "=", with: "")).s"
  }

  private func upgrades(_ token: OAuth2Token) throws -> [Upgrade] {
    let stores: [any TokenStoring] = [
      MemoryTokenStore(), try FileTokenStore(folder.url("tokens")),
      try FileTokenStore(folder.url("encrypted"), encryptedWith: .bytes(Data(count: 32))),
    ]
    return try stores.map { try Upgrade($0, token) }
  }

  private func code(_ session: OAuth2Session) async -> OAuth2Error.Code? {
    await session.token().result.failure(as: OAuth2Error.self)?.code
  }

  @Test func aTokenOfAnEarlierVersionIsMovedToTheOnlyRealm() async throws {
    for upgrade in try upgrades(OAuth2Token(accessToken: "a", refreshToken: "r")) {
      let (one, store) = (upgrade.client("one"), upgrade.store)
      #expect(try await session(one, store).token().value == upgrade.token)
      #expect(try store.token(for: TokenKey(for: one)) == upgrade.token)
      #expect(try store.token(for: upgrade.earlier) == nil)
      // The next run finds it, and the other realm does not.
      #expect(try await session(one, store).token().value == upgrade.token)
      #expect(await code(session(upgrade.client("two"), store)) == .signInRequired)
    }
  }

  @Test func ofTwoRealmsNoneGetsATokenOfAnEarlierVersionWithoutAProof() async throws {
    for upgrade in try upgrades(OAuth2Token(accessToken: "a", refreshToken: "r")) {
      let sessions = ["one", "two"].map { session(upgrade.client($0), upgrade.store) }
      for session in sessions + sessions { #expect(await code(session) == .signInRequired) }
      for session in sessions { try await session.signOut(revoking: false).value }
      #expect(try upgrade.store.token(for: upgrade.earlier)?.refreshToken == "r")
    }
  }

  @Test(arguments: [true, false])
  func ofTwoRealmsTheOneThatATokenOfAnEarlierVersionNamesGetsIt(isIDToken: Bool) async throws {
    let claims = Self.claims("one")
    let token = OAuth2Token(
      accessToken: isIDToken ? "a" : claims, idToken: isIDToken ? claims : nil)
    for upgrade in try upgrades(token) {
      let sessions = ["two", "one"].map {
        session(upgrade.client($0, hasIssuer: true), upgrade.store)
      }
      #expect(await code(sessions[0]) == .signInRequired)
      try await sessions[0].signOut(revoking: false).value
      #expect(try await sessions[1].token().value == token)
      #expect(await code(sessions[0]) == .signInRequired)
    }
  }

  @Test func aSignOutRemovesATokenOfAnEarlierVersion() async throws {
    for upgrade in try upgrades(OAuth2Token(accessToken: "a")) {
      let one = upgrade.client("one")
      try await session(one, upgrade.store).signOut(revoking: false).value
      #expect(try upgrade.store.token(for: TokenKey(for: one)) == nil)
      #expect(try upgrade.store.token(for: upgrade.earlier) == nil)
    }
  }

  @Test func aCrashInTheMiddleOfAMoveLeavesNoTokenAfterASignOut() async throws {
    for upgrade in try upgrades(OAuth2Token(accessToken: "a")) {
      let one = upgrade.client("one")
      try upgrade.store.setToken(upgrade.token, for: TokenKey(for: one))
      try await session(one, upgrade.store).signOut(revoking: false).value
      #expect(try upgrade.store.token(for: upgrade.earlier) == nil)
      #expect(await code(session(one, upgrade.store)) == .signInRequired)
    }
  }

  /// The first process has sessions of both realms, and the second one of one realm.
  @Test func aTokenThatOneProcessCannotAssignIsNotTakenByAnother() throws {
    for upgrade in try upgrades(OAuth2Token(accessToken: "a", refreshToken: "r")) {
      let clients = ["one", "two"].map { upgrade.client($0) }
      let first = EarlierTokenKeys.Realms()
      let stores = clients.map { EarlierTokenKeys(upgrade.store, for: $0, among: first) }
      #expect(try stores[0].token(for: TokenKey(for: clients[0])) == nil)
      let second = EarlierTokenKeys(upgrade.store, for: clients[1], among: .init())
      #expect(try second.token(for: TokenKey(for: clients[1])) == nil)
      #expect(try upgrade.store.token(for: upgrade.earlier)?.accessToken == "a")
    }
  }

  // MARK: Sequences

  private enum Step: CaseIterable {
    case ask, signIn, refresh, signOut
  }

  /// The knowledge of the realm of a token, which is `one`.
  private enum Proof: CaseIterable {
    /// The token names it, and the clients know their issuers.
    case complete
    /// The token names it, and the clients do not know their issuers.
    case withoutIssuers
    /// The token has no claims.
    case none

    var token: OAuth2Token {
      OAuth2Token(
        accessToken: "earlier", refreshToken: "r",
        idToken: self == .none ? nil : TokenKeyTests.claims("one"))
    }
  }

  /// A sequence of steps of two realms with one store.
  private struct Run {
    let upgrade: Upgrade
    let proof: Proof
    let stores: [EarlierTokenKeys]
    let keys: [TokenKey]
    let isOneProcess: Bool
    var isSignedOut = [false, false]
    /// Whether the token was in the hands of a realm that has changed or removed it.
    var isUsedUp = false
    var text = ""

    init(_ proof: Proof, isOneProcess: Bool) throws {
      self.proof = proof
      self.isOneProcess = isOneProcess
      upgrade = try Upgrade(MemoryTokenStore(), proof.token)
      let clients = ["one", "two"].map { [upgrade] in
        upgrade.client($0, hasIssuer: proof != .withoutIssuers)
      }
      let shared = EarlierTokenKeys.Realms()
      stores = clients.map { [upgrade] in
        EarlierTokenKeys(upgrade.store, for: $0, among: isOneProcess ? shared : .init())
      }
      keys = clients.map { TokenKey(for: $0) }
    }

    /// The places of the token.
    func places() throws -> [TokenKey] {
      try (keys + [upgrade.earlier]).filter {
        try upgrade.store.token(for: $0)?.accessToken == "earlier"
      }
    }

    /// Performs a step of a realm as a session does.
    mutating func perform(_ step: Step, _ realm: Int) throws {
      text += " \(step) \(realm + 1)"
      let (store, key) = (stores[realm], keys[realm])
      let token = step == .signIn ? nil : try store.token(for: key)
      let had = try places()
      switch step {
      case .ask: break
      case .signIn:
        try store.setToken(OAuth2Token(accessToken: "new \(realm)"), for: key)
        isSignedOut[realm] = false
      case .refresh:
        if token != nil {
          try store.setToken(OAuth2Token(accessToken: "refreshed \(realm)"), for: key)
        }
      case .signOut:
        try store.setToken(nil, for: key)
        isSignedOut[realm] = true
      }
      let mayEnd = had == [key] || (proof == .complete && realm == 0)
      if step != .ask, mayEnd { isUsedUp = try isUsedUp || places().isEmpty }
      try check(after: step)
    }

    func check(after step: Step) throws {
      let places = try places()
      // It is in one place, and it is never lost by a step of a realm that does not have it.
      #expect(places.count == (isUsedUp ? 0 : 1), "\(self.text), \(proof)")
      // No other realm gets it.
      if proof == .complete || isOneProcess { #expect(places != [keys[1]], "\(self.text)") }
      if proof != .complete, isOneProcess { #expect(places != [keys[0]], "\(self.text)") }
      for realm in keys.indices where isSignedOut[realm] {
        #expect(try stores[realm].token(for: keys[realm]) == nil, "\(self.text)")
      }
    }
  }

  /// All sequences of three steps, each followed by a request of both realms.
  @Test(arguments: [true, false])
  func noSequenceOfStepsLosesATokenOrGivesItToAnotherRealm(isOneProcess: Bool) throws {
    let steps = Step.allCases.flatMap { step in [(step, 0), (step, 1)] }
    for proof in Proof.allCases {
      for first in steps {
        for second in steps {
          for third in steps {
            var run = try Run(proof, isOneProcess: isOneProcess)
            for (step, realm) in [first, second, third, (.ask, 1), (.ask, 0)] {
              try run.perform(step, realm)
            }
            let ofOne = [first, second, third].filter { $0.1 == 0 && $0.0 != .ask }
            if proof == .complete, ofOne.isEmpty {
              #expect(try run.places() == [run.keys[0]], "\(run.text)")
            }
            // The only realm of which the first process knows.
            if proof != .complete, !isOneProcess, first == (.ask, 0), ofOne.isEmpty {
              #expect(try run.places() == [run.keys[0]], "\(run.text)")
            }
          }
        }
      }
    }
  }
}
