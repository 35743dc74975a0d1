import CatenaSystem
import Foundation
import Networking
import Promises

/// The source of the tokens of one level of a session, which renews them once for all callers.
///
/// A renewal holds the lock of the store, so that other sessions and processes wait for it and then
/// find its token in the store. It never is cancelled: a server that rotates refresh tokens has used
/// up the old one, so the new one must be stored.
final class TokenSource: Sendable {
  /// An event for the listeners of the session.
  typealias Event = OAuth2SessionEvent

  /// The time in which a renewal with the lock begins repetitions.
  private static let repetitionLimit = Duration.seconds(180)

  let key: TokenKey
  let context: OAuth2Context
  let store: any TokenStoring
  private let queue: DispatchQueue
  let report: @Sendable (Event) -> Void
  let machine: Mutex<TokenMachine>
  /// Whether a renewal, a sign-in or a sign-out of this session changes the token.
  ///
  /// The lock of the store need not exclude them, because a store may have none.
  let isChanging = Atomic(false)
  /// The grant of the last sign-in of the level `client`, which gets the next token.
  let clientGrant = Mutex<OAuth2Grant?>(nil)

  init(
    _ key: TokenKey, _ context: OAuth2Context, _ store: any TokenStoring, on queue: DispatchQueue,
    report: @escaping @Sendable (Event) -> Void
  ) {
    self.key = key
    machine = Mutex(TokenMachine(key.level))
    self.context = context
    self.store = store
    self.queue = queue
    self.report = report
  }

  deinit {
    // Rejected as cancelled, so that it is not reported as abandoned.
    machine.withLock { $0.noteSignOut() }?.reject(CancellationError())
  }

  /// A promise that is fulfilled when the sign-in ends, or already if there is no token since its end.
  var signedOut: Promise<Void> {
    let pending = Promise<Void>.pending(file: "the end of the sign-in", line: 0)
    let awaited = machine.withLock { $0.awaitSignOut(pending) }
    if awaited == nil {
      pending.resolver.fulfill()
    } else if awaited !== pending.promise {
      pending.resolver.reject(CancellationError())
    }
    // Another promise for each caller, so that cancelling one does not affect the others.
    return (awaited ?? pending.promise).map {}
  }

  /// Fast path: the value of the `Authorization` field, if the token can be used now.
  var currentValue: String? {
    let now = context.wallClock()
    return machine.withLock { $0.value(at: now) }
  }

  /// The token in memory.
  var currentToken: OAuth2Token? { machine.withLock { $0.current?.token } }

  /// A text that all tokens of one sign-in have in common, and that no other sign-in has.
  ///
  /// `nil` if there is no token in memory.
  var identity: String? { machine.withLock { $0.current?.identity } }

  /// The session of the current user.
  var userSession: UserSession { machine.withLock { $0.userSession } }

  /// The number of sign-outs, for a sign-in that begins now.
  var signOuts: Int { machine.withLock { $0.signOuts } }

  /// Reads the token of the store, unless there is one in memory.
  ///
  /// - Returns: A promise that is fulfilled afterwards, even if the store cannot be read.
  func load() -> Promise<Void> {
    let (store, key) = (store, key)
    let renewal = machine.withLock { $0.current == nil ? $0.makeRenewal() : nil }
    guard let renewal else { return .fulfilled(()) }
    return Promise<OAuth2Token?>(on: context.scheduler.context(for: .queue(queue))) {
      try store.token(for: key)
    }
    .map(on: .inline) { stored in
      self.machine.withLock { machine in
        if let stored, machine.current == nil { _ = machine.adopt(stored, from: renewal) }
      }
    }
    .recover(on: .inline) { _ in }
  }

  /// Returns a promise of a token that can be used, which is renewed if necessary.
  ///
  /// - Parameter rejected: An access token that the server has rejected. Another token is not renewed
  ///   again.
  /// - Returns: The promise. Cancelling it does not affect other callers.
  func token(replacing rejected: String? = nil) -> Promise<OAuth2Token> {
    let now = context.wallClock()
    let pending = Promise<OAuth2Token>.pending(
      on: context.scheduler.context(for: .inline), file: "a new token of the OAuth2 session",
      line: 0)
    let action = machine.withLock { $0.request(replacing: rejected, at: now, pending.resolver) }
    switch action {
    case .use(let token): pending.resolver.fulfill(token)
    case .wait: break
    case .start(let renewal): start(renewal)
    case .fail(let error): pending.resolver.reject(error)
    }
    return pending.promise
  }

  /// Returns whether an access token is one of the current sign-in.
  func isOfThisSignIn(_ accessToken: String) -> Bool {
    machine.withLock { $0.isOfThisSignIn(accessToken) }
  }

  /// Records that the server has rejected an access token for a request that is not sent again.
  func reject(_ accessToken: String) {
    machine.withLock { $0.reject(accessToken) }
  }

