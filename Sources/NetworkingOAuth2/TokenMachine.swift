import Foundation
import Networking
import Promises

/// The state of the token of one level in a session: the token, and the callers that wait for it.
///
/// Its methods take an event and return the actions. The session performs them after unlocking.
struct TokenMachine {
  /// A token and the parts of it that each request needs.
  ///
  /// A class, because a copy of the token for each request would copy all its texts.
  final class Current: Sendable {
    let token: OAuth2Token
    /// The value of the `Authorization` field.
    ///
    /// `nil` for a token that is not a bearer token.
    let value: String?
    /// The times at which the token can be used.
    let freshness: ClosedRange<Date>

    /// A text that all tokens of the sign-in have in common.
    ///
    /// A token that the app has stored itself has only its own text.
    let identity: String

    static func identity(of token: OAuth2Token) -> String {
      token.signInID.map { "sign-in \($0)" } ?? token.accessToken
    }

    init(_ token: OAuth2Token, _ level: TokenLevel) {
      self.token = token
      value = token.authorizationValue
      identity = Self.identity(of: token)
      freshness = token.freshness(canBeRenewed: level == .client)
    }
  }

  /// The next step of a caller that needs a token.
  enum Action {
    /// Use this token.
    case use(OAuth2Token)
    /// Wait for the running renewal.
    case wait
    /// Start a renewal, and wait for it.
    case start(Renewal)
    /// Fail with the error that has ended the session of the rejected token.
    case fail(OAuth2Error)
  }

  /// A renewal: reading the store, and refreshing the token unless the store has a better one.
  struct Renewal: Sendable {
    /// The number of sign-ins and sign-outs before it.
    var generation: Int
    /// The access tokens that the server has rejected, or that the caller wants to replace.
    var rejected: Set<String>
  }

  /// A token that could not be stored, and the token of the store that it replaces.
  struct Unsaved: Sendable {
    var token: OAuth2Token
    var replaced: OAuth2Token?
  }

  /// The promise of the end of a sign-in.
  private enum SignOutNotice {
    /// Nobody waits for the end.
    case idle
    case awaited(Promise<Void>, Resolver<Void>)
    /// The sign-in has ended, and there is no token since.
    case given
  }

  private let level: TokenLevel
  /// The token in memory.
  ///
  /// `nil` before the first renewal, and after a sign-out.
  private(set) var current: Current?
  private(set) var unsaved: Unsaved?
  /// The session of the current user.
  private(set) var userSession = UserSession()
  /// The identity of the user of the session, which outlasts the token.
  ///
  /// `nil` until there is a token.
  private var user: String?
  /// The access tokens of the sign-in before the current one, oldest first.
  private var earlierTokens: [String] = []
  /// The access tokens of a sign-in that has ended, and the error of its last refresh.
  private var ended: (accessTokens: [String], error: OAuth2Error)?
  /// Whether the current token was rejected for a request that could not be sent again.
  private var isRejected = false
  private var isRenewing = false
  private var generation = 0
  /// The number of sign-ins, and that of the sign-outs that end the sign-ins begun before them.
  private(set) var (signIns, signOuts) = (0, 0)
  /// Whether the store may still have the token from before a sign-out, which is not used.
  private var isSigningOut = false
  private var waiting: [Resolver<OAuth2Token>] = []
  private var signOutNotice = SignOutNotice.idle

  init(_ level: TokenLevel = .user) {
    self.level = level
  }

  /// Fast path: the value of the field, if the token can be used now.
  func value(at now: Date) -> String? {
    guard !isRenewing, !isRejected, let current, current.freshness.contains(now) else { return nil }
    return current.value
  }

  /// Handles a caller that needs a token.
  ///
  /// - Parameters:
  ///   - rejected: The access token that the server has rejected. `nil` if there is none.
  ///   - now: The time.
  ///   - resolver: The resolver of the caller, which is kept while it waits.
  /// - Returns: The next step of the caller.
  mutating func request(
    replacing rejected: String?, at now: Date, _ resolver: @autoclosure () -> Resolver<OAuth2Token>
  ) -> Action {
    if isRenewing {
      waiting.append(resolver())
      return .wait
    }
    if let ended, let rejected, ended.accessTokens.contains(rejected), current == nil {
      return .fail(ended.error)
    }
    let isReplaced = rejected == current?.token.accessToken || isRejected
    if let current, !isReplaced, current.freshness.contains(now) { return .use(current.token) }
    isRenewing = true
    waiting.append(resolver())
    var values: Set<String> = []
    if let rejected { values.insert(rejected) }
    if isRejected, let current { values.insert(current.token.accessToken) }
    return .start(makeRenewal(replacing: values))
  }

  /// Makes a renewal that a later sign-in or sign-out makes invalid.
  func makeRenewal(replacing rejected: Set<String> = []) -> Renewal {
    Renewal(generation: generation, rejected: rejected)
  }

  /// Returns whether an access token is one of the current sign-in, or of the one that has ended by
  /// itself, so that the newest token of this sign-in may replace it.
  func isOfThisSignIn(_ accessToken: String) -> Bool {
    isCurrent(accessToken) || earlierTokens.contains(accessToken)
      || ended?.accessTokens.contains(accessToken) == true
  }

