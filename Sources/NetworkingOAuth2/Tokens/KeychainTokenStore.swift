#if canImport(Security)
  import CatenaSystem
  public import Foundation
  import Networking
  import Security

  /// A store in the keychain of an Apple platform.
  ///
  /// ```swift
  /// let store = KeychainTokenStore(service: "com.example.shop", accessGroup: "ABCDE.com.example")
  /// ```
  ///
  /// Each token is a generic password of the service, available after the first unlock and on this
  /// device only. An app and its extensions share tokens by an access group. To refresh once for
  /// all of them, give a folder of their app group for the lock.
  public final class KeychainTokenStore: TokenStoring {
    private let service: String
    private let accessGroup: String?
    private let lockFolder: URL
    /// The changes of the tokens.
    public let changes = TokenChanges()

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - service: The name of the service.
    ///   - accessGroup: The access group. `nil` uses that of the app.
    ///   - lockFolder: The folder of the leases for refreshes. No file in it is locked while a request is
    ///     on the network. `nil` uses the temporary folder of the app.
    public init(service: String, accessGroup: String? = nil, lockFolder: URL? = nil) {
      self.service = service
      self.accessGroup = accessGroup
      self.lockFolder = lockFolder ?? FileManager.default.temporaryDirectory
    }

    /// Returns a token.
    ///
    /// - Parameter key: The key.
    /// - Returns: The token, or `nil` if there is none.
    /// - Throws: ``OAuth2Error`` if the store cannot be read.
    public func token(for key: TokenKey) throws -> OAuth2Token? {
      var query = item(key)
      query[kSecReturnData as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne
      var result: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let data = result as? Data else { throw Self.error(status) }
      return try TokenCoding.decode(data)
    }

    /// Stores or removes a token.
    ///
    /// - Parameters:
    ///   - token: The token. `nil` removes the token.
    ///   - key: The key.
    /// - Throws: ``OAuth2Error`` if the store cannot be written.
    public func setToken(_ token: OAuth2Token?, for key: TokenKey) throws {
      guard let token else {
        let status = SecItemDelete(item(key) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
          throw Self.error(status)
        }
        changes.report(key)
        return
      }
      let data = try TokenCoding.encode(token)
      let change = [kSecValueData as String: data] as CFDictionary
      var status = SecItemUpdate(item(key) as CFDictionary, change)
      if status == errSecItemNotFound { status = add(data, key) }
      guard status == errSecSuccess else { throw Self.error(status) }
      changes.report(key)
    }

    /// Stores a token if there is none.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - key: The key.
    /// - Returns: The token that was found, or `nil` if `token` has been stored.
    /// - Throws: ``OAuth2Error`` if the store cannot be read or written.
    public func addToken(_ token: OAuth2Token, for key: TokenKey) throws -> OAuth2Token? {
      let status = add(try TokenCoding.encode(token), key)
      if status == errSecDuplicateItem { return try self.token(for: key) }
      guard status == errSecSuccess else { throw Self.error(status) }
      changes.report(key)
      return nil
    }

    /// Acquires the lock for a refresh.
    ///
    /// - Parameter key: The key of the token.
    /// - Returns: The lock, or `nil` if it is held.
    /// - Throws: ``OAuth2Error`` if the lock cannot be used.
    public func tryLock(_ key: TokenKey) throws -> TokenLock? {
      try OAuth2Error.converting {
        let name = String(TokenKey(clientID: service + key.description).stableHash, radix: 16)
        let path = lockFolder.appendingPathComponent("oauth2-\(name).lock").path
        return try FileLease(taking: path).map(TokenLock.init)
      }
    }

    private func add(_ data: Data, _ key: TokenKey) -> OSStatus {
      var query = item(key)
      query[kSecValueData as String] = data
      query[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
      return SecItemAdd(query as CFDictionary, nil)
    }

    private func item(_ key: TokenKey) -> [String: Any] {
      var query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: service,
        kSecAttrAccount as String: key.description,
        kSecUseDataProtectionKeychain as String: true,
      ]
      if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
      return query
    }

    private static func error(_ status: OSStatus) -> OAuth2Error {
      OAuth2Error(.storeFailed, "the keychain responded with \(status)")
    }
  }

  extension TokenStoring where Self == KeychainTokenStore {
    /// A store in the keychain.
    ///
    /// - Parameters:
    ///   - service: The name of the service.
    ///   - accessGroup: The access group. `nil` uses that of the app.
    /// - Returns: The store.
    public static func keychain(service: String, accessGroup: String? = nil) -> KeychainTokenStore {
      KeychainTokenStore(service: service, accessGroup: accessGroup)
    }
  }
#endif