  private func start(_ renewal: TokenMachine.Renewal) {
    // Outside of the caller's scope, so that its cancellation and its marks do not apply.
    HandlerScope.outside {
      let inline = context.scheduler.context(for: .inline)
      Promise.fulfilled(renewal).on(inline).then { renewal in
        try await self.renew(renewal)
      }
      .always(on: .inline) { result in
        let waiting = self.machine.withLock { $0.endRenewal() }
        for resolver in waiting { resolver.resolve(result) }
      }
    }
  }

  // MARK: Renewal

  /// Renews the token, again if another process has taken over the lease of the lock.
  private func renew(_ renewal: TokenMachine.Renewal) async throws -> OAuth2Token {
    while true {
      do {
        return try await renewOnce(renewal)
      } catch let error as OAuth2Error where error.underlying is FileLease.Lost {
        // The token is that of the other process, which may have used the refresh token.
      }
    }
  }

  private func renewOnce(_ renewal: TokenMachine.Renewal) async throws -> OAuth2Token {
    let stored = try await latestToken()
    if let stored, isUsable(stored, for: renewal) { return try adopt(stored, renewal) }
    // Without a token there is nothing that other sessions have to be excluded from.
    if stored == nil, key.level == .user, !machine.withLock({ $0.current != nil }) {
      throw OAuth2Error(.signInRequired)
    }
    let lock = try await lock { try await self.usableToken(for: renewal) }
    guard case .acquired(let lock) = lock else {
      guard case .found(let token) = lock else { throw OAuth2Error(.signInRequired) }
      return token
    }
    // Released after the new token has been stored, on every path.
    defer { lock.release() }
    // Nothing is requested after a sign-out during the wait.
    try checkValid(renewal)
    // Another process may have renewed the token before the lock was acquired.
    let latest = try await latestToken()
    if let latest, isUsable(latest, for: renewal) { return try adopt(latest, renewal) }
    let lockQueue = context.scheduler.context(for: .queue(queue))
    let checkLock = { @Sendable in
      Promise<Void>(on: lockQueue) { try OAuth2Error.converting(lock.renew) }
    }
    do {
      var context = context
      // No refresh is sent after a sign-out, nor after another process has taken over the lease.
      context.mayRepeat = { self.isValid(renewal) }
      context.checkLock = checkLock
      context.repetitionEnd = context.scheduler.now + Self.repetitionLimit
      let issued = try await issue(replacing: latest, in: context)
      try checkValid(renewal)
      try IDTokenClaims.check(issued.idToken, continues: latest?.idToken)
      var fresh = issued.replacing(key.level == .user ? latest : nil)
      fresh.signInID = latest?.signInID ?? fresh.signInID
      let found = try await save(fresh, replacing: latest, renewal).map { try changedElsewhere($0) }
      let token = try adopt(found ?? fresh, renewal, refreshing: found == nil ? latest : nil)
      report(.refreshed(key.level))
      return token
    } catch let error as OAuth2Error where endsSession(error) && isValid(renewal) {
      let found: OAuth2Token?
      do {
        // After the loss of the lock, another process may have used the refresh token.
        try await checkLock().value
        found = try await drop(latest, for: renewal, error)
      } catch {
        report(.refreshFailed(key.level, error))
        throw error
      }
      guard let found else { throw error }
      report(.refreshed(key.level))
      return found
    } catch {
      report(.refreshFailed(key.level, error))
      throw error
    }
  }

  private func isValid(_ renewal: TokenMachine.Renewal) -> Bool {
    machine.withLock { $0.isValid(renewal) }
  }

  /// Throws if there was a sign-in or a sign-out since a renewal began.
  private func checkValid(_ renewal: TokenMachine.Renewal) throws {
    if !isValid(renewal) { throw OAuth2Error(.signInRequired, "the session has ended") }
  }

  /// Returns whether an error means that the stored token is of no more use.
  private func endsSession(_ error: OAuth2Error) -> Bool {
    key.level == .user && (error.isInvalidGrant || error.code == .signInRequired)
  }

  /// Gets a new token from the server.
  private func issue(
    replacing latest: OAuth2Token?, in context: OAuth2Context
  ) async throws -> OAuth2Token {
    if key.level == .client {
      report(.refreshing(key.level))
      if let refreshToken = latest?.refreshToken {
        do {
          return try await OAuth2Grant.refreshToken(refreshToken).issue(context).value
        } catch let error as OAuth2Error where error.isInvalidGrant {
          // The client does not need it to get a token.
        }
      }
      let grant = clientGrant.withLock { $0 } ?? .clientCredentials
      return try await grant.issue(context).value
    }
    guard let latest else { throw OAuth2Error(.signInRequired) }
    guard let refreshToken = latest.refreshToken else {
      throw OAuth2Error(.signInRequired, "the token has ended, and there is no refresh token")
    }
    report(.refreshing(key.level))
    return try await OAuth2Grant.refreshToken(refreshToken).issue(context).value
  }

