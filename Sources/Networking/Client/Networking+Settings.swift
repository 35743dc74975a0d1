import CatenaSystem
public import Foundation
public import Promises

extension Networking {
  /// The client's cookies.
  ///
  /// `nil` if it has none; see ``NetworkingConfiguration/cookies``.
  public var cookieJar: CookieJar? { runner.cookies?.jar }

  /// The execution context of handlers that do not specify one.
  ///
  /// The default is `.main`.
  public var callbackContext: ExecutionContext {
    get { settings.withLock { $0.settings.callbackContext } }
    set { change { $0.callbackContext = newValue } }
  }

  /// A hook that changes each request before it is added to the queue.
  ///
  /// `nil` means none.
  ///
  /// It runs on the caller's thread, in a transfer or a replay on any other.
  public var beforeEach: (@Sendable (_ request: Request) -> Request)? {
    get { settings.withLock { $0.settings.beforeEach } }
    set { change { $0.beforeEach = newValue } }
  }

  /// A hook that changes the wire form of each request when the request starts.
  ///
  /// `nil` means none.
  ///
  /// It runs on the caller's thread, or on the thread on which an earlier request ended, but never
  /// on the main queue. It must not block. An error that it throws rejects the request.
  public var preProcessRequest: (@Sendable (_ request: HTTPRequest) throws -> HTTPRequest)? {
    get { settings.withLock { $0.settings.preProcessRequest } }
    set { change { $0.preProcessRequest = newValue } }
  }

  /// A hook whose promise must be fulfilled before each request is sent.
  ///
  /// `nil` means none.
  ///
  /// It runs when the request has reached the head of the queue. It does not run for requests that
  /// are ``RequestOption/notIntercepted``, so it may make such a request with the same client.
  /// Credentials that it sets with `authenticate`, before its promise is fulfilled, apply to the
  /// request that waits for it. They are those of the same user: they do not end a session.
  ///
  /// ```swift
  /// networking.middleware = { request, networking in
  ///   tokens.current().tap { token in networking.authenticate(bearerToken: token) }.asVoid()
  /// }
  /// ```
  ///
  /// It receives the request, and the client that sends it: this one, or a ``copy()`` that has the same
  /// hook. A closure that uses this argument does not retain the client.
  ///
  /// If the promise is rejected, the request is rejected with the same error. The wait counts
  /// towards the limit of the call, ``Request/timeout`` or ``NetworkingConfiguration/callTimeout``.
  /// On timeout the request frees its place in the queue and is rejected with `timedOut(.call)`. The
  /// error names the middleware. The hook's promise is cancelled unless it has other consumers.
  /// Without a limit a promise that never settles keeps the place of its request.
  public var middleware:
    (@Sendable (_ request: Request, _ networking: Networking) -> Promise<Void>)?
  {
    get { settings.withLock { $0.settings.middleware } }
    set {
      let hook = newValue.map {
        hook -> @Sendable (Request, any CredentialSource) -> Promise<Void> in
        { request, client in (client as? Networking).map { hook(request, $0) } ?? .fulfilled(()) }
      }
      change { $0.middleware = hook }
    }
  }

  /// The interceptors, of which there may be some at each ``InterceptorLevel``.
  ///
  /// The default is none.
  ///
  /// ```swift
  /// networking.interceptors.append(refresh)
  /// networking.interceptors.append(
  ///   RequestAdapter { request in
  ///     var request = request
  ///     request.headers["X-Signature"] = signature(of: request)
  ///     return request
  ///   }, at: .hop)
  /// ```
  ///
  /// Assigning a list replaces the interceptors of all levels. A change applies to the calls made from
  /// then on. The error of a call that times out names an interceptor that does not call back. Calls
  /// that share an exchange (see ``NetworkingConfiguration/sharesRequests``) have the same interceptors
  /// of attempts and hops, which run once for all of them.
  public var interceptors: InterceptorList {
    get { settings.withLock { $0.settings.interceptors } }
    set { change { $0.interceptors = newValue } }
  }

