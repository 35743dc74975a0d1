import CatenaSystem
public import Foundation
import Networking
public import Promises

/// A store in a file, which only its owner can read, and which several processes can share.
///
/// ```swift
/// let store = try FileTokenStore(file, encryptedWith: .bytes(key))
/// ```
///
/// - **Atomic.** A change writes a new file, synchronizes it to disk and renames it. After a crash
///   at any time the file has the old tokens or the new ones. An empty file has no tokens.
/// - **Locks.** Files beside it, with the extension `lock`, exclude other processes while a process
///   writes, and while it refreshes a token. During a refresh no file is locked: the process has a lease,
///   which it renews, and which ends with the process, or half a minute after the system has suspended it.
/// - **Encryption** by AES-256-GCM detects a change of any byte. Without a key the file is JSON.
/// - **Owner.** A file of another user is an error and is not read, except one of root, and except on a disk
///   on which all files have the same owner, such as exFAT or CIFS.
/// - **Changes** of other processes are noticed within a second, while there is a listener.
///
/// All methods block. Errors have the codes `storeFailed` and `decryptionFailed` of
/// ``OAuth2Error``.
public final class FileTokenStore: TokenStoring {
  /// The content of the file.
  private struct Content: Codable {
    struct Entry: Codable, Equatable {
      var key: TokenKey
      var token: OAuth2Token
    }

    /// The version of the format.
    var version = 1
    var tokens: [Entry] = []

    subscript(key: TokenKey) -> OAuth2Token? {
      get { tokens.first { $0.key == key }?.token }
      set {
        tokens.removeAll { $0.key == key }
        if let newValue { tokens.append(Entry(key: key, token: newValue)) }
      }
    }
  }

  /// The limit for the length of the file, in bytes, which no set of tokens reaches.
  private static let maximumLength = 16 << 20

  /// The changes of the tokens, by this process and by others.
  public let changes: TokenChanges

  private let path: String
  private let fileSystem: FileSystem
  private let cipher: TokenCipher?
  private let watch: TokenFileWatch

  /// Opens a store.
  ///
  /// Nothing is read or written yet. The folder and the file are created when a token is stored.
  ///
  /// - Parameters:
  ///   - url: The URL of the file.
  ///   - key: The key of the encryption. `nil` stores the tokens in clear.
  ///   - scheduler: The source of time for noticing the changes of other processes.
  /// - Throws: ``OAuth2Error`` with the code `storeFailed` if it is not a file URL.
  public convenience init(
    _ url: URL, encryptedWith key: TokenEncryptionKey? = nil, scheduler: any Scheduler = .live
  ) throws {
    try self.init(url, key, scheduler, FileSystem())
  }

  package convenience init(
    _ url: URL, encryptedWith key: TokenEncryptionKey? = nil,
    beforeOperation: @escaping @Sendable (_ step: String) -> Void
  ) throws {
    try self.init(url, key, .live, FileSystem(beforeOperation: beforeOperation))
  }

  private init(
    _ url: URL, _ key: TokenEncryptionKey?, _ scheduler: any Scheduler, _ fileSystem: FileSystem
  ) throws {
    guard url.isFileURL else {
      throw OAuth2Error(.storeFailed, "the URL of the token file is not a file URL")
    }
    path = url.standardizedFileURL.path
    self.fileSystem = fileSystem
    cipher = key.map(TokenCipher.init)
    let watch = TokenFileWatch(path, scheduler: scheduler)
    self.watch = watch
    changes = TokenChanges { isUsed in isUsed ? watch.start() : watch.stop() }
    watch.onChange = { [weak self] isFirst in self?.reportChanges(isFirst) ?? true }
  }

  deinit {
    watch.stop()
  }

  /// Returns a token.
  ///
  /// - Parameter key: The key.
  /// - Returns: The token, or `nil` if there is none.
  /// - Throws: ``OAuth2Error`` if the store cannot be read.
  public func token(for key: TokenKey) throws -> OAuth2Token? { try read()[key] }

  /// Stores or removes a token.
  ///
  /// - Parameters:
  ///   - token: The token. `nil` removes the token.
  ///   - key: The key.
  /// - Throws: ``OAuth2Error`` if the store cannot be written.
  public func setToken(_ token: OAuth2Token?, for key: TokenKey) throws {
    if try update({ $0[key] = token }) { changes.report(key) }
  }

