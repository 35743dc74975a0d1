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
  /// device only. Before that, each method throws ``OAuth2Error`` with the code `storeFailed`. An app and
  /// its extensions share tokens by an access group. To refresh once for all of them, give a folder of
  /// their app group for the lock.
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
      try item(key).data().map(TokenCoding.decode)
    }

    /// Stores or removes a token.
    ///
    /// - Parameters:
    ///   - token: The token. `nil` removes the token.
    ///   - key: The key.
    /// - Throws: ``OAuth2Error`` if the store cannot be written.
    public func setToken(_ token: OAuth2Token?, for key: TokenKey) throws {
      try item(key).set(token.map(TokenCoding.encode))
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
      let found = try item(key).addIfMissing(TokenCoding.encode(token)).map(TokenCoding.decode)
      if found == nil { changes.report(key) }
      return found
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

    private func item(_ key: TokenKey) -> KeychainItem {
      let query = query(key)
      return KeychainItem(
        accessGroup: accessGroup,
        read: {
          var query = query
          query[kSecReturnData as String] = true
          query[kSecMatchLimit as String] = kSecMatchLimitOne
          var result: CFTypeRef?
          let status = SecItemCopyMatching(query as CFDictionary, &result)
          return (status, result as? Data)
        },
        add: { data in
          var query = query
          query[kSecValueData as String] = data
          query[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
          return SecItemAdd(query as CFDictionary, nil)
        },
        update: { data in
          SecItemUpdate(query as CFDictionary, [kSecValueData as String: data] as CFDictionary)
        },
        delete: { SecItemDelete(query as CFDictionary) })
    }

    private func query(_ key: TokenKey) -> [String: Any] {
      var query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: service,
        kSecAttrAccount as String: key.description,
        kSecUseDataProtectionKeychain as String: true,
      ]
      if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
      return query
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
