import CatenaSystem
import Foundation
import Promises

/// The stage that answers requests from a cache, validates stale responses, and stores responses.
///
/// It handles one hop, so that each URL of a chain of redirects has its own responses. It is outside
/// the stages for reachability and credentials, because a response from the cache needs neither.
///
/// Source: RFC 9111.
final class CacheStage: BuiltInStage {
  let cache: HTTPCache
  private let settings: CachingConfiguration
  /// The policy of requests that have none of their own.
  private let policy: Request.CachePolicy
  private let cookies: CookieStage?
  /// The text of the client's cookie jar in each stored response, empty for the jar that clients share.
  private let jar: String
  let scheduler: any Scheduler
  private let wallClock: @Sendable () -> Date
  /// The validations in the background.
  private let refreshes = Mutex<[Refresh: NetworkPromise?]>([:])

  private struct Refresh: Hashable {
    let key: CacheKey
    let method: HTTPMethod
    let selector: CacheSelector
  }

  /// Makes a stage.
  ///
  /// - Parameters:
  ///   - cache: The cache.
  ///   - settings: The client's settings.
  ///   - sessionPolicy: The policy of the client's session.
  ///   - cookies: The client's cookies.
  ///   - scheduler: The scheduler that waits for the disk.
  ///   - wallClock: The source of time.
  init(
    _ cache: HTTPCache, _ settings: CachingConfiguration, sessionPolicy: Request.CachePolicy,
    cookies: CookieStage?, scheduler: any Scheduler,
    wallClock: @escaping @Sendable () -> Date
  ) {
    self.cache = cache
    self.settings = settings
    policy = settings.policy == .default ? sessionPolicy : settings.policy
    self.cookies = cookies
    // Without a library for digests nothing is cached.
    jar =
      switch cookies?.jar {
      case nil: " no cookies"
      case let jar?:
        jar === CookieJar.shared ? "" : " jar \(CacheDigest.digest("jar", jar.identity) ?? "")"
      }
    self.scheduler = scheduler
    self.wallClock = wallClock
  }

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard !settings.includesMocks else { return handle(exchange, next) }
    let transport = exchange.call.transport
    guard let selection = transport.traits?.selection else {
      return transport.transport.needsNetwork ? handle(exchange, next) : passing(exchange, next)
    }
    return selection.then(on: .inline) { selected in
      selected.needsNetwork ? self.handle(exchange, next) : self.passing(exchange, next)
    }
  }

  /// Handles a request whose responses may be cached.
  private func handle(_ exchange: Exchange, _ next: @escaping Next) -> NetworkPromise {
    guard exchange.request.method.isSafe else { return invalidating(exchange, next) }
    if let provider = exchange.unknownProvider {
      return provider.loadIdentity().then(on: .inline) { self.lookUp(exchange, next) }
    }
    return lookUp(exchange, next)
  }

  /// Handles a request with a safe method, whose user is known.
  private func lookUp(_ exchange: Exchange, _ next: @escaping Next) -> NetworkPromise {
    guard let query = query(of: exchange) else { return passing(exchange, next) }
    let hop = CachedHop(stage: self, exchange: exchange, query: query, next: next)
    if query.policy == .reload || query.policy == .noStore, !query.directives.onlyIfCached {
      return hop.fetch()
    }
    let found = cache.memory?.record(for: query.key)
    if let found {
      let decision = CacheRules.decide(query, found.responses, at: now)
      switch decision {
      case .send, .miss: break
      default: return hop.perform(decision, found)
      }
    }
    guard let disk = cache.disk(for: query.key) else { return hop.perform(nil, found) }
    return hop.read(from: disk)
  }

  var now: Date { wallClock() }

  // MARK: Requests without the cache

  /// Sends a request that the cache does not handle.
  private func passing(_ exchange: Exchange, _ next: Next) -> NetworkPromise {
    policy(of: exchange) == .onlyCache
      ? .rejected(Self.notCached(exchange.request)) : next(exchange)
  }

  private func policy(of exchange: Exchange) -> Request.CachePolicy {
    let own = exchange.call.request.cachePolicy
    return own == .default ? policy : own
  }

  static func notCached(_ request: HTTPRequest) -> NetworkError {
    NetworkError(.notCached, request: NetworkError.RequestSummary(request))
  }

  /// Sends an unsafe request, and removes the responses that it makes invalid.
  private func invalidating(_ exchange: Exchange, _ next: Next) -> NetworkPromise {
    let request = exchange.request
    return passing(exchange, next).map { [cache, scheduler] response in
      for key in CacheRules.invalidated(by: request.method, request.url, response.head) {
        cache.invalidate(key, awaitedBy: scheduler)
      }
      return response
    }
  }

  // MARK: Queries

  /// Returns the query of a request, or `nil` if the cache does not handle it.
  private func query(of exchange: Exchange) -> CacheQuery? {
    let request = exchange.request
    guard request.method == .get || request.method == .head, case .none = request.body,
      !request.options.preservesContentCoding,
      // The server may respond otherwise to a client that shows its certificate.
      !request.options.withholdsClientCertificate,
      exchange.call.options.usesCache,
      !request.headers.fields.contains(where: { field in
        CacheValidation.conditions.contains { HTTPHeaders.areNamesEqual($0, field.name) }
      }),
      let key = CacheKey(request.url), let connection = connection(of: exchange),
      let credentials = credentialsDigest(exchange.credentials, request).flatMap({
        owner($0, of: request, over: connection, in: exchange)
      })
    else { return nil }
    let lifetime = exchange.call.request.cacheLifetime ?? settings.lifetime
    return CacheQuery(
      key: key, request: request, cookies: cookies, credentials: credentials,
      connection: connection, directives: CacheControl(ofRequest: request.headers),
      policy: policy(of: exchange),
      lifetime: lifetime.map { $0 / .seconds(1) },
      staleWhenOffline: settings.staleWhenOffline.map { $0 / .seconds(1) })
  }

  /// Returns the text that stored responses have in common if one may be the response to the request of
  /// another, apart from their URL and the fields in `Vary`.
  ///
  /// It has all that decides about the answer and about the form in which a transport delivers it: the
  /// credentials, other secret fields, cookies of the caller, the jar, the connection, and whether the
  /// content coding is decoded.
  ///
  /// - Parameters:
  ///   - credentials: The digest of the credentials.
  ///   - request: The request, before or after the other stages.
  ///   - connection: The text of the connection.
  ///   - exchange: The exchange before the other stages.
  /// - Returns: The text, empty for the usual request without credentials, or `nil` if the platform has no
  ///   library for digests.
  private func owner(
    _ credentials: String, of request: HTTPRequest, over connection: String, in exchange: Exchange
  ) -> String? {
    guard var owner = CacheDigest.adding(secretsOf: request, to: credentials) else { return nil }
    // Not those of the sent request, which may be those of the jar: these count by `Vary`.
    if exchange.request.headers.contains("Cookie") {
      guard let cookies = CacheDigest.digest(of: "cookie", in: exchange.request.headers) else {
        return nil
      }
      owner += " cookies \(cookies)"
    }
    owner += jar + connection
    if !request.headers.acceptsCoding { owner += " coded" }
    return owner
  }

  /// Returns the text that connections have in common if each of their transports accepts the servers of
  /// the others, and presents the same client certificate.
  ///
  /// - Parameter exchange: The exchange.
  /// - Returns: The text, empty for the usual connection, or `nil` if the platform has no library for
  ///   digests.
  private func connection(of exchange: Exchange) -> String? {
    let owner = exchange.call.transport.traits?.connectionOwner(for: exchange.request.url) ?? ""
    return owner.isEmpty ? "" : CacheDigest.digest("connection", owner).map { " over \($0)" }
  }

  /// Returns the digest of the credentials of a request, empty if it will have none.
  ///
  /// With Digest authentication the field differs in each request, so the name and the password count.
  /// With a session the field differs after each refresh, so the sign-in counts.
  ///
  /// - Parameters:
  ///   - credentials: The client's credentials.
  ///   - request: The request, before the credentials are added.
  /// - Returns: The digest, or `nil` if the platform has no library for it, or if the user is not
  ///   known.
  private func credentialsDigest(_ credentials: Credentials?, _ request: HTTPRequest) -> String? {
    guard let credentials, credentials.apply(to: request) else {
      return Self.digest(ofField: request)
    }
    switch credentials.scheme {
    case .fixed(let value): return CacheDigest.digest("credentials", value)
    case .digest(let authenticator):
      return CacheDigest.digest("digest", authenticator.identity)
    case .provided(let provider):
      return provider.identity.flatMap { CacheDigest.digest("identity", $0) }
    }
  }

  /// Returns the digest of the credentials with which a request was sent.
  ///
  /// - Parameters:
  ///   - sent: The request as it was sent.
  ///   - exchange: The exchange before the credentials were added.
  /// - Returns: The digest, or `nil` if the user is not known any more, or never was.
  func credentialsDigest(of sent: HTTPRequest, in exchange: Exchange) -> String? {
    guard let credentials = exchange.credentials, credentials.apply(to: exchange.request) else {
      return Self.digest(ofField: sent)
    }
    let field = sent.headers["Authorization"]
    switch credentials.scheme {
    case .digest where field?.hasPrefix("Digest ") ?? true:
      return credentialsDigest(credentials, exchange.request)
    case .fixed, .digest: return Self.digest(ofField: sent)
    case .provided(let provider):
      // Otherwise the user may be another one now, or an interceptor has replaced the field.
      guard field == provider.currentValue else { return nil }
      return credentialsDigest(credentials, exchange.request)
    }
  }

  private static func digest(ofField request: HTTPRequest) -> String? {
    guard let field = request.headers["Authorization"] else { return "" }
    return CacheDigest.digest("credentials", field)
  }

  /// Returns the requests that a response is for.
  ///
  /// - Parameters:
  ///   - headers: The fields of the response.
  ///   - sent: The request as it was sent.
  ///   - query: The query of the request.
  ///   - exchange: The exchange before the credentials were added.
  /// - Returns: The selector, or `nil` if no later request can be compared with this one, or if the
  ///   client has got other TLS settings or another user in the meantime.
  func selector(
    of headers: HTTPHeaders, to sent: HTTPRequest, for query: CacheQuery, in exchange: Exchange
  ) -> CacheSelector? {
    guard connection(of: exchange) == query.connection, !exchange.call.sessions.hasEnded else {
      return nil
    }
    return credentialsDigest(of: sent, in: exchange)
      .flatMap { owner($0, of: sent, over: query.connection, in: exchange) }
      .flatMap { CacheDigest.selector(of: headers, to: sent.headers, credentials: $0) }
  }

  // MARK: Validation in the background

  /// Starts to validate a stored response, unless that is under way.
  func refresh(_ stored: StoredResponse, for hop: CachedHop) {
    let refresh = Refresh(
      key: hop.query.key, method: hop.query.method, selector: stored.selector)
    let isFirst = refreshes.withLock { refreshes in
      guard refreshes[refresh] == nil else { return false }
      refreshes[refresh] = .some(nil)
      return true
    }
    guard isFirst else { return }
    // An earlier refresh may have ended after the caller has looked up the response.
    guard cache.memory?.record(for: refresh.key)?.contains(stored) ?? true else {
      return end(refresh)
    }
    let work = hop.inBackground().renew(stored)
    // Held here, because no caller waits for it.
    refreshes.withLock { $0[refresh] = .some(work) }
    work.always(on: .inline) { _ in self.end(refresh) }
  }

  private func end(_ refresh: Refresh) {
    let finished = refreshes.withLock { $0.removeValue(forKey: refresh) }
    withExtendedLifetime(finished) {}
  }
}

extension Exchange {
  /// The provider of the credentials, if it will add them, and does not know the user yet.
  fileprivate var unknownProvider: (any CredentialProvider)? {
    guard let credentials, let provider = credentials.scheme.provider, provider.identity == nil,
      credentials.apply(to: request)
    else { return nil }
    return provider
  }
}