  /// Stores a token if there is none.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - key: The key.
  /// - Returns: The token that was found, or `nil` if `token` has been stored.
  /// - Throws: ``OAuth2Error`` if the store cannot be read or written.
  public func addToken(_ token: OAuth2Token, for key: TokenKey) throws -> OAuth2Token? {
    var found: OAuth2Token?
    let isChanged = try update { content in
      found = content[key]
      if found == nil { content[key] = token }
    }
    if isChanged { changes.report(key) }
    return found
  }

  /// Acquires the lock for a refresh.
  ///
  /// - Parameter key: The key of the token.
  /// - Returns: The lock, or `nil` if it is held.
  /// - Throws: ``OAuth2Error`` if the lock cannot be used.
  public func tryLock(_ key: TokenKey) throws -> TokenLock? {
    try OAuth2Error.converting {
      try fileSystem.createDirectories(folder)
      let name = String(key.stableHash, radix: 16)
      return try FileLease(taking: "\(path).\(name).lock").map(TokenLock.init)
    }
  }

  /// The keys of all tokens in the file.
  ///
  /// - Throws: ``OAuth2Error`` if the file cannot be read.
  public func keys() throws -> [TokenKey] { try read().tokens.map(\.key) }

  /// Removes the file with all tokens, even if it cannot be read.
  ///
  /// - Throws: ``OAuth2Error`` with the code `storeFailed` if it cannot be removed.
  public func removeAll() throws {
    let keys = (try? keys()) ?? []
    try OAuth2Error.converting {
      try fileSystem.createDirectories(folder)
      let lock = try FileLock(waitingFor: "\(path).lock")
      try fileSystem.remove(path)
      try fileSystem.synchronize(folder)
      withExtendedLifetime(lock) {}
    }
    for key in keys { changes.report(key) }
  }

  private var folder: String { FilePath.split(path).folder }

  private func read() throws -> Content {
    try OAuth2Error.converting {
      guard var data = try fileSystem.read(path, limit: Self.maximumLength) else {
        return Content()
      }
      if let cipher { data = try cipher.open(data) }
      guard let content = try? JSONDecoder().decode(Content.self, from: data) else {
        // The error of the decoder is left out, because it may contain a token.
        throw error("is not a token file")
      }
      guard content.version == 1 else { throw error("has an unknown version") }
      return content
    }
  }

  /// Changes the content under the lock.
  ///
  /// - Returns: Whether the file has been written.
  private func update(_ change: (inout Content) -> Void) throws -> Bool {
    var foreignKeys: [TokenKey] = []
    defer { for key in foreignKeys { changes.report(key) } }
    return try OAuth2Error.converting {
      try fileSystem.createDirectories(folder)
      let lock = try FileLock(waitingFor: "\(path).lock")
      let found = try read()
      var content = found
      change(&content)
      guard content.tokens != found.tokens else { return false }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      var data = try encoder.encode(content)
      if let cipher { data = try cipher.seal(data) }
      try fileSystem.replace(path, with: data)
      foreignKeys = watch.noteOwnChange(
        from: found.tokens.map { ($0.key, $0.token) },
        to: content.tokens.map { ($0.key, $0.token) })
      withExtendedLifetime(lock) {}
      return true
    }
  }

  /// Reports the tokens that another process has changed.
  ///
  /// - Parameter isFirst: Whether the tokens are those at the start, which are not changes.
  /// - Returns: Whether the file could be read.
  private func reportChanges(_ isFirst: Bool) -> Bool {
    guard let content = try? read() else { return false }
    let keys = watch.changedKeys(content.tokens.map { ($0.key, $0.token) })
    if !isFirst { for key in keys { changes.report(key) } }
    return true
  }

  private func error(_ reason: String) -> OAuth2Error {
    OAuth2Error(.storeFailed, "\(FilePath.split(path).name) \(reason)")
  }
}

extension FileTokenStore: BrieflyDescribed {}

extension TokenStoring where Self == FileTokenStore {
  /// A store in a file; see ``FileTokenStore/init(_:encryptedWith:scheduler:)``.
  ///
  /// - Parameters:
  ///   - url: The URL of the file.
  ///   - key: The key of the encryption. `nil` stores the tokens in clear.
  /// - Returns: The store.
  /// - Throws: ``OAuth2Error`` with the code `storeFailed` if it is not a file URL.
  public static func file(_ url: URL, encryptedWith key: TokenEncryptionKey? = nil) throws
    -> FileTokenStore
  {
    try FileTokenStore(url, encryptedWith: key)
  }
}
