import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingOAuth2

/// The keys of tokens in a store.
@Suite(.gated)
struct TokenKeyTests {
  private func client(_ url: String) -> OAuth2Client {
    OAuth2Client(id: "app", tokenURL: URL(string: url))
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

  @Test(arguments: ["login.test", "login.test:443", "https://login.test/realms/two/token", ""])
  func aSessionUsesNoTokenOfAnotherServer(server: String) async throws {
    let (client, store) = (client("https://login.test/realms/one/token"), MemoryTokenStore())
    let other = TokenKey(clientID: client.id, server: server)
    let token = OAuth2Token(accessToken: "a")
    store.setToken(token, for: other)
    let session = OAuth2Session(
      client, store: store, transport: FakeTransport { _ in .response(500) })
    #expect(
      await session.token().result.failure(as: OAuth2Error.self)?.code == .signInRequired)
    try await session.signOut(revoking: false).value
    #expect(store.token(for: other) == token)
    store.setToken(token, for: TokenKey(for: client))
    #expect(try await session.token().value == token)
  }
}
