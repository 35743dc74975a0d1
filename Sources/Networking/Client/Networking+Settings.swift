import Foundation
import Promises

extension Networking {
  /// Where handlers on this client's promises run that name no context of their own; `.main` at first.
  public var callbackContext: ExecutionContext {
    get { settings.withLock { $0.settings.callbackContext } }
    set { change { $0.callbackContext = newValue } }
  }

  /// Changes each request before it joins the queue; nil changes none.
  ///
  /// It runs where the request is made.
  public var beforeEach: (@Sendable (_ request: Request) -> Request)? {
    get { settings.withLock { $0.settings.beforeEach } }
    set { change { $0.beforeEach = newValue } }
  }

  /// Changes each request as it goes over the wire, when its turn has come; nil changes none.
  ///
  /// It runs where the request starts: on the thread that asks, or where an earlier request has just
  /// ended, never on the main queue. It must not block. What it throws rejects the request.
  public var preProcessRequest: (@Sendable (_ request: HTTPRequest) throws -> HTTPRequest)? {
    get { settings.withLock { $0.settings.preProcessRequest } }
    set { change { $0.preProcessRequest = newValue } }
  }

  /// Gates each request when its turn has come; nil gates none.
  ///
  /// The request is sent once the promise is fulfilled, and rejected with what that is rejected with. Waiting
  /// for it is part of the time for the call, as ``Request/timeout`` or ``NetworkingConfiguration/callTimeout`` says:
  /// when that is up the request leaves the promise to others that wait for it, or else cancels it, gives up its
  /// place in the queue, and is rejected with `timedOut(.call)`, which names the middleware. Without such a time
  /// a promise that never settles keeps that place.
  public var middleware: (@Sendable (_ request: Request) -> Promise<Void>)? {
    get { settings.withLock { $0.settings.middleware } }
    set { change { $0.middleware = newValue } }
  }

  /// What requests go through on their way, outermost first, once a call; none at first.
  ///
  /// They stand outside the retries, see ``hopInterceptors`` for inside, and take part in the calls that are made from now on.
  public var interceptors: [any Interceptor] {
    get { settings.withLock { $0.settings.interceptors } }
    set { change { $0.interceptors = newValue } }
  }

  /// What each hop goes through, outermost first: every attempt, and every hop of a redirect; none at
  /// first.
  ///
  /// ```swift
  /// networking.hopInterceptors.append(
  ///   RequestAdapter { request in
  ///     var request = request
  ///     request.headers["X-Signature"] = signature(of: request)
  ///     return request
  ///   })
  /// ```
  ///
  /// They stand inside the retries and the redirects and next to the network, and see the request with
  /// its credentials and cookies, as it goes out but for what the transport adds, and each answer as it
  /// comes, a redirect or a 503 that is tried again too. What they add is for that hop alone: it is not
  /// taken along on a redirect.
  ///
  /// The time they take counts for the hop, ``NetworkingConfiguration/attemptTimeout``, and one that does
  /// not call back is named in the error. They take part in the calls that are made from now on; of calls
  /// that share an exchange, ``NetworkingConfiguration/sharesRequests``, those that the first one brings.
  public var hopInterceptors: [any Interceptor] {
    get { settings.withLock { $0.settings.hopInterceptors } }
    set { change { $0.hopInterceptors = newValue } }
  }

  /// Sends requests elsewhere from now on, to a staging server for example.
  ///
  /// - Parameter baseURL: in place of the endpoints' own; nil restores that.
  public func setBaseURL(_ baseURL: URL?) {
    setBaseURL { baseURL }
  }

  /// Has a closure say where requests go.
  ///
  /// - Parameter baseURL: asked for each request where it starts, as ``preProcessRequest`` is; nil stands for
  ///   the endpoint's own.
  public func setBaseURL(_ baseURL: @escaping @Sendable () -> URL?) {
    change { $0.baseURL = baseURL }
  }

  /// Lets no more requests begin; those under way go on.
  public func suspend() {
    queue.suspend()
    unthrottledQueue.suspend()
  }

  /// Lets requests begin again.
  public func resume() {
    queue.resume()
    unthrottledQueue.resume()
  }

  /// Cancels every request of this client, waiting or under way.
  ///
  /// A stream whose head has come is in the hands of whoever reads it, and goes on.
  public func cancelAllRequests() {
    queue.cancelAll()
    unthrottledQueue.cancelAll()
  }

  /// What is replaced is released after unlocking, since a user's `deinit` may follow.
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
  /// Sends a name and a password with every request from now on, to the base URL's origin only.
  ///
  /// Source: RFC 7617; both are sent in UTF-8.
  ///
  /// - Parameters:
  ///   - username: the name, without a colon.
  ///   - password: the password.
  public func authenticate(username: String, password: String) {
    let pair = Data("\(username):\(password)".utf8).base64EncodedString()
    authenticate(authorizationHeader: "Basic \(pair)")
  }

  /// Sends a token with every request from now on, to the base URL's origin only.
  ///
  /// Source: RFC 6750 section 2.1.
  ///
  /// - Parameter bearerToken: the token.
  public func authenticate(bearerToken: String) {
    authenticate(authorizationHeader: "Bearer \(bearerToken)")
  }

  /// Sends an `Authorization` field with every request from now on.
  ///
  /// It goes to the origin of the base URL in force now, on every hop there, and nowhere else: not to
  /// where a redirect leads, nor to an absolute URL elsewhere, nor to a base URL set later. A client
  /// without a base URL sends it nowhere. A request's own field comes first.
  ///
  /// - Parameter authorizationHeader: the field's value; nil sends none any more.
  public func authenticate(authorizationHeader: String?) {
    let baseURL = settings.withLock { $0.settings.baseURL }
    let origin = (baseURL() ?? Endpoint.baseURL).flatMap { Origin($0) }
    change { settings in
      settings.credentials =
        if let origin, let value = authorizationHeader { .init(value: value, origin: origin) } else
        {
          nil
        }
    }
  }
}

extension Networking: CredentialSource {
  var credentials: Credentials? { settings.withLock { $0.settings.credentials } }
}
