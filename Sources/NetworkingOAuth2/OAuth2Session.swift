import CatenaSystem
import Foundation
import Networking
public import Promises

/// A session with an authorization server, which stores its tokens and refreshes them.
///
/// ```swift
/// let session = OAuth2Session(client, store: .keychain(service: "com.example.shop"))
/// try await session.signIn(.authorizationCode(.browser)).value
/// shop.authorize(with: session)
/// session.signedOut.done { showLogin() }
/// ```
///
/// - **One refresh.** All requests, clients and processes with the same store refresh a token once.
///   Requests that are made during a refresh wait for it, and each is sent once.
/// - **Before the expiry.** A token is refreshed 60 seconds or a tenth of its life before it expires.
/// - **After a rejection** (401 by default) a request is sent once more with a new token. If the
///   rejected token is not the current one any more, nothing is refreshed.
/// - **Refusal.** If the server refuses the refresh token with `invalid_grant`, the token is removed,
///   all requests that wait fail with the same ``OAuth2Error``, and ``signedOut`` is fulfilled.
/// - **Temporary failure.** If the server responds to a refresh with the status 408, 429, 500 or 503,
///   the refresh is repeated, not before the server's `Retry-After`, while the requests wait. It
///   is also repeated if the server cannot be reached. After a lost connection, or the status 502 or 504
///   of a gateway, it is not, because the server may have used up the refresh token.
/// - **Failure.** If a refresh fails for another reason, or in all repetitions, the token is kept, and
///   the requests that wait fail with the error, such as `temporarilyUnavailable`. The next request
///   tries again.
/// - **Cancellation** of requests does not cancel a refresh, so that a rotated refresh token is not
///   lost.
/// - **Users.** A request belongs to the sign-in during which it was made. After a sign-out, and after the
///   next sign-in, it is not sent any more and fails with
///   ``NetworkError/Code-swift.enum/sessionEnded``.
/// - **Levels.** The tokens of the user and those of the client are separate. A token of the client is
///   requested automatically.
///
/// All methods can be called from any thread. The session uses a client of its own, so requests of
/// the app never wait for themselves.
public final class OAuth2Session: Sendable {
  /// The registration of the app.
  public var client: OAuth2Client { context.client }
  /// The name of the account.
  public let account: String
  /// The store of the tokens.
  public let store: any TokenStoring

  let context: OAuth2Context
  private let sources: (user: TokenSource, client: TokenSource)
  private let notices = Listeners<OAuth2SessionEvent>()

  /// Creates a session.
  ///
  /// Nothing is read yet. The store is read when a token is needed for the first time.
  ///
  /// - Parameters:
  ///   - client: The registration of the app.
  ///   - store: The store of the tokens.
  ///   - account: The name of the account, for apps with several users.
  ///   - sessionConfiguration: The transport of the token requests.
  ///   - configuration: The configuration of the token requests, with the source of time of the
  ///     session. Its `retry` is the policy for temporary failures; without one there are three
  ///     repetitions. Redirects, cookies and the offline store are off.
  public convenience init(
    _ client: OAuth2Client, store: some TokenStoring, account: String = "",
    sessionConfiguration: SessionConfiguration = .default,
    configuration: NetworkingConfiguration = .default
  ) {
    self.init(
      OAuth2Context(client, over: .session(sessionConfiguration), configuration), store, account)
  }

  /// Creates a session over a transport.
  ///
  /// - Parameters:
  ///   - client: The registration of the app.
  ///   - store: The store of the tokens.
  ///   - account: The name of the account.
  ///   - transport: The transport of the token requests.
  ///   - configuration: The configuration of the token requests.
  public convenience init(
    _ client: OAuth2Client, store: some TokenStoring, account: String = "",
    transport: any Transport, configuration: NetworkingConfiguration = .default
  ) {
    self.init(OAuth2Context(client, over: .transport(transport), configuration), store, account)
  }

  private init(_ context: OAuth2Context, _ store: any TokenStoring, _ account: String) {
    self.context = context
    self.store = store
    self.account = account
    let queue = DispatchQueue(label: "Catena.OAuth2Session", qos: .userInitiated)
    let make = { [notices] (level: TokenLevel) in
      TokenSource(
        TokenKey(for: context.client, level: level, account: account), context, store,
        on: queue, report: { notices.report($0) })
    }
    sources = (make(.user), make(.client))
  }

  func source(_ level: TokenLevel) -> TokenSource {
    level == .user ? sources.user : sources.client
  }

  // MARK: Tokens

