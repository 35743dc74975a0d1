import CatenaSystem
import Foundation

/// A store of tokens.
///
/// A session calls the methods on a background queue, so they may block. They can be called from
/// any thread, and by several sessions and processes at once.
public protocol TokenStoring: Sendable {
  /// Returns a token.
  ///
  /// - Parameter key: The key.
  /// - Returns: The token, or `nil` if there is none.
  /// - Throws: An error if the store cannot be read. A missing token is not an error.
  func token(for key: TokenKey) throws -> OAuth2Token?

  /// Stores or removes a token.
  ///
  /// After a crash in the middle of the call, the store has the old token or the new one.
  ///
  /// - Parameters:
  ///   - token: The token. `nil` removes the token.
  ///   - key: The key.
  /// - Throws: An error if the store cannot be written. The token is then unchanged.
  func setToken(_ token: OAuth2Token?, for key: TokenKey) throws

  /// Stores a token if there is none.
  ///
  /// The default reads and writes, and is not atomic.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - key: The key.
  /// - Returns: The token that was found, or `nil` if `token` has been stored.
  /// - Throws: An error if the store cannot be read or written.
  func addToken(_ token: OAuth2Token, for key: TokenKey) throws -> OAuth2Token?

  /// Acquires the lock that a session holds while it refreshes a token, so that sessions and
  /// processes with the same store refresh once.
  ///
  /// The default does not lock.
  ///
  /// - Parameter key: The key of the token.
  /// - Returns: The lock, or `nil` if it is held. A session then tries again.
  /// - Throws: An error if the lock cannot be used.
  func tryLock(_ key: TokenKey) throws -> TokenLock?

  /// The changes of the tokens in this store.
  ///
  /// The default reports none.
  var changes: TokenChanges { get }
}

extension TokenStoring {
  /// Stores a token if there is none.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - key: The key.
  /// - Returns: The token that was found, or `nil` if `token` has been stored.
  /// - Throws: ``OAuth2Error`` if the store cannot be read or written.
  public func addToken(_ token: OAuth2Token, for key: TokenKey) throws -> OAuth2Token? {
    if let found = try self.token(for: key) { return found }
    try setToken(token, for: key)
    return nil
  }

  /// Acquires the lock for a refresh.
  ///
  /// - Parameter key: The key of the token.
  /// - Returns: The lock, or `nil` if it is held.
  /// - Throws: ``OAuth2Error`` if the lock cannot be used.
  public func tryLock(_ key: TokenKey) throws -> TokenLock? { TokenLock {} }

  /// The changes of the tokens.
  public var changes: TokenChanges { TokenChanges() }
}

extension TokenStoring where Self == MemoryTokenStore {
  /// A new store in memory.
  public static var memory: MemoryTokenStore { MemoryTokenStore() }
}
