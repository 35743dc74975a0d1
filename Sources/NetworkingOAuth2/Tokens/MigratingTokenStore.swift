import CatenaSystem
import Foundation

/// A store that moves each token from an old store to a new one when it is first used.
///
/// ```swift
/// let store = MigratingTokenStore(from: oldStore, to: .keychain(service: "com.example.shop"))
/// let session = OAuth2Session(client, store: store)
/// ```
///
/// A token is removed from the old store only after the new one has it. So after a crash at any
/// time at least one store has the token, and the next use continues. The token of the new store
/// always takes precedence, also if the old store cannot be read or changed any more.
public final class MigratingTokenStore<Old: TokenStoring, New: TokenStoring>: TokenStoring {
  private let old: Old
  private let new: New
  /// The keys whose old tokens have been removed.
  private let moved = Mutex<Set<TokenKey>>([])

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - old: The store that the tokens leave.
  ///   - new: The store that the tokens enter.
  public init(from old: Old, to new: New) {
    self.old = old
    self.new = new
  }

  /// The changes of the new store.
  public var changes: TokenChanges { new.changes }

  /// Returns a token.
  ///
  /// - Parameter key: The key.
  /// - Returns: The token, or `nil` if there is none.
  /// - Throws: ``OAuth2Error`` if the store cannot be read.
  public func token(for key: TokenKey) throws -> OAuth2Token? {
    if let token = try new.token(for: key) {
      try? removeOld(key)
      return token
    }
    guard !moved.withLock({ $0.contains(key) }), let token = try old.token(for: key) else {
      return nil
    }
    if let found = try new.addToken(token, for: key) {
      try? removeOld(key)
      return found
    }
    // If the old token is gone, another process has moved it, and may have removed it since.
    guard try old.token(for: key) == token else {
      if try new.token(for: key) == token { try new.setToken(nil, for: key) }
      return try new.token(for: key)
    }
    try? removeOld(key)
    return token
  }

  /// Stores or removes a token.
  ///
  /// - Parameters:
  ///   - token: The token. `nil` removes the token.
  ///   - key: The key.
  /// - Throws: ``OAuth2Error`` if the new store cannot be written, or if the old one keeps a token
  ///   that is to be removed.
  public func setToken(_ token: OAuth2Token?, for key: TokenKey) throws {
    guard token == nil else {
      try new.setToken(token, for: key)
      try? removeOld(key)
      return
    }
    // A removal begins with the old store. Otherwise a crash would bring the old token back.
    let removal = Result { try removeOld(key) }
    try new.setToken(nil, for: key)
    try removal.get()
  }

  /// Stores a token if there is none.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - key: The key.
  /// - Returns: The token that was found, or `nil` if `token` has been stored.
  /// - Throws: ``OAuth2Error`` if the store cannot be read or written.
  public func addToken(_ token: OAuth2Token, for key: TokenKey) throws -> OAuth2Token? {
    if let found = try self.token(for: key) { return found }
    return try new.addToken(token, for: key)
  }

  /// Acquires the lock for a refresh.
  ///
  /// - Parameter key: The key of the token.
  /// - Returns: The lock, or `nil` if it is held.
  /// - Throws: ``OAuth2Error`` if the lock cannot be used.
  public func tryLock(_ key: TokenKey) throws -> TokenLock? { try new.tryLock(key) }

  /// Moves tokens now, for example before an old store is deleted.
  ///
  /// It blocks. A crash in the middle loses no token; the next call continues.
  ///
  /// - Parameter keys: The keys of the tokens.
  /// - Returns: The number of tokens that the new store has.
  /// - Throws: The errors of the stores.
  @discardableResult
  public func moveTokens(for keys: [TokenKey]) throws -> Int {
    try keys.count { try token(for: $0) != nil }
  }

  private func removeOld(_ key: TokenKey) throws {
    guard !moved.withLock({ $0.contains(key) }) else { return }
    if try old.token(for: key) != nil { try old.setToken(nil, for: key) }
    moved.withLock { _ = $0.insert(key) }
  }
}