  /// Removes a token that the server has refused to refresh.
  ///
  /// - Returns: The token that another process has stored in the meantime, if any.
  private func drop(
    _ refused: OAuth2Token?, for renewal: TokenMachine.Renewal, _ error: OAuth2Error
  ) async throws -> OAuth2Token? {
    let (store, key, report) = (store, key, report)
    let found = try await onQueue { () -> OAuth2Token? in
      // A store without a lock may have been changed.
      if let found = try store.token(for: key), found.refreshToken != refused?.refreshToken {
        return found
      }
      // A store that cannot be written must not hide that the user has to sign in.
      do { try store.setToken(nil, for: key) } catch { report(.storeFailed(error)) }
      return nil
    }
    if let found, isUsable(found, for: renewal) { return try adopt(found, renewal) }
    let hadToken = refused != nil || currentToken != nil
    let (hasEnded, awaiting) = machine.withLock { machine in
      let hasEnded = machine.drop(from: renewal, because: error) && hadToken
      return (hasEnded, hasEnded ? machine.noteSignOut() : nil)
    }
    report(hasEnded ? .signedOut(error) : .refreshFailed(key.level, error))
    awaiting?.fulfill()
    return nil
  }

  /// Returns the token of the store if it can be used, and adopts it.
  private func usableToken(for renewal: TokenMachine.Renewal) async throws -> OAuth2Token? {
    guard let token = try await latestToken(), isUsable(token, for: renewal) else { return nil }
    return try adopt(token, renewal)
  }

  private func isUsable(_ token: OAuth2Token, for renewal: TokenMachine.Renewal) -> Bool {
    token.freshness(canBeRenewed: key.level == .client).contains(context.wallClock())
      && !renewal.rejected.contains(token.accessToken)
  }

  /// Returns the token of the store, or the one that could not be stored.
  private func latestToken() async throws -> OAuth2Token? {
    let unsaved = machine.withLock { $0.unsaved }
    let (store, key) = (store, key)
    return try await onQueue { () -> OAuth2Token? in
      let stored = try store.token(for: key)
      // If another process has stored a token since, that one is newer.
      if let unsaved, stored == unsaved.replaced { return unsaved.token }
      return stored
    }
  }

  private func adopt(
    _ token: OAuth2Token, _ renewal: TokenMachine.Renewal, refreshing replaced: OAuth2Token? = nil
  ) throws -> OAuth2Token {
    guard machine.withLock({ $0.adopt(token, from: renewal, refreshing: replaced) }) else {
      throw OAuth2Error(.signInRequired, "the session has ended")
    }
    return token
  }

  /// Stores a refreshed token, unless a sign-out or another sign-in has changed the store in the
  /// meantime.
  ///
  /// The lock of the store excludes this, but not every store has one, and another process can take over
  /// the lease of a process that is suspended. A failure does not lose the
  /// token: it is used from memory, and stored with the next one.
  ///
  /// - Returns: The different content of the store, which is kept. `nil` if the token is used.
  private func save(
    _ token: OAuth2Token, replacing replaced: OAuth2Token?, _ renewal: TokenMachine.Renewal
  ) async throws -> StoreContent? {
    let (store, key) = (store, key)
    let unsaved = machine.withLock { $0.unsaved }
    let expected = unsaved?.token == replaced ? unsaved?.replaced : replaced
    do {
      let changed = try await onQueue { () -> StoreContent? in
        if key.level == .user, let expected {
          let found = try store.token(for: key)
          guard let found, found.signInID == expected.signInID else { return .init(token: found) }
          // Another process has taken over the lease, and has refreshed the same token.
          if found != expected, self.isUsable(found, for: renewal) { return .init(token: found) }
        }
        try store.setToken(token, for: key)
        return nil
      }
      if changed == nil { machine.withLock { $0.keepUnsaved(nil) } }
      return changed
    } catch {
      machine.withLock { machine in
        // The store still has the token before the first one that could not be stored.
        let first = machine.unsaved.map(\.replaced) ?? replaced
        machine.keepUnsaved(TokenMachine.Unsaved(token: token, replaced: first))
      }
      report(.storeFailed(error))
      return nil
    }
  }

  /// The content of the store after a change by another process.
  private struct StoreContent: Sendable {
    let token: OAuth2Token?
  }

  /// Returns the token of a sign-in elsewhere.
  ///
  /// - Throws: ``NetworkError`` with the code `sessionEnded` if there was none.
  private func changedElsewhere(_ content: StoreContent) throws -> OAuth2Token {
    if let token = content.token, token.freshness(canBeRenewed: false).contains(context.wallClock())
    {
      return token
    }
    let (had, awaiting) = machine.withLock { machine in
      machine.signOut() ? (true, machine.noteSignOut()) : (false, nil)
    }
    if had { report(.signedOut(nil)) }
    awaiting?.fulfill()
    throw NetworkError.sessionEnded(nil)
  }

  /// Returns a promise of a token that is renewed even if the current one can be used.
  func refreshedToken() -> Promise<OAuth2Token> {
    load().then(on: .inline) {
      self.currentToken.map { self.token(replacing: $0.accessToken) } ?? self.token()
    }
  }

  // MARK: The store

  /// Runs a closure that blocks on the queue of the session.
  func onQueue<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let context = context.scheduler.context(for: .queue(queue))
    return try await Promise<Value>(on: context) { try OAuth2Error.converting(body) }.value
  }
}
