import CatenaSystem
import Foundation

/// A store in `UserDefaults`, for tokens that other apps of the device may not read but backups may.
///
/// The tokens are not encrypted. Prefer the keychain on Apple platforms, and an encrypted
/// ``FileTokenStore`` elsewhere. It excludes other sessions of this process during a refresh, but
/// not other processes.
public final class UserDefaultsTokenStore: TokenStoring {
  /// A reference to `UserDefaults`, which is safe to use from several threads.
  ///
  /// `@unchecked Sendable` because `UserDefaults` protects its values, but is not marked as `Sendable` on all
  /// platforms.
  private struct Defaults: @unchecked Sendable {
    let defaults: UserDefaults
  }

  private let storage: Defaults
  private let suite: String
  private let prefix: String
  /// The locks of all stores of this process, by suite and name.
  private static let locked = Mutex<Set<String>>([])
  /// The changes of the tokens.
  public let changes = TokenChanges()

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - suite: The name of the domain. `nil` uses the standard one.
  ///   - prefix: The start of the names of the values.
  public init(suite: String? = nil, prefix: String = "OAuth2Token/") {
    storage = Defaults(defaults: suite.flatMap(UserDefaults.init(suiteName:)) ?? .standard)
    self.suite = suite ?? ""
    self.prefix = prefix
  }

  /// Returns a token.
  ///
  /// - Parameter key: The key.
  /// - Returns: The token, or `nil` if there is none.
  /// - Throws: ``OAuth2Error`` if the store cannot be read.
  public func token(for key: TokenKey) throws -> OAuth2Token? {
    guard let data = storage.defaults.data(forKey: prefix + key.description) else { return nil }
    return try TokenCoding.decode(data)
  }

  /// Stores or removes a token.
  ///
  /// - Parameters:
  ///   - token: The token. `nil` removes the token.
  ///   - key: The key.
  /// - Throws: ``OAuth2Error`` if the store cannot be written.
  public func setToken(_ token: OAuth2Token?, for key: TokenKey) throws {
    let data = try token.map(TokenCoding.encode)
    Self.locked.withLock { _ in
      if let data {
        storage.defaults.set(data, forKey: prefix + key.description)
      } else {
        storage.defaults.removeObject(forKey: prefix + key.description)
      }
    }
    // Written now, because a rotated token must survive a crash.
    guard storage.defaults.synchronize() else {
      throw OAuth2Error(.storeFailed, "the defaults cannot be written")
    }
    changes.report(key)
  }

  /// Acquires the lock for a refresh.
  ///
  /// - Parameter key: The key of the token.
  /// - Returns: The lock, or `nil` if it is held.
  public func tryLock(_ key: TokenKey) -> TokenLock? {
    let name = "\(suite)/\(prefix)\(key)"
    guard Self.locked.withLock({ $0.insert(name).inserted }) else { return nil }
    return TokenLock { Self.locked.withLock { _ = $0.remove(name) } }
  }
}

/// The encoding of a single token in a store of the system.
enum TokenCoding {
  static func encode(_ token: OAuth2Token) throws -> Data { try JSONEncoder().encode(token) }

  /// The error of the decoder is left out, because it may contain a token.
  static func decode(_ data: Data) throws -> OAuth2Token {
    guard let token = try? JSONDecoder().decode(OAuth2Token.self, from: data) else {
      throw OAuth2Error(.storeFailed, "the stored value is not a token")
    }
    return token
  }
}
