import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

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

  /// The stores of one token under a key of host and port.
  private func stores(_ token: OAuth2Token) throws -> [any TokenStoring] {
    let earlier = TokenKey(clientID: "app", server: "login.test")
    let stores: [any TokenStoring] = [
      MemoryTokenStore(), try FileTokenStore(folder.url("tokens")),
      try FileTokenStore(folder.url("encrypted"), encryptedWith: .bytes(Data(count: 32))),
    ]
    for store in stores { try store.setToken(token, for: earlier) }
    return stores
  }

  @Test func aTokenOfAnEarlierVersionIsMovedToTheRealmThatAsksFirst() async throws {
    let token = OAuth2Token(accessToken: "a", refreshToken: "r")
    for store in try stores(token) {
      let one = client("https://login.test/realms/one/token")
      #expect(try await session(one, store).token().value.accessToken == "a")
      #expect(try store.token(for: TokenKey(for: one)) == token)
      #expect(try store.token(for: TokenKey(clientID: "app", server: "login.test")) == nil)
      // The next run finds it, and the other realm does not.
      #expect(try await session(one, store).token().value.accessToken == "a")
      let error = await #expect(throws: OAuth2Error.self) {
        try await session(client("https://login.test/realms/two/token"), store).token().value
      }
      #expect(error?.code == .signInRequired)
    }
  }

  @Test func aTokenOfAnEarlierVersionThatNamesAnotherIssuerStays() async throws {
    let claims = Data(#"{"iss": "https://login.test/realms/one"}"#.utf8).base64EncodedString()
      .replacingOccurrences(of: "=", with: "")
    let token = OAuth2Token(accessToken: "a", idToken: "e30.\(claims).")
    for store in try stores(token) {
      let two = client(
        "https://login.test/realms/two/token", issuer: "https://login.test/realms/two")
      let error = await #expect(throws: OAuth2Error.self) {
        try await session(two, store).token().value
      }
      #expect(error?.code == .signInRequired)
      let one = client(
        "https://login.test/realms/one/token", issuer: "https://login.test/realms/one")
      #expect(try await session(one, store).token().value == token)
    }
  }

  @Test func aSignOutRemovesATokenOfAnEarlierVersion() async throws {
    for store in try stores(OAuth2Token(accessToken: "a")) {
      let one = client("https://login.test/realms/one/token")
      try await session(one, store).signOut(revoking: false).value
      #expect(try store.token(for: TokenKey(for: one)) == nil)
      #expect(try store.token(for: TokenKey(clientID: "app", server: "login.test")) == nil)
    }
  }
}
