import Foundation
import Promises

/// The state of the token of one level in a session: the token, and the callers that wait for it.
///
/// Its methods take an event and return the actions. The session performs them after unlocking.
struct TokenMachine {
  /// A token and the parts of it that each request needs.
  struct Current {
    let token: OAuth2Token
    /// The value of the `Authorization` field.
    ///
    /// `nil` for a token that is not a bearer token.
    let value: String?
    /// The times at which the token can be used.
    let freshness: ClosedRange<Date>

    /// A text that all tokens of the sign-in have in common.
    ///
    /// A token of an earlier version of this framework has only its own text.
    var identity: String { token.signInID.map { "sign-in \($0)" } ?? token.accessToken }

    init(_ token: OAuth2Token) {
      self.token = token
      value = token.authorizationValue
      freshness = token.freshness
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
    /// The number of sign-outs before it.
    var generation: Int
    /// The access tokens that the server has rejected, or that the caller wants to replace.
    var rejected: Set<String>
  }

  /// A token that could not be stored, and the token of the store that it replaces.
  struct Unsaved: Sendable {
    var token: OAuth2Token
    var replaced: OAuth2Token?
  }

  /// The token in memory.
  ///
  /// `nil` before the first renewal, and after a sign-out.
  private(set) var current: Current?
  private(set) var unsaved: Unsaved?
  /// The last access token, and the error of its refresh, after the session has ended.
  private var ended: (accessToken: String, error: OAuth2Error)?
  /// Whether the current token was rejected for a request that could not be sent again.
  private var isRejected = false
  private var isRenewing = false
  private var generation = 0
  private var waiting: [Resolver<OAuth2Token>] = []

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
    if let ended, ended.accessToken == rejected, current == nil { return .fail(ended.error) }
    let isReplaced = rejected == current?.token.accessToken || isRejected
    if let current, !isReplaced, current.freshness.contains(now) { return .use(current.token) }
    isRenewing = true
    waiting.append(resolver())
    var values: Set<String> = []
    if let rejected { values.insert(rejected) }
    if isRejected, let current { values.insert(current.token.accessToken) }
    return .start(makeRenewal(replacing: values))
  }

  /// Makes a renewal that a later sign-out makes invalid.
  func makeRenewal(replacing rejected: Set<String> = []) -> Renewal {
    Renewal(generation: generation, rejected: rejected)
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
  /// - Returns: Whether the token is used. It is not after a sign-out in the meantime.
  mutating func adopt(_ token: OAuth2Token?, from renewal: Renewal?) -> Bool {
    if let renewal, renewal.generation != generation { return false }
    if token?.accessToken != current?.token.accessToken { isRejected = false }
    current = token.map(Current.init)
    if current != nil { ended = nil }
    return true
  }

  /// Drops the token because the server has refused to refresh it.
  ///
  /// Requests with this token whose responses arrive later fail with the same error.
  ///
  /// - Returns: Whether the session ends. It does not after a sign-out in the meantime.
  mutating func drop(from renewal: Renewal, because error: OAuth2Error) -> Bool {
    unsaved = nil
    let accessToken = current?.token.accessToken
    guard adopt(nil, from: renewal) else { return false }
    if let accessToken { ended = (accessToken, error) }
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

  /// Drops the token.
  ///
  /// - Returns: Whether there was one.
  mutating func signOut() -> Bool {
    generation += 1
    isRejected = false
    unsaved = nil
    ended = nil
    defer { current = nil }
    return current != nil
  }
}
