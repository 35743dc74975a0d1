import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingOAuth2

/// The stores of tokens: their contents, their protection, and moving tokens between them.
@Suite(.gated)
struct TokenStoreTests {
  private let folder = TemporaryFolder()
  private let key = TokenKey(clientID: "app")
  private let token = OAuth2Token(
    accessToken: "access-canary", refreshToken: "refresh-canary", scope: ["a"],
    issued: Date(timeIntervalSince1970: 1_800_000_000),
    expires: Date(timeIntervalSince1970: 1_800_003_600), idToken: "i", other: ["x": [1, "y"]])

  private var file: URL { folder.url("deep/tokens") }

  private func store(_ key: TokenEncryptionKey? = nil) throws -> FileTokenStore {
    try FileTokenStore(file, encryptedWith: key)
  }

  private static let stores: [String] = ["memory", "file", "encrypted", "defaults", "migrating"]

  private func store(_ name: String) throws -> any TokenStoring {
    switch name {
    case "memory": return MemoryTokenStore()
    case "file": return try store()
    case "encrypted": return try store(.bytes(TokenEncryptionKey.makeBytes()))
    case "defaults": return UserDefaultsTokenStore(suite: "catena-\(UUID().uuidString)")
    default: return MigratingTokenStore(from: MemoryTokenStore(), to: try store())
    }
  }

