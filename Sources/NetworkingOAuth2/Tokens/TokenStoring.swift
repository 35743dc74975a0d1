import Foundation
import Synchronization

/// The owner of a token: the user, or the client itself.
public enum TokenLevel: String, Sendable, Hashable, Codable, CaseIterable {
  /// A token that acts for a user.
  case user
  /// A token that acts for the client, from client credentials.
  case client
}

/// The key of a token in a store.
public struct TokenKey: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The identifier of the client.
  public var clientID: String
  /// The URL of the token endpoint, without a default port and a fragment.
  ///
  /// Another server, and another realm of a server, may have a client with the same identifier.
  public var server: String
  /// The owner of the token.
  public var level: TokenLevel
  /// The name of the account, for apps with several users.
  public var account: String

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - clientID: The identifier of the client.
  ///   - server: The URL of the token endpoint.
  ///   - level: The owner of the token.
  ///   - account: The name of the account.
  public init(
    clientID: String, server: String = "", level: TokenLevel = .user, account: String = ""
  ) {
    self.clientID = clientID
    self.server = server
    self.level = level
    self.account = account
  }

  /// The parts of the key, percent-encoded and separated by slashes.
  public var description: String {
    [clientID, server, level.rawValue, account].map { part in
      part.addingPercentEncoding(withAllowedCharacters: Self.plain) ?? ""
    }.joined(separator: "/")
  }

  private static let plain = CharacterSet.urlPathAllowed.subtracting(
    CharacterSet(charactersIn: "/"))

  /// A number that is the same in every process, for the names of lock files.
  ///
  /// Two keys with the same number share a lock.
  var stableHash: UInt64 {
    // FNV-1a, because the hash of Swift differs from process to process.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for part in [clientID, server, level.rawValue, account] {
      for byte in Array(part.utf8) + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    return hash
  }
}

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

/// The lock of a token, which is released by ``release()`` or at the end of its lifetime.
public final class TokenLock: Sendable {
  private let onRelease: Mutex<(@Sendable () -> Void)?>

  /// Creates a lock that is held.
  ///
  /// - Parameter onRelease: A closure that releases the lock. It runs once.
  public init(onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = Mutex(onRelease)
  }

  deinit {
    release()
  }

  /// Releases the lock.
  ///
  /// Repeated calls are no-ops.
  public func release() {
    onRelease.withLock { $0.take() }?()
  }
}

/// A store in memory, for tests and for tokens that must not outlive the process.
///
/// ```swift
/// let session = OAuth2Session(client, store: .memory)
/// ```
public final class MemoryTokenStore: TokenStoring {
  private struct State {
    var tokens: [TokenKey: OAuth2Token]
    var locked: Set<TokenKey> = []
  }

  private let state: Mutex<State>
  /// The changes of the tokens.
  public let changes = TokenChanges()

  /// Creates a store.
  ///
  /// - Parameter tokens: The first tokens.
  public init(_ tokens: [TokenKey: OAuth2Token] = [:]) {
    state = Mutex(State(tokens: tokens))
  }

  /// Returns a token.
  ///
  /// - Parameter key: The key.
  /// - Returns: The token, or `nil` if there is none.
  public func token(for key: TokenKey) -> OAuth2Token? { state.withLock { $0.tokens[key] } }

  /// Stores or removes a token.
  ///
  /// - Parameters:
  ///   - token: The token. `nil` removes the token.
  ///   - key: The key.
  public func setToken(_ token: OAuth2Token?, for key: TokenKey) {
    let old = state.withLock { state in
      defer { state.tokens[key] = token }
      return state.tokens[key]
    }
    if old != token { changes.report(key) }
  }

  /// Stores a token if there is none.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - key: The key.
  /// - Returns: The token that was found, or `nil` if `token` has been stored.
  public func addToken(_ token: OAuth2Token, for key: TokenKey) -> OAuth2Token? {
    let found = state.withLock { state in
      let found = state.tokens[key]
      if found == nil { state.tokens[key] = token }
      return found
    }
    if found == nil { changes.report(key) }
    return found
  }

  /// Acquires the lock for a refresh.
  ///
  /// - Parameter key: The key of the token.
  /// - Returns: The lock, or `nil` if it is held.
  public func tryLock(_ key: TokenKey) -> TokenLock? {
    guard state.withLock({ $0.locked.insert(key).inserted }) else { return nil }
    return TokenLock { self.state.withLock { _ = $0.locked.remove(key) } }
  }
}

extension TokenStoring where Self == MemoryTokenStore {
  /// A new store in memory.
  public static var memory: MemoryTokenStore { MemoryTokenStore() }
}