  /// The base URL of the requests: that of the client, or else that of the endpoint type.
  ///
  /// Setting it overrides the base URLs of all endpoints, for example with that of a staging server.
  /// `nil` restores those of the endpoints. A client and its copies have the same base URL.
  ///
  /// A base URL that depends on a setting of the program is a computed `static var baseURL` of the
  /// endpoint type, which is read for each request.
  public var baseURL: URL? {
    get { try? effectiveBaseURL() }
    set {
      if let sessionOwner { return sessionOwner.baseURL = newValue }
      change { $0.baseURL = newValue }
      bindCredentials()
    }
  }

  /// Overrides the base URLs of all endpoints, like ``baseURL``.
  ///
  /// ```swift
  /// networking.setBaseURL("https://staging.example.com/v1")
  /// ```
  ///
  /// - Parameter baseURL: The base URL, such as a literal.
  public func setBaseURL(_ baseURL: BaseURL) { self.baseURL = baseURL.url }

  /// Overrides the base URLs of all endpoints, like ``baseURL``.
  ///
  /// - Parameter url: The base URL. `nil` restores those of the endpoints.
  public func setBaseURL(_ url: URL?) { baseURL = url }

  /// Returns a client with hooks and interceptors of its own for the session of this one.
  ///
  /// ```swift
  /// let uploads = networking.copy()
  /// uploads.interceptors.append(signing, at: .hop)   // does not affect `networking`
  /// ```
  ///
  /// - **Shared** are the queue with its ``RequestMode``, the transport and its connections, the
  ///   configuration, the cookies, the base URL, the credentials and the offline store. ``baseURL``,
  ///   `authenticate`, ``suspend()``, ``resume()`` and ``cancelAllRequests()`` of one client apply to
  ///   both.
  /// - **Separate** are ``beforeEach``, ``preProcessRequest``, ``middleware``, ``interceptors``,
  ///   ``callbackContext``, ``logLevel`` and the monitors. The copy begins with those of this client. A
  ///   ``RefreshInterceptor`` still refreshes once for both clients.
  ///
  /// - Returns: The copy, which retains this client.
  public func copy() -> Networking { Networking(sharingSessionOf: self) }

  /// Stops starting requests.
  ///
  /// Running requests continue.
  public func suspend() {
    for queue in [queue, unthrottledQueue] { queue.suspend() }
  }

  /// Resumes starting requests.
  public func resume() {
    for queue in [queue, unthrottledQueue] { queue.resume() }
  }

  /// Cancels all requests of the client, waiting and running ones.
  ///
  /// A stream whose promise is fulfilled is not cancelled. Its reader ends it.
  public func cancelAllRequests() {
    for queue in [queue, unthrottledQueue] { queue.cancelAll() }
  }

  /// Changes the settings.
  ///
  /// The old settings are released after unlocking, because this may run a `deinit` of the user.
  func change(_ body: (inout ClientSettings) -> Void) {
    let old = settings.withLock { snapshot in
      let old = snapshot
      snapshot = old.updated(body)
      return old
    }
    withExtendedLifetime(old) {}
  }
}

extension Networking {
  /// Sets the caller's own credentials, a user name and a password, for all requests to the origin of
  /// the base URL from now on.
  ///
  /// Both are encoded in UTF-8. The rules of ``authenticate(authorizationHeader:)`` about origins
  /// and users apply: a change of the credentials ends the session of the user.
  ///
  /// - Parameters:
  ///   - username: The name, without a colon.
  ///   - password: The password.
  ///   - scheme: The scheme. ``PasswordScheme/digest`` does not send the password.
  /// - Returns: Whether the client has the credentials now, as
  ///   ``authenticate(authorizationHeader:)`` describes.
  @discardableResult
  public func authenticate(
    username: String, password: String, scheme: PasswordScheme = .basic
  ) -> Bool {
    switch scheme {
    case .basic:
      let pair = Data("\(username):\(password)".utf8).base64EncodedString()
      return authenticate(.fixed("Basic \(pair)"))
    case .digest:
      return authenticate(.digest(DigestAuthenticator(username: username, password: password)))
    }
  }