  @Test(arguments: stores)
  func aStoreKeepsTheTokensOfEachKey(name: String) throws {
    let store = try store(name)
    let others = [
      TokenKey(clientID: "other"), TokenKey(clientID: "app", level: .client),
      TokenKey(clientID: "app", account: "bob"),
    ]
    #expect(try store.token(for: key) == nil)
    try store.setToken(token, for: key)
    #expect(try store.token(for: key) == token)
    for other in others { #expect(try store.token(for: other) == nil) }
    #expect(try store.addToken(OAuth2Token(accessToken: "b"), for: key) == token)
    #expect(try store.addToken(OAuth2Token(accessToken: "b"), for: others[0]) == nil)
    #expect(try store.token(for: others[0])?.accessToken == "b")
    try store.setToken(nil, for: key)
    #expect(try store.token(for: key) == nil)
    #expect(try store.token(for: others[0])?.accessToken == "b")
  }

  @Test(arguments: stores)
  func aLockExcludesOthersUntilItIsReleased(name: String) throws {
    let store = try store(name)
    var lock = try store.tryLock(key)
    #expect(lock != nil)
    #expect(try store.tryLock(key) == nil)
    #expect(try store.tryLock(TokenKey(clientID: "other")) != nil)
    lock?.release()
    lock = try store.tryLock(key)
    #expect(lock != nil)
    lock = nil
    #expect(try store.tryLock(key) != nil)
  }

  @Test func aFileCanBeReadByItsOwnerOnly() throws {
    try store().setToken(token, for: key)
    for name in ["deep/tokens", "deep/tokens.lock"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.url(name).path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
    #expect(try store().token(for: key) == token)
    #expect(try store().keys() == [key])
  }

  @Test func anUnreadableFileIsAnErrorAndCanBeRemoved() throws {
    try FileManager.default.createDirectory(
      at: folder.url("deep"), withIntermediateDirectories: true)
    try Data("{\"access-canary\"".utf8).write(to: file)
    let error = #expect(throws: OAuth2Error.self) { try store().token(for: key) }
    #expect(error?.code == .storeFailed)
    #expect(!"\(try #require(error))".contains("canary"))
    #expect(throws: OAuth2Error.self) { try store().setToken(token, for: key) }
    try store().removeAll()
    try store().setToken(token, for: key)
    #expect(try store().token(for: key) == token)
  }

  /// A full disk may leave one.
  @Test(arguments: [nil, TokenEncryptionKey.bytes(Data(0..<32))])
  func anEmptyFileHasNoTokens(_ secret: TokenEncryptionKey?) throws {
    try FileManager.default.createDirectory(
      at: folder.url("deep"), withIntermediateDirectories: true)
    try Data().write(to: file)
    #expect(try store(secret).token(for: key) == nil)
    try store(secret).setToken(token, for: key)
    #expect(try store(secret).token(for: key) == token)
  }

  @Test func aSymbolicLinkIsNotFollowed() throws {
    let target = try folder.file("target", "{}")
    try FileManager.default.createDirectory(
      at: folder.url("deep"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
    #expect(throws: OAuth2Error.self) { try store().token(for: key) }
  }

  // MARK: Encryption

  @Test(arguments: [true, false])
  func anEncryptedFileHasNoTokenInClearAndRefusesEachFlippedByte(isPassphrase: Bool) throws {
    let secret =
      isPassphrase
      ? TokenEncryptionKey.passphrase("pass", iterations: 1_000)
      : .bytes(TokenEncryptionKey.makeBytes())
    try store(secret).setToken(token, for: key)
    let data = try Data(contentsOf: file)
    for canary in ["canary", "access", "app", "token"] {
      #expect(data.range(of: Data(canary.utf8)) == nil)
    }
    #expect(try store(secret).token(for: key) == token)
    var generator = SeededGenerator(seed: 7)
    // The head, and every third byte of the rest.
    for index in Array(0..<64) + stride(from: 64, to: data.count, by: TestSize.of(3, full: 1)) {
      var changed = data
      // With a passphrase a change of the salt derives another key, which is slow.
      changed[index] ^= isPassphrase ? 1 << UInt8.random(in: 0..<4, using: &generator) : 0xFF
      try changed.write(to: file)
      let error = #expect(throws: OAuth2Error.self, "byte \(index)") {
        try store(secret).token(for: key)
      }
      #expect(error?.code == .decryptionFailed)
    }
    for length in [1, 8, 41, 57, data.count - 1] {
      try data.prefix(length).write(to: file)
      #expect(throws: OAuth2Error.self) { try store(secret).token(for: key) }
    }
  }

  @Test func anotherKeyIsRefused() throws {
    try store(.passphrase("pass", iterations: 100)).setToken(token, for: key)
    #expect(throws: OAuth2Error.self) {
      try store(.passphrase("Pass", iterations: 100)).token(for: key)
    }
    #expect(throws: OAuth2Error.self) {
      try store(.bytes(TokenEncryptionKey.makeBytes())).token(for: key)
    }
    #expect(throws: OAuth2Error.self) { try store().token(for: key) }
    // The number of iterations is that of the file.
    #expect(try store(.passphrase("pass", iterations: 200)).token(for: key) == token)
    #expect(throws: OAuth2Error.self) { try store(.bytes(Data(count: 16))).setToken(nil, for: key) }
  }

  @Test func eachWriteHasAnotherNonce() throws {
    let store = try store(.bytes(TokenEncryptionKey.makeBytes()))
    var nonces: Set<Data> = []
    for number in 0..<50 {
      try store.setToken(OAuth2Token(accessToken: "a\(number)"), for: key)
      nonces.insert(Data(try Data(contentsOf: file)[30..<42]))
    }
    #expect(nonces.count == 50)
  }

  /// Test case 16 of McGrew and Viega: The Galois/Counter Mode of Operation.
  @Test func theCipherIsThatOfTheStandard() throws {
    let text = try #require(
      Data(
        hexadecimal: """
          d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449\
          a6b525b16aedf5aa0de657ba637b39
          """))
    let key = try #require(
      Data(hexadecimal: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
    let sealed = try AES256.seal(
      text, key: key, nonce: try #require(Data(hexadecimal: "cafebabefacedbaddecaf888")),
      header: try #require(Data(hexadecimal: "feedfacedeadbeeffeedfacedeadbeefabaddad2")))
    #expect(sealed.suffix(16) == Data(hexadecimal: "76fc6ece0f4e1768cddf8853bb2d551b"))
    #expect(sealed.prefix(4) == Data(hexadecimal: "522dc1f0"))
  }

  /// RFC 6070, test vector 2, with the first 20 bytes of a longer key.
  @Test func theDerivationIsThatOfTheStandard() throws {
    let key = try AES256.derivedKey(
      "password", salt: Data("salt".utf8), iterations: 2, isSHA1: true)
    #expect(key.prefix(20) == Data(hexadecimal: "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"))
  }

  @Test func aForgedFileDoesNotWeakenTheNextOne() throws {
    let cipher = TokenCipher(.passphrase("secret", iterations: 500))
    var forged = try TokenCipher(.passphrase("other", iterations: 1)).seal(Data("{}".utf8))
    #expect(throws: OAuth2Error.self) { try cipher.open(forged) }
    let next = try cipher.seal(Data("{}".utf8))
    #expect(Array(next[10..<14]) == [0, 0, 1, 0xF4])
    #expect(next[14..<30] != forged[14..<30])
    // An authentic file with fewer iterations is read, and written with as many as are asked for.
    forged = try TokenCipher(.passphrase("secret", iterations: 1)).seal(Data("{}".utf8))
    let old = TokenCipher(.passphrase("secret", iterations: 500))
    #expect(try old.open(forged) == Data("{}".utf8))
    #expect(Array(try old.seal(Data("{}".utf8))[10..<14]) == [0, 0, 1, 0xF4])
  }

  // MARK: Migration

  /// A store that cannot be used any more.
  private struct BrokenStore: TokenStoring {
    func token(for key: TokenKey) throws -> OAuth2Token? { throw OAuth2Error(.decryptionFailed) }
    func setToken(_ token: OAuth2Token?, for key: TokenKey) throws {
      throw OAuth2Error(.storeFailed)
    }
  }

  @Test func anOldStoreThatCannotBeReadDoesNotStopTheNewOne() throws {
    let new = MemoryTokenStore()
    let store = MigratingTokenStore(from: BrokenStore(), to: new)
    #expect(throws: OAuth2Error.self) { try store.token(for: key) }
    try store.setToken(token, for: key)
    #expect(try store.token(for: key) == token)
    // The removal is done as far as it can be, and reported.
    #expect(throws: OAuth2Error.self) { try store.setToken(nil, for: key) }
    #expect(new.token(for: key) == nil)
  }

  @Test func tokensMoveWhenTheyAreUsed() throws {
    let old = MemoryTokenStore([key: token])
    let new = try store()
    let store = MigratingTokenStore(from: old, to: new)
    #expect(try store.token(for: key) == token)
    #expect(old.token(for: key) == nil)
    #expect(try new.token(for: key) == token)
    // A removed token does not return from the old store.
    old.setToken(token, for: TokenKey(clientID: "other"))
    try store.setToken(nil, for: TokenKey(clientID: "other"))
    #expect(try store.token(for: TokenKey(clientID: "other")) == nil)
    #expect(try store.moveTokens(for: [key, TokenKey(clientID: "none")]) == 1)
  }

  @Test func theNewTokenTakesPrecedence() throws {
    let old = MemoryTokenStore([key: token])
    let new = MemoryTokenStore([key: OAuth2Token(accessToken: "new")])
    let store = MigratingTokenStore(from: old, to: new)
    #expect(try store.token(for: key)?.accessToken == "new")
    #expect(old.token(for: key) == nil)
  }

  // MARK: Changes

  @Test func changesAreReported() async throws {
    let store = try store()
    let next = store.changes.next()
    var iterator = store.changes.makeAsyncIterator()
    try store.setToken(token, for: key)
    #expect(try await next.value == key)
    #expect(await iterator.next() == key)
  }

  @Test func changesOfAnotherStoreOfTheFileAreReported() async throws {
    let time = TestScheduler()
    let watching = try FileTokenStore(file, scheduler: time)
    let writing = try store()
    let other = TokenKey(clientID: "other")
    try writing.setToken(token, for: other)
    let keys = Log<TokenKey>()
    let id = watching.changes.listen { if let key = $0 { keys.append(key) } }
    await time.advance(by: .seconds(2))
    #expect(keys.entries.isEmpty)
    try writing.setToken(token, for: key)
    await time.advance(by: .seconds(1))
    #expect(keys.entries == [key])
    try writing.setToken(nil, for: other)
    await time.advance(by: .seconds(1))
    #expect(keys.entries == [key, other])
    watching.changes.remove(id)
    await time.run()
    #expect(time.scheduledCount == 0)
  }

  @Test func aForeignChangeBeforeAnOwnOneIsReported() async throws {
    let time = TestScheduler()
    let watching = try FileTokenStore(file, scheduler: time)
    let writing = try store()
    let other = TokenKey(clientID: "other")
    try writing.setToken(token, for: other)
    let keys = Log<TokenKey>()
    let id = watching.changes.listen { if let key = $0 { keys.append(key) } }
    await time.advance(by: .milliseconds(100))
    // Both changes are between two checks.
    try writing.setToken(nil, for: other)
    try watching.setToken(token, for: key)
    #expect(Set(keys.entries) == [key, other])
    await time.advance(by: .seconds(2))
    #expect(keys.entries.count == 2)
    // A change that changes nothing is none.
    try watching.setToken(token, for: key)
    #expect(keys.entries.count == 2)
    watching.changes.remove(id)
    await time.run()
  }

  // MARK: Other formats

  @Test func aFileInCBCIsRead() throws {
    // Made with openssl enc -aes-256-cbc and openssl dgst -sha256 -mac HMAC.
    let key = Data(0..<32)
    let file = try #require(Data(base64Encoded: Self.legacyFile))
    let cipher = LegacyTokenCipher(key: key, authenticationKey: Data(32..<64))
    #expect(try cipher.open(file) == Data("a token from another library".utf8))
    for index in file.indices {
      var changed = file
      changed[index] ^= 1
      #expect(throws: OAuth2Error.self) { try cipher.open(changed) }
    }
    let plain = LegacyTokenCipher(key: key, authenticationKey: nil)
    #expect(try plain.open(file.dropLast(32)) == Data("a token from another library".utf8))
    for length in 0..<32 {
      #expect(throws: OAuth2Error.self) { try plain.open(file.prefix(length)) }
    }
  }

  private static let legacyFile = """
    ZGVmZ2hpamtsbW5vcHFyc6pq0R9cCjByuB7xdQRBQjvP5I2Yp4GQa5Z6QBgMIey/F7eVfseQWt/jUHPp\
    onL7GG0FlNlodhKl6WvovrsyLDg=
    """
}

extension Data {
  /// Creates bytes from hexadecimal digits.
  fileprivate init?(hexadecimal text: String) {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
    self.init(
      stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
  }
}
