import Foundation
import NetworkingOAuth2
import TestGate
import TestSupport
import Testing

/// Stores of tokens.
@Suite(.gated)
struct ConduitTokensTests {
  private let folder = TemporaryFolder()
  private let client = OAuth2Client(
    id: "my_oauth2_client", tokenURL: URL(string: "https://api.example.com/oauth2/issue/token"))

  /// Checks that a store keeps a token, and removes it.
  private func check(_ store: some TokenStoring) throws {
    let key = TokenKey(for: client)
    let token = OAuth2Token(accessToken: "t-1", refreshToken: "r-1")
    try store.setToken(token, for: key)
    #expect(try store.token(for: key)?.refreshToken == "r-1")
    try store.setToken(nil, for: key)
    #expect(try store.token(for: key) == nil)
  }

  @Test("C12: tokens in memory, in a file, in an encrypted file and in user defaults")
  func stores() throws {
    let (file, encrypted) = (folder.url("tokens"), folder.url("encrypted"))
    let (secret, suite) = (TokenEncryptionKey.makeBytes(), "catena-\(UUID().uuidString)")
    // sample C12
    let memoryStore = MemoryTokenStore()
    let diskStore = try FileTokenStore(file)
    let encryptedStore = try FileTokenStore(encrypted, encryptedWith: .bytes(secret))
    let defaultsStore = UserDefaultsTokenStore(suite: suite)
    // end
    try check(memoryStore)
    try check(diskStore)
    try check(encryptedStore)
    try check(defaultsStore)
    try encryptedStore.setToken(
      OAuth2Token(accessToken: "t-1", refreshToken: "secret-r-1"), for: TokenKey(for: client))
    #expect(try Data(contentsOf: encrypted).range(of: Data("secret-r-1".utf8)) == nil)
  }

  @Test("C12b: the stores by their short names")
  func shortNames() throws {
    let (file, secret) = (folder.url("tokens"), TokenEncryptionKey.makeBytes())
    // sample C12b
    let memory = OAuth2Session(client, store: .memory)
    let disk = OAuth2Session(client, store: try .file(file, encryptedWith: .bytes(secret)))
    // end
    try check(memory.store)
    try check(disk.store)
  }

  #if canImport(Security)
    @Test("C12: tokens in the keychain")
    func keychain() {
      // sample C12
      let keychainStore = KeychainTokenStore(
        service: "com.company.app-name.oauth-token", accessGroup: "com.company.shared-access-group")
      let session = OAuth2Session(client, store: keychainStore)
      // end
      #expect(session.currentToken() == nil)
    }
  #endif
}
