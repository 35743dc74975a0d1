import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem
@testable import Networking
@testable import NetworkingOAuth2
@testable import NetworkingTransfers

/// Files of another user, which only root can make.
enum ForeignFiles {
  static let user: uid_t = 65_534

  /// Whether this process can give a file away.
  static let canBeMade: Bool = {
    let folder = TemporaryFolder()
    guard let file = try? folder.file("file", "") else { return false }
    return give(file)
  }()

  /// Gives a file to another user.
  @discardableResult
  static func give(_ file: URL) -> Bool { chown(file.path, user, user) == 0 }

  #if os(Linux)
    /// Runs a closure on a disk that does not keep owners: all new files belong to another user.
    static func withoutOwners<Value>(_ body: () throws -> Value) throws -> Value {
      let function = try #require(dlsym(nil, "setfsuid"))
      let set = unsafeBitCast(function, to: (@convention(c) (uid_t) -> Int32).self)
      _ = set(user)
      defer { _ = set(geteuid()) }
      return try body()
    }
  #endif
}

/// State in a folder that other users can write to.
@Suite(.gated)
struct FileOwnerTests {
  private let folder = TemporaryFolder()

  @Test(
    arguments: [
      (owner: 7, user: 7, newFile: 7, isOwn: true), (0, 7, 7, true), (7, 0, 0, false),
      (8, 7, 7, false), (8, 7, 8, true), (8, 0, 8, true), (9, 7, 8, false), (8, 7, nil, false),
      (7, 7, nil, true),
    ] as [(owner: uid_t, user: uid_t, newFile: uid_t?, isOwn: Bool)])
  func aFileIsOwnIfItIsOfTheUserOrOfRootOrIfAllFilesHaveItsOwner(
    owner: uid_t, user: uid_t, newFile: uid_t?, isOwn: Bool
  ) {
    #expect(FileOwner.isOwn(owner, of: user) { newFile } == isOwn)
  }

  @Test func theOwnerOfANewFileIsFoundWithoutARest() throws {
    #expect(FileOwner.ownerOfNewFile(beside: folder.url("file").path) == geteuid())
    #expect(FileOwner.ownerOfNewFile(beside: folder.url("none/file").path) == nil)
    #expect(folder.names == [])
  }

  // MARK: Files of others

  private func files(below name: String) -> [URL] {
    let all = FileManager.default.enumerator(
      at: folder.url(name), includingPropertiesForKeys: [.isRegularFileKey])
    return (all?.allObjects as? [URL] ?? []).filter {
      (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
    }
  }

  @Test(.enabled(if: ForeignFiles.canBeMade, "only root can give files away"))
  func tokensOfAnotherUserAreNotRead() throws {
    let key = TokenKey(clientID: "app")
    let file = folder.url("tokens")
    for encryption in [nil, TokenEncryptionKey.bytes(Data(count: 32))] {
      let store = try FileTokenStore(file, encryptedWith: encryption)
      try store.setToken(OAuth2Token(accessToken: "a"), for: key)
      ForeignFiles.give(file)
      for action in [
        { _ = try store.token(for: key) }, { _ = try store.keys() },
        { try store.setToken(OAuth2Token(accessToken: "b"), for: key) },
      ] {
        let error = #expect(throws: OAuth2Error.self) { try action() }
        #expect(error?.code == .storeFailed)
        #expect("\(String(describing: error))".contains("belongs to another user"))
      }
      try store.removeAll()
      #expect(try store.token(for: key) == nil)
    }
  }

  @Test(.enabled(if: ForeignFiles.canBeMade, "only root can give files away"))
  func cookiesOfAnotherUserAreNotRead() async throws {
    let file = folder.url("cookies")
    let jar = try CookieJar(file: file)
    jar.set(parsing: "a=1; Max-Age=1000", from: .of("https://shop.example/"))
    try await jar.synchronize().value
    ForeignFiles.give(file)
    let error = #expect(throws: NetworkError.self) { try CookieFile(file).read() }
    #expect(error?.code == .cookieFileFailed)
    #expect(error?.reason == "cookies belongs to another user")
  }

  @Test(
    .enabled(if: ForeignFiles.canBeMade, "only root can give files away"),
    arguments: [
      (name: "entry", reason: "the entry file belongs to another user"),
      (name: "file-0", reason: "payload file 1 is missing or has changed"),
    ])
  func requestsOfAnotherUserAreNotSent(name: String, reason: String) async throws {
    let payload = try folder.file("payload", "text")
    let store = try OfflineStore(folder: folder.url("store"))
    try store.add(.upload(file: payload, to: "https://a.test/"))
    for file in files(below: "store") where file.lastPathComponent == name {
      ForeignFiles.give(file)
    }
    let report = try await OfflineStore(folder: folder.url("store"))
      .replay { _ in .fulfilled(.of(200)) }.value
    #expect(report.delivered.isEmpty)
    #expect(report.quarantined.map(\.reason) == [reason])
  }

  @Test(
    .enabled(if: ForeignFiles.canBeMade, "only root can give files away"),
    arguments: [false, true])
  func responsesOfAnotherUserAreNotServed(givesBodyOnly: Bool) async throws {
    let body = String(repeating: "x", count: 40_000)
    let transport = FakeTransport { _ in .response(200, ["Cache-Control": "max-age=1000"], body) }
    for source in [Response.Source.network, .cache, .network, .cache] {
      if transport.requests.count == 1, source == .network {
        for file in files(below: "cache") where !givesBodyOnly || file.pathExtension == "body" {
          ForeignFiles.give(file)
        }
      }
      let cache = HTTPCache(folder: folder.url("cache"), memory: nil)
      let response = try await Networking.caching(in: cache, over: transport)
        .request(.get("/a")).value
      #expect(response.source == source && response.data == Data(body.utf8))
      await cache.flush()
    }
    #expect(transport.requests.count == 2)
  }

  // MARK: Disks without owners

  #if os(Linux)
    @Test(.enabled(if: ForeignFiles.canBeMade, "only root can give files away"))
    func stateOnADiskWithoutOwnersIsRead() throws {
      let key = TokenKey(clientID: "app")
      let token = OAuth2Token(accessToken: "a")
      #expect(chmod(folder.url.path, 0o777) == 0)
      try ForeignFiles.withoutOwners {
        let store = try FileTokenStore(folder.url("tokens"))
        try store.setToken(token, for: key)
        #expect(try FileTokenStore(folder.url("tokens")).token(for: key) == token)
        // A partial download goes on in the same file.
        let path = folder.url("part").path
        let number = try OwnFile(path, creating: 0o600).status.identity
        #expect(try OwnFile(path, creating: 0o600).status.identity == number)
        try HiddenFile.write(["a": 1], to: folder.url("state").path)
        #expect(
          try HiddenFile.read([String: Int].self, from: folder.url("state").path) == ["a": 1])
      }
      #expect(folder.names == ["part", "state", "tokens", "tokens.lock"])
      // Where owners are kept, the same files are those of another user.
      #expect(throws: OAuth2Error.self) {
        try FileTokenStore(folder.url("tokens")).token(for: key)
      }
    }
  #endif
}
