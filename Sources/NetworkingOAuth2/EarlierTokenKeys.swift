import CatenaSystem
import Foundation
import Networking
import Synchronization

/// A store that also finds tokens under the keys that this framework used before, and moves them.
///
/// Such a key has the host and the port of the token endpoint alone, so all realms of a server had one
/// token. Nothing in it names the endpoint. A realm takes the token
/// - if its ID token, or its access token as signed claims, names the issuer of the client, which is a proof;
/// - without a proof, if no second realm is known: this process has had no session of another realm with this
///   client identifier, and no realm has stored or removed a token of its own while the earlier one was there.
///
/// Otherwise nobody takes it: the user has to sign in, and the token stays until a proof claims it. It then
/// has the member ``needsProof``, which tells other processes. A sign-in, a refresh or a sign-out removes
/// the tokens of its realm only. A token that names another issuer than that of the client is left alone.
struct EarlierTokenKeys: TokenStoring {
  /// The realms of which a process knows, by host and client.
  final class Realms: Sendable {
    private enum Known: Equatable {
      case one(server: String)
      case several
    }

    /// The realms of the sessions of this process.
    static let shared = Realms()

    private let known = Mutex<[TokenKey: Known]>([:])

    /// Adds the realm of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - earlier: The earlier key.
    func add(_ key: TokenKey, of earlier: TokenKey) {
      let id = Self.withoutUser(earlier)
      known.withLock { known in
        let realm = Known.one(server: key.server)
        known[id] = known[id] == nil || known[id] == realm ? realm : .several
      }
    }

    /// Returns whether no second realm is known.
    func areOnly(_ key: TokenKey, of earlier: TokenKey) -> Bool {
      known.withLock { $0[Self.withoutUser(earlier)] == .one(server: key.server) }
    }

    private static func withoutUser(_ key: TokenKey) -> TokenKey {
      TokenKey(clientID: key.clientID, server: key.server)
    }
  }

  /// The member of a token that only a proof moves.
  static let needsProof = "catena_needs_proof"
  /// The number of milliseconds for which a change waits for the lock of another process.
  private static let lockLimit = 1_000

  private let store: any TokenStoring
  private let issuer: String?
  private let realms: Realms

  /// Makes the store of a client.
  ///
  /// - Parameters:
  ///   - store: The store of the tokens.
  ///   - client: The registration, whose realm is known from now on.
  ///   - realms: The known realms.
  init(_ store: any TokenStoring, for client: OAuth2Client, among realms: Realms = .shared) {
    self.store = store
    self.realms = realms
    issuer = client.issuer
    let key = TokenKey(for: client)
    for earlier in Self.earlier(key) { realms.add(key, of: earlier) }
  }

  var changes: TokenChanges { store.changes }

  func token(for key: TokenKey) throws -> OAuth2Token? {
    if let token = try store.token(for: key) { return token }
    for earlier in try found(key) {
      let moved = try withLock(earlier) { () -> OAuth2Token? in
        // Another process may have moved it.
        if let token = try store.token(for: key) { return token }
        guard let token = try store.token(for: earlier) else { return nil }
        guard mayTake(token, earlier, for: key) else {
          try requireProof(token, earlier)
          return nil
        }
        // In this order, so that a crash loses no token.
        try store.setToken(Self.plain(token), for: key)
        try store.setToken(nil, for: earlier)
        return Self.plain(token)
      }
      if let moved { return moved }
    }
    return nil
  }

  func setToken(_ token: OAuth2Token?, for key: TokenKey) throws {
    guard token == nil else {
      try store.setToken(token, for: key)
      try? endClaims(of: key)
      return
    }
    // A removal begins with the earlier token. Otherwise a crash would bring that token back.
    let ending = Result { try endClaims(of: key) }
    try store.setToken(nil, for: key)
    try ending.get()
  }

  func addToken(_ token: OAuth2Token, for key: TokenKey) throws -> OAuth2Token? {
    if let found = try self.token(for: key) { return found }
    return try store.addToken(token, for: key)
  }

  func tryLock(_ key: TokenKey) throws -> TokenLock? { try store.tryLock(key) }

  // MARK: Claims

  /// Returns whether a token is that of the client's issuer, or `nil` if that is not known.
  private func isProven(_ token: OAuth2Token) -> Bool? {
    guard let issuer else { return nil }
    // Many access tokens are signed claims, too.
    return [token.idToken, token.accessToken].lazy.compactMap(\.self)
      .compactMap(IDTokenClaims.issuer).first.map { $0 == issuer }
  }

  private func mayTake(_ token: OAuth2Token, _ earlier: TokenKey, for key: TokenKey) -> Bool {
    isProven(token)
      ?? (token.other[Self.needsProof] == nil && realms.areOnly(key, of: earlier))
  }

  /// Removes the earlier token of a realm that gets a token, or loses its own.
  ///
  /// A token that may be that of another realm stays, and this realm does not take it later: after a
  /// sign-out no token may come back.
  private func endClaims(of key: TokenKey) throws {
    for earlier in try found(key) {
      try withLock(earlier) {
        guard let token = try store.token(for: earlier) else { return }
        let own = try store.token(for: key)
        // The same token is left by a crash in the middle of its move.
        let isSame = own == nil || own == Self.plain(token)
        if mayTake(token, earlier, for: key), isProven(token) ?? isSame {
          try store.setToken(nil, for: earlier)
        } else {
          try requireProof(token, earlier)
        }
      }
    }
  }

  /// Notes in a token without a proof that it may be that of another realm.
  private func requireProof(_ token: OAuth2Token, _ earlier: TokenKey) throws {
    guard isProven(token) == nil, token.other[Self.needsProof] == nil else { return }
    var noted = token
    noted.other[Self.needsProof] = true
    try store.setToken(noted, for: earlier)
  }

  /// Returns a token as it was stored at first.
  private static func plain(_ token: OAuth2Token) -> OAuth2Token {
    var plain = token
    plain.other[needsProof] = nil
    return plain
  }

  // MARK: Earlier keys

  /// Returns the earlier keys of a key that have a token.
  private func found(_ key: TokenKey) throws -> [TokenKey] {
    try Self.earlier(key).filter { try store.token(for: $0) != nil }
  }

  /// The keys for the URL of a token endpoint, with a port as it was written.
  private static func earlier(_ key: TokenKey) -> [TokenKey] {
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

  /// Runs a closure while no other process changes an earlier token.
  ///
  /// A lock that is held for longer is that of a version which refreshes under the earlier key, or of a
  /// store with one lock for all keys, which this session holds. The closure then runs without it.
  private func withLock<Value>(_ key: TokenKey, _ body: () throws -> Value) throws -> Value {
    var lock = try store.tryLock(key)
    var rounds = 0
    while lock == nil, rounds < Self.lockLimit {
      usleep(1_000)
      rounds += 1
      lock = try store.tryLock(key)
    }
    defer { lock?.release() }
    return try body()
  }
}