  /// Sets the caller's own credentials, a bearer token, for all requests to the origin of the base URL
  /// from now on.
  ///
  /// A session that refreshes its tokens is set by `authorize(with:)` of `NetworkingOAuth2`.
  ///
  /// The rules of ``authenticate(authorizationHeader:)`` about origins and users apply: another
  /// token than the current one ends the session of the user, unless it is set in ``middleware``, in
  /// a ``RefreshInterceptor`` or in ``renewCredentials(_:)``.
  ///
  /// Source: RFC 6750 section 2.1.
  ///
  /// - Parameter bearerToken: The token.
  /// - Returns: Whether the client has the credentials now, as
  ///   ``authenticate(authorizationHeader:)`` describes.
  @discardableResult
  public func authenticate(bearerToken: String) -> Bool {
    authenticate(authorizationHeader: "Bearer \(bearerToken)")
  }

  /// Sets the caller's own credentials, the value of an `Authorization` field, for all requests to the
  /// origin of the base URL from now on.
  ///
  /// ```swift
  /// networking.authenticate(authorizationHeader: "ApiKey \(key)")
  /// networking.authenticate(authorizationHeader: nil)           // signs out
  /// ```
  ///
  /// The origin is that of the current base URL: the one that is set on the client, otherwise the
  /// static `baseURL` of its endpoint type. The field is sent on every hop to that origin, and to no
  /// other: not to the target of a redirect to another origin, not to an absolute URL of another
  /// origin, and not to a base URL that is set later. A request's own `Authorization` field overrides
  /// it, and a request that is ``RequestOption/withoutCredentials`` does not have it.
  ///
  /// If the client has no base URL, the origin is that of the first one that is set later. Until
  /// then, a request that would have the credentials fails with
  /// ``NetworkError/Code-swift.enum/credentialsWithoutBaseURL``. This includes a request whose
  /// middleware or token refresh calls this method, and the replay of a stored request, which then
  /// stays in the store.
  ///
  /// **Users.** `nil` ends the session of the user, and so do other credentials in place of those that
  /// the client has. The requests of the session fail with
  /// ``NetworkError/Code-swift.enum/sessionEnded``: those that wait, those that would be sent again, and
  /// those in flight when they end. So the last request of a user, such as that of a sign-out at the
  /// server, must have ended before this call. The first credentials of a client end no session.
  ///
  /// **Sessions.** `authorize(with:)` of `NetworkingOAuth2` sets the tokens of a session instead. A client
  /// has either. The first time in a process that one is set over the other, a warning is written to
  /// standard error; a call with `nil` in between avoids it.
  ///
  /// A renewal keeps the session: in the closure of a ``RefreshInterceptor``, in ``middleware``, and
  /// in ``renewCredentials(_:)``, until its promise has settled. If its session has ended in the
  /// meantime, this method changes nothing in it.
  ///
  /// - Parameter authorizationHeader: The value of the field. `nil` stops sending it.
  /// - Returns: Whether the client has the credentials now. `false` in a renewal whose session has
  ///   ended. A token must not be stored then.
  @discardableResult
  public func authenticate(authorizationHeader: String?) -> Bool {
    authenticate(authorizationHeader.map { .fixed($0) })
  }

  /// Renews the credentials of the current user, outside of a ``RefreshInterceptor``, such as by a
  /// timer.
  ///
  /// ```swift
  /// networking.renewCredentials {
  ///   networking.request(.token).validate().decode(Token.self)
  ///     .tap { token in networking.authenticate(bearerToken: token.access) }
  /// }
  /// ```
  ///
  /// The closure, the tasks that it starts and their handlers belong to the session of the current
  /// user. `authenticate` keeps this session until the promise of the closure has settled. If the
  /// session ends before, `authenticate` has no effect in this code, and its requests fail with
  /// ``NetworkError/Code-swift.enum/sessionEnded``.
  ///
  /// Asynchronous code starts with a promise: `renewCredentials { Promise { try await renew() } }`.
  ///
  /// - Parameter work: A closure that starts the renewal. It runs once, before this method returns. An
  ///   error that it throws rejects the promise.
  /// - Returns: A promise with the result of the closure's promise.
  @discardableResult
  public func renewCredentials<Value: Sendable>(
    _ work: () throws -> Promise<Value>
  ) -> Promise<Value> {
    RefreshRound(in: .current, of: CallSessions(currentSettings())).run(work)
  }

