import CatenaSystem
import Foundation

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