  /// Returns whether an access token is the current one.
  func isCurrent(_ accessToken: String) -> Bool { current?.token.accessToken == accessToken }

  /// Records that the server has rejected an access token for a request that is not sent again.
  mutating func reject(_ accessToken: String) {
    if isCurrent(accessToken) { isRejected = true }
  }

  /// Records a token of the store or of the server.
  ///
  /// - Parameters:
  ///   - token: The token. `nil` if there is none.
  ///   - renewal: The renewal that has found it. `nil` for a sign-in.
  ///   - replaced: The token of the store that has been refreshed. `nil` if the token comes from the store.
  /// - Returns: Whether the token is used. It is not after a sign-out in the meantime.
  mutating func adopt(
    _ token: OAuth2Token?, from renewal: Renewal?, refreshing replaced: OAuth2Token? = nil
  ) -> Bool {
    if let renewal, !isValid(renewal) { return false }
    let next = token.map { Current($0, level) }
    if let next {
      let before = replaced.map { Current.identity(of: $0) } ?? next.identity
      // Another process may have signed in as another user. All tokens of a client are of one user.
      if level == .user, let user, user != next.identity, user != before { startSession() }
      user = next.identity
    }
    if token?.accessToken != current?.token.accessToken {
      isRejected = false
      noteEarlier(before: next)
    }
    current = next
    guard current != nil else { return true }
    ended = nil
    if case .given = signOutNotice { signOutNotice = .idle }
    return true
  }

  /// The number of earlier tokens whose rejection is still understood.
  private static let earlierLimit = 16

  private mutating func noteEarlier(before next: Current?) {
    guard let current, next == nil || next?.identity == current.identity else {
      earlierTokens = []
      return
    }
    earlierTokens = (earlierTokens + [current.token.accessToken]).suffix(Self.earlierLimit)
  }

  /// Returns whether there was no sign-in and no sign-out since a renewal began, and the token of the
  /// store is not one from before a sign-out.
  func isValid(_ renewal: Renewal) -> Bool { renewal.generation == generation && !isSigningOut }

  /// Ends the session of the user before another user has a token.
  private mutating func startSession() {
    userSession.end()
    userSession = UserSession()
    user = nil
  }

  /// Records the token of a sign-in.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - hadToken: Whether the store had a token before.
  mutating func signIn(_ token: OAuth2Token, replacingStored hadToken: Bool = false) {
    if user != nil || hadToken { startSession() }
    generation += 1
    signIns += 1
    isSigningOut = false
    unsaved = nil
    _ = adopt(token, from: nil)
  }

  /// Drops the token because the server has refused to refresh it.
  ///
  /// Requests with this token whose responses arrive later fail with the same error.
  ///
  /// - Returns: Whether the session ends. It does not after a sign-out in the meantime.
  mutating func drop(from renewal: Renewal, because error: OAuth2Error) -> Bool {
    guard isValid(renewal) else { return false }
    unsaved = nil
    _ = adopt(nil, from: renewal)
    if !earlierTokens.isEmpty { ended = (earlierTokens, error) }
    earlierTokens = []
    return true
  }

  /// Records a token that could not be stored, or that none is left.
  mutating func keepUnsaved(_ unsaved: Unsaved?) {
    self.unsaved = unsaved
  }

  /// Ends the renewal, and returns the callers that waited for it.
  mutating func endRenewal() -> [Resolver<OAuth2Token>] {
    isRenewing = false
    defer { waiting = [] }
    return waiting
  }

  /// Returns the promise of the end of the sign-in.
  ///
  /// - Parameter pending: A promise for the first caller that waits for the end.
  /// - Returns: That promise or an earlier one. `nil` if the sign-in has ended.
  mutating func awaitSignOut(
    _ pending: (promise: Promise<Void>, resolver: Resolver<Void>)
  ) -> Promise<Void>? {
    switch signOutNotice {
    case .given: return nil
    case .awaited(let promise, _): return promise
    case .idle:
      signOutNotice = .awaited(pending.promise, pending.resolver)
      return pending.promise
    }
  }

  /// Records that the sign-in has ended.
  ///
  /// - Returns: The resolver of the promise of the end, if there is one.
  mutating func noteSignOut() -> Resolver<Void>? {
    defer { signOutNotice = .given }
    return if case .awaited(_, let resolver) = signOutNotice { resolver } else { nil }
  }

  /// Drops the token, and begins a sign-out: refuses the token of the store until
  /// ``finishSignOut()``, and the sign-ins that have begun.
  ///
  /// - Returns: The resolver of the promise of the end of the sign-in, if there is one.
  mutating func beginSignOut() -> Resolver<Void>? {
    signOuts += 1
    // A token of the client belongs to no user.
    isSigningOut = level == .user
    return signOut() ? noteSignOut() : nil
  }

  /// Ends a sign-out after the token has been removed from the store.
  mutating func finishSignOut() {
    isSigningOut = false
    // A renewal of a client may have read the token before.
    _ = signOut()
  }

  /// Drops the token.
  ///
  /// - Returns: Whether there was one.
  mutating func signOut() -> Bool {
    startSession()
    generation += 1
    isRejected = false
    unsaved = nil
    ended = nil
    earlierTokens = []
    defer { current = nil }
    return current != nil
  }
}