  /// Signs in with a grant, and stores its token.
  ///
  /// - Parameters:
  ///   - grant: The grant.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the token, which is fulfilled after the token has been stored. It is
  ///   rejected with ``OAuth2Error`` or ``NetworkError``; the earlier token is then kept. After a sign-out
  ///   in the meantime the code is ``NetworkError/Code-swift.enum/sessionEnded``. Cancelling it cancels
  ///   the grant.
  @discardableResult
  public func signIn(
    _ grant: OAuth2Grant, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<OAuth2Token> {
    let source = source(grant.level)
    let notices = notices
    let level = grant.level
    let signOuts = source.signOuts
    return firstly { grant.issue(context) }
      .on(context.scheduler.context(for: .inline))
      .then { token in
        let stored = try await source.signedIn(token, by: grant, after: signOuts)
        notices.report(.signedIn(level))
        return stored
      }
      .on(context.scheduler.context(for: .main), file: file, line: line)
  }

  /// Returns a promise of a token that can be used now.
  ///
  /// It is refreshed if necessary, and read from the store if it is not in memory.
  ///
  /// - Parameters:
  ///   - level: The owner of the token.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the token. It is rejected with the code `signInRequired` of
  ///   ``OAuth2Error`` if there is none, and with the error of the refresh. Cancelling it does not
  ///   affect other callers.
  public func token(
    _ level: TokenLevel = .user, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<OAuth2Token> {
    source(level).token().on(context.scheduler.context(for: .main), file: file, line: line)
  }

  /// Refreshes the token even if it has not expired, for example after a change of the user's rights.
  ///
  /// Several calls at once share one refresh.
  ///
  /// - Parameters:
  ///   - level: The owner of the token.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the new token.
  @discardableResult
  public func refresh(
    _ level: TokenLevel = .user, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<OAuth2Token> {
    source(level).refreshedToken().on(
      context.scheduler.context(for: .main), file: file, line: line)
  }

  /// The token in memory.
  ///
  /// `nil` if there is none, or if the store has not been read yet. It may have expired.
  ///
  /// - Parameter level: The owner of the token.
  /// - Returns: The token.
  public func currentToken(_ level: TokenLevel = .user) -> OAuth2Token? {
    source(level).currentToken
  }

  /// Signs the user out: removes the tokens of both levels from memory and from the store.
  ///
  /// The session of the user has ended when this method returns. Requests that were made before are not sent
  /// any more, and neither a refresh in flight nor a sign-in that has begun before stores a token. Later
  /// requests do not use the token of the store, even if it cannot be removed.
  ///
  /// - Parameters:
  ///   - revoking: Whether the server revokes the tokens, if the client has a revocation endpoint. A
  ///     failure of the revocation is ignored, because the tokens are removed already.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise that is fulfilled after the tokens have been removed and revoked. It is
  ///   rejected if the store cannot be changed.
  @discardableResult
  public func signOut(
    revoking: Bool = true, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Void> {
    let (sources, context) = (sources, context)
    let begun = (sources.user.beginSignOut(), sources.client.beginSignOut())
    return Promise.fulfilled(()).on(context.scheduler.context(for: .inline))
      .then { () async throws in
        let user = try await sources.user.finish(begun.0)
        let client = try await sources.client.finish(begun.1)
        guard revoking, context.client.revocationURL != nil else { return }
        for token in [user, client].compactMap({ $0 }) {
          _ = try? await Self.revoke(token, context).value
        }
      }
      .on(context.scheduler.context(for: .main), file: file, line: line)
  }

  // MARK: Notices

  /// A promise that is fulfilled when the user is signed out, by ``signOut(revoking:file:line:)``, by the server
  /// or, while there is a listener for ``events``, by another process.
  ///
  /// After the sign-out every read returns a fulfilled promise, until there is a token again. So read the
  /// property once for each sign-in, after it, and not in a handler of an earlier promise. Before the
  /// first sign-in the promise is pending. It is rejected as cancelled when the session is released.
  public var signedOut: Promise<Void> { sources.user.signedOut }

  /// The events of the session from now on.
  ///
  /// While there is a listener, changes of the store by other processes are noticed.
  public var events: AsyncStream<OAuth2SessionEvent> {
    let (sources, context, changes) = (sources, context, store.changes)
    // Weak, because the store has the listener, and the session has the store.
    let listener = changes.listen { [weak user = sources.user, weak client = sources.client] key in
      for source in [user, client].compactMap({ $0 }) where source.key == key {
        Promise.fulfilled(source).on(context.scheduler.context(for: .inline)).then { source in
          try await source.reload()
        }
        .always(on: .inline) { _ in }
      }
    }
    return notices.stream { changes.remove(listener) }
  }
}

extension OAuth2Session: CustomStringConvertible, CustomReflectable {
  /// The identifier of the client and the name of the account.
  public var description: String { "OAuth2Session(\(client.id), \(account))" }

  /// A mirror without the store and the tokens.
  public var customMirror: Mirror {
    Mirror(self, children: ["client": client.id, "account": account])
  }
}
