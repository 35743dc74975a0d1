import Foundation

/// The tokens of a store under the keys that this framework used before.
///
/// Such a key has the host and the port of the token endpoint alone, so all realms of a server had one
/// token. Only the realm that has issued it may use it. If the token does not name it, or the client does
/// not know its issuer, it is that of the first session that asks for it.
struct EarlierTokenKeys: TokenStoring {
  private let store: any TokenStoring
  private let issuer: String?

  private init(_ store: any TokenStoring, issuer: String?) {
    self.store = store
    self.issuer = issuer
  }

  /// Returns a store that moves each token of a client from its earlier key when it is first used.
  static func moved(in store: some TokenStoring, for client: OAuth2Client) -> any TokenStoring {
    MigratingTokenStore(from: EarlierTokenKeys(store, issuer: client.issuer), to: store)
  }

  func token(for key: TokenKey) throws -> OAuth2Token? {
    for key in earlier(key) {
      guard let token = try store.token(for: key) else { continue }
      // Many access tokens are signed claims, too.
      let named = [token.idToken, token.accessToken].lazy.compactMap(\.self)
        .compactMap(IDTokenClaims.issuer).first
      if issuer == nil || named == nil || named == issuer { return token }
    }
    return nil
  }

  func setToken(_ token: OAuth2Token?, for key: TokenKey) throws {
    for key in earlier(key) where try store.token(for: key) != nil {
      try store.setToken(token, for: key)
    }
  }

  /// The keys for the URL of a token endpoint, with a port as it was written.
  private func earlier(_ key: TokenKey) -> [TokenKey] {
    guard let url = URL(reference: key.server), let host = url.host, let origin = Origin(url) else {
      return []
    }
    let servers = url.port == nil ? ["", ":\(origin.port)"] : [":\(origin.port)"]
    return servers.map { port in
      var earlier = key
      earlier.server = host.lowercased() + port
      return earlier
    }
  }
}
