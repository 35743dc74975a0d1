import Foundation
import Promises

extension Networking {
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
  /// It runs on the caller's thread.
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
  /// It runs when the request has reached the head of the queue. If the promise is rejected, the
  /// request is rejected with the same error. The wait counts towards the limit of the call,
  /// ``Request/timeout`` or ``NetworkingConfiguration/callTimeout``. On timeout the request frees
  /// its place in the queue and is rejected with `timedOut(.call)`. The error names the middleware.
  /// The hook's promise is cancelled unless it has other consumers. Without a limit a promise that
  /// never settles keeps the place of its request.
  public var middleware: (@Sendable (_ request: Request) -> Promise<Void>)? {
    get { settings.withLock { $0.settings.middleware } }
    set { change { $0.middleware = newValue } }
  }

  /// The interceptors of calls, outermost first.
  ///
  /// The default is none.
  ///
  /// They run once for each call, outside the retries; ``hopInterceptors`` run inside. A change
  /// applies to the calls made from then on.
  public var interceptors: [any Interceptor] {
    get { settings.withLock { $0.settings.interceptors } }
    set { change { $0.interceptors = newValue } }
  }

  /// The interceptors of hops, outermost first.
  ///
  /// The default is none.
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
  /// They run for every attempt and every redirect, next to the transport. They receive the request
  /// with its credentials and cookies, and each response as it arrives, including redirects and
  /// responses that are retried. Fields that they add apply to that hop only and are not sent to
  /// the target of a redirect.
  ///
  /// Their time counts towards ``NetworkingConfiguration/attemptTimeout``; the error names an
  /// interceptor that does not call back. A change applies to the calls made from then on. If calls
  /// share an exchange (see ``NetworkingConfiguration/sharesRequests``), only the hop interceptors
  /// of the first call run.
  public var hopInterceptors: [any Interceptor] {
    get { settings.withLock { $0.settings.hopInterceptors } }
    set { change { $0.hopInterceptors = newValue } }
  }

  /// Overrides the base URL of all endpoints, for example with that of a staging server.
  ///
  /// - Parameter baseURL: The base URL. `nil` restores those of the endpoints.
  public func setBaseURL(_ baseURL: URL?) {
    setBaseURL { baseURL }
  }

  /// Overrides the base URL of all endpoints with the result of a closure.
  ///
  /// - Parameter baseURL: The closure. It runs once for each request, when the request is built, on
  ///   the thread of ``preProcessRequest``; if the middleware fails for lack of a network, when the
  ///   request is stored, on a background queue. `nil` uses the base URL of the endpoint.
  public func setBaseURL(_ baseURL: @escaping @Sendable () -> URL?) {
    change { $0.baseURL = baseURL }
  }

  /// Stops starting requests.
  ///
  /// Running requests continue.
  public func suspend() {
    queue.suspend()
    unthrottledQueue.suspend()
  }

  /// Resumes starting requests.
  public func resume() {
    queue.resume()
    unthrottledQueue.resume()
  }

  /// Cancels all requests of the client, waiting and running ones.
  ///
  /// A stream whose promise is fulfilled is not cancelled. Its reader ends it.
  public func cancelAllRequests() {
    queue.cancelAll()
    unthrottledQueue.cancelAll()
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
  /// Sends a user name and a password with all requests to the origin of the base URL from now on.
  ///
  /// Both are encoded in UTF-8. Source: RFC 7617.
  ///
  /// - Parameters:
  ///   - username: The name, without a colon.
  ///   - password: The password.
  public func authenticate(username: String, password: String) {
    let pair = Data("\(username):\(password)".utf8).base64EncodedString()
    authenticate(authorizationHeader: "Basic \(pair)")
  }

  /// Sends a bearer token with all requests to the origin of the base URL from now on.
  ///
  /// Source: RFC 6750 section 2.1.
  ///
  /// - Parameter bearerToken: The token.
  public func authenticate(bearerToken: String) {
    authenticate(authorizationHeader: "Bearer \(bearerToken)")
  }

  /// Sends an `Authorization` field with all requests to the origin of the base URL from now on.
  ///
  /// The origin is that of the current base URL. The field is sent on every hop to that origin, and
  /// to no other: not to the target of a redirect to another origin, not to an absolute URL of
  /// another origin, and not to a base URL that is set later. A client without a base URL sends it
  /// nowhere. A request's own `Authorization` field overrides it.
  ///
  /// - Parameter authorizationHeader: The value of the field. `nil` stops sending it.
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
