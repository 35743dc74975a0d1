import CatenaSystem
import Foundation
import Mocking
public import Networking
public import NetworkingOAuth2
public import Promises

/// An OAuth2 authorization server for tests, on a socket of the loopback interface and in memory.
///
/// ```swift
/// let login = try MockAuthorizationServer(scheduler: scheduler)
/// let shop = try MockServer {
///   Route(.get, "/orders") { request in login.accepts(request) ? .json([]) : .status(401) }
/// }
/// let session = OAuth2Session(login.client("app"), store: .memory)
/// session.signIn(.password(username: "ann", password: "ann-password"))
/// ```
///
/// - **Grants.** It supports all grants of this package, revocation, introspection and metadata. The
///   page of the authorization endpoint redirects at once.
/// - **Time** comes from a scheduler, so that tokens expire in virtual time.
/// - **Rotation.** Refresh tokens are rotated. Using one twice revokes all tokens of its sign-in, and
///   is counted in ``counts``.
/// - **Faults.** ``fail(_:)`` sets the faults of the next token requests.
/// - **Lifetime.** The server runs until ``stop()`` is called or the object is released.
public final class MockAuthorizationServer: Sendable {
  /// The issuer, which is also the root URL without a trailing slash.
  public let issuer: String
  /// The routes of the server, for another backend.
  public let routes: [Route]
  /// A transport that has the routes, for tests without a socket.
  public let transport: MockTransport

  private let core: AuthorizationServerCore
  private let server: MockServer?

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - settings: The settings.
  ///   - port: The port to listen on. 0 lets the system choose a free one. `nil` listens on none: use
  ///     ``transport``.
  ///   - scheduler: The source of time.
  /// - Throws: ``MockServerError`` if the port is not available.
  public init(
    _ settings: AuthorizationServerSettings = AuthorizationServerSettings(), port: Int? = 0,
    scheduler: any Scheduler = .live
  ) throws {
    let placeholder = "https://login.example"
    guard let port else {
      core = AuthorizationServerCore(settings, issuer: placeholder, scheduler)
      issuer = placeholder
      routes = core.routes
      server = nil
      transport = MockTransport(routes: routes, scheduler: scheduler)
      return
    }
    // The routes need the issuer, which has the port.
    let server = try MockServer(routes: [], port: port, scheduler: scheduler)
    issuer = "http://127.0.0.1:\(server.port)"
    core = AuthorizationServerCore(settings, issuer: issuer, scheduler)
    routes = core.routes
    try server.replaceRoutes(with: routes)
    self.server = server
    transport = MockTransport(routes: routes, scheduler: scheduler)
  }

  /// Stops listening.
  ///
  /// Repeated calls are no-ops.
  public func stop() { server?.stop() }

  /// The settings.
  ///
  /// A change applies to the requests from then on.
  public var settings: AuthorizationServerSettings {
    get { core.state.withLock { $0.settings } }
    set { core.state.withLock { $0.settings = newValue } }
  }

  /// The counts of the requests so far.
  public var counts: AuthorizationServerCounts { core.state.withLock { $0.counts } }

  /// Returns the registration of a client with all URLs of the server.
  ///
  /// - Parameters:
  ///   - id: The identifier of one of the clients in ``settings``.
  ///   - scope: The scope to request.
  /// - Returns: The registration.
  public func client(_ id: String, scope: Set<String> = []) -> OAuth2Client {
    let secret = settings.clients[id]?.secret
    let url = { (path: String) in URL(string: self.issuer + path) }
    var client = OAuth2Client(
      id: id, secret: secret, tokenURL: url("/token"), authorizationURL: url("/authorize"),
      scope: scope)
    client.deviceAuthorizationURL = url("/device_authorization")
    client.revocationURL = url("/revoke")
    client.introspectionURL = url("/introspect")
    client.issuer = issuer
    client.sendsIssuer = true
    return client
  }

  /// Returns whether a request has an access token that can be used.
  ///
  /// - Parameter request: A request to a server of resources.
  /// - Returns: `false` without a token, and with one that has expired or was revoked.
  public func accepts(_ request: ReceivedRequest) -> Bool {
    guard let value = request.headers["Authorization"], value.hasPrefix("Bearer ") else {
      return false
    }
    return accepts(accessToken: String(value.dropFirst("Bearer ".count)))
  }

  /// Returns whether an access token can be used.
  ///
  /// - Parameter accessToken: The token.
  /// - Returns: `false` if the token has expired or was revoked.
  public func accepts(accessToken: String) -> Bool {
    let now = core.scheduler.now
    return core.state.withLock { $0.isValid(accessToken, at: now) }
  }

  /// Sets the faults of the next token requests, one each, in order.
  ///
  /// - Parameter faults: The faults, which are added to those that are left.
  public func fail(_ faults: AuthorizationServerFault...) {
    core.state.withLock { $0.faults += faults }
  }

  /// Revokes all access tokens, as after a change of the server's keys.
  ///
  /// - Parameter includingRefreshTokens: Whether refresh tokens are revoked, too.
  public func revokeAll(includingRefreshTokens: Bool = false) {
    core.state.withLock { $0.revokeAll(refreshTokens: includingRefreshTokens) }
  }

  /// Approves or denies a device, as the user does on the page of the server.
  ///
  /// - Parameters:
  ///   - userCode: The code of the user.
  ///   - isApproved: Whether the user consents.
  /// - Returns: Whether there is such a code.
  @discardableResult
  public func decide(userCode: String, isApproved: Bool = true) -> Bool {
    core.state.withLock { $0.decide(userCode: userCode, isApproved: isApproved) }
  }
}

extension MockAuthorizationServer: BrieflyDescribed {
  /// The issuer: `MockAuthorizationServer(http://127.0.0.1:4711)`.
  public var description: String { "MockAuthorizationServer(\(issuer))" }
}

/// The counts of a ``MockAuthorizationServer``.
public struct AuthorizationServerCounts: Sendable, Hashable {
  /// The tokens issued, by the value of `grant_type`.
  public internal(set) var issued: [String: Int] = [:]
  /// The token requests refused.
  public internal(set) var refused = 0
  /// The requests with a refresh token that was used before.
  public internal(set) var reused = 0
  /// The requests for a revocation.
  public internal(set) var revoked = 0

  /// The refreshes that were successful.
  public var refreshes: Int { issued["refresh_token"] ?? 0 }
}