  /// Sets the credentials of a provider for all requests to the origin of the base URL from now on.
  ///
  /// - The rules of ``authenticate(authorizationHeader:)`` about origins and users apply. Other
  ///   credentials end the session of the user, unless they are of a provider with the same
  ///   ``CredentialProvider/userSession``.
  /// - A request waits while the provider replaces its value. After a rejection it is sent once more.
  ///
  /// - Parameter provider: The provider, which the client retains.
  package func authenticate(by provider: any CredentialProvider) {
    authenticate(.provided(provider))
  }

  @discardableResult
  func authenticate(_ scheme: Credentials.Scheme?) -> Bool {
    if let sessionOwner { return sessionOwner.authenticate(scheme) }
    let origin = scheme == nil ? nil : currentOrigin
    let renewal = RefreshRound.current
    var (isSet, isMixed) = (true, false)
    change { settings in
      // Under the lock, so that a sign-out of another thread is before or after this.
      guard renewal?.isObsolete != true else { return isSet = false }
      let current = settings.credentials.scheme
      if let current, let scheme { isMixed = (current.provider == nil) != (scheme.provider == nil) }
      if current.endsSession(with: scheme, in: renewal) {
        settings.session.end()
        settings.session = UserSession()
      }
      settings.credentials =
        switch (scheme, origin) {
        case (nil, _): .none
        case (let scheme?, nil): .unbound(scheme)
        case (let scheme?, let origin?): .bound(Credentials(scheme: scheme, origin: origin))
        }
    }
    if isMixed { _ = Credentials.mixedReport }
    return isSet
  }

  /// The origin of the client's base URL.
  ///
  /// `nil` if there is none yet, or if it cannot be determined.
  var currentOrigin: Origin? { (try? effectiveBaseURL()).flatMap { Origin($0) } }

  private func effectiveBaseURL() throws -> URL? {
    let baseURL = (sessionOwner ?? self).settings.withLock { $0.settings.baseURL }
    return try baseURL ?? Endpoint.resolvedBaseURL()
  }

  /// Restricts credentials that were set without a base URL to the origin of the current base URL.
  ///
  /// A no-op without such credentials, and without a base URL.
  private func bindCredentials() {
    guard case .unbound(let scheme) = settings.withLock({ $0.settings.credentials }),
      let origin = currentOrigin
    else { return }
    change { settings in
      // Otherwise another thread has called `authenticate` in the meantime.
      guard case .unbound(scheme) = settings.credentials else { return }
      settings.credentials = .bound(Credentials(scheme: scheme, origin: origin))
    }
  }

  /// Returns the settings for a new request, in which credentials have an origin if possible.
  func currentSettings() -> ClientSettings.Snapshot {
    if let sessionOwner {
      let session = sessionOwner.currentSettings().settings
      return settings.withLock { $0 }.updated { settings in
        settings.baseURL = session.baseURL
        settings.credentials = session.credentials
        settings.session = session.session
      }
    }
    let snapshot = settings.withLock { $0 }
    guard case .unbound = snapshot.settings.credentials else { return snapshot }
    bindCredentials()
    return settings.withLock { $0 }
  }
}

extension Networking: CredentialSource {
  var currentCredentials: ClientCredentials { currentSettings().settings.credentials }
}

extension Credentials {
  /// The warning about a client with both kinds of credentials, which the first use writes.
  fileprivate static let mixedReport = StandardStream.error.write(
    "warning: authenticate(...) and authorize(with:) have set the credentials of one client. The later "
      + "call counts. Use one of them, or call authenticate(authorizationHeader: nil) in between.\n"
  )
}

extension Credentials.Scheme? {
  /// Returns whether the session of the user ends when other credentials replace these.
  ///
  /// - Parameters:
  ///   - other: The new credentials. `nil` for none.
  ///   - renewal: The renewal that sets them, if any.
  /// - Returns: Whether it ends.
  fileprivate func endsSession(with other: Credentials.Scheme?, in renewal: RefreshRound?) -> Bool {
    // Code that a renewal has started may go on after it, and sign in another user.
    let isRenewal = renewal.map { $0.isRunning && !$0.sessions.hasEnded } ?? false
    guard let other else { return !isRenewal || renewal?.canSignOut == true }
    guard let self, !isRenewal else { return false }
    return !self.hasUser(of: other)
  }
}
