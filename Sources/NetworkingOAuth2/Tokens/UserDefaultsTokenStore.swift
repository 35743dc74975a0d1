import CatenaSystem
import Foundation

/// A store in `UserDefaults`, for tokens that other apps of the device may not read but backups may.
///
/// The tokens are not encrypted. Prefer the keychain on Apple platforms, and an encrypted
/// ``FileTokenStore`` elsewhere. It excludes other sessions of this process during a refresh, but
/// not other processes.
///
/// After a restart of a device, the system can start an app before the user unlocks the device. User
/// defaults then read as empty. A store that had tokens before throws ``OAuth2Error`` with the code
/// `storeFailed` until the device is unlocked, and at most until the process ends; it changes nothing.
/// To recognize this, it keeps another value with the tokens, and a file in the folder for application
/// data.
public final class UserDefaultsTokenStore: TokenStoring {
  private let defaults: ReadableDefaults
  private let domain: String
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
  public convenience init(suite: String? = nil, prefix: String = "OAuth2Token/") {
    let domain = "\(suite ?? "")/\(prefix)"
    self.init(DefaultsSource(suite: suite, marker: domain), domain: domain, prefix: prefix)
  }

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - source: The values.
  ///   - domain: The name of the domain and the prefix.
  ///   - prefix: The start of the names of the values.
  init(_ source: DefaultsSource, domain: String, prefix: String = "") {
    // The name of a token has slashes.
    defaults = ReadableDefaults(source, domain: domain, canary: "\(prefix)CatenaCanary")
    self.domain = domain
    self.prefix = prefix
  }

  /// Returns a token.
  ///
  /// - Parameter key: The key.
  /// - Returns: The token, or `nil` if there is none.
  /// - Throws: ``OAuth2Error`` if the store cannot be read.
  public func token(for key: TokenKey) throws -> OAuth2Token? {
    try defaults.value(prefix + key.description).map(TokenCoding.decode)
  }

  /// Stores or removes a token.
  ///
  /// - Parameters:
  ///   - token: The token. `nil` removes the token.
  ///   - key: The key.
  /// - Throws: ``OAuth2Error`` if the store cannot be read or written.
  public func setToken(_ token: OAuth2Token?, for key: TokenKey) throws {
    try defaults.setValue(token.map(TokenCoding.encode), prefix + key.description)
    changes.report(key)
  }

  /// Acquires the lock for a refresh.
  ///
  /// - Parameter key: The key of the token.
  /// - Returns: The lock, or `nil` if it is held.
  public func tryLock(_ key: TokenKey) -> TokenLock? {
    let name = "\(domain)\(key)"
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
