import Foundation
import Promises
import Synchronization

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
  private let lifetime: Double?
  private let staleWhenOffline: Double?
  private let cookies: CookieStage?
  let scheduler: any Scheduler
  private let wallClock: @Sendable () -> Date
  /// The validations in the background.
  private let refreshes = Mutex<[Refresh: NetworkPromise?]>([:])

  private struct Refresh: Hashable {
    let key: CacheKey
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
    cookies: CookieStage?, scheduler: any Scheduler, wallClock: @escaping @Sendable () -> Date
  ) {
    self.cache = cache
    self.settings = settings
    policy = settings.policy == .default ? sessionPolicy : settings.policy
    lifetime = settings.lifetime.map { $0 / .seconds(1) }
    staleWhenOffline = settings.staleWhenOffline.map { $0 / .seconds(1) }
    self.cookies = cookies
    self.scheduler = scheduler
    self.wallClock = wallClock
  }

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard settings.includesMocks || exchange.call.transport.transport.needsNetwork else {
      return passing(exchange, next)
    }
    guard CacheRules.isSafe(exchange.request.method) else {
      return invalidating(exchange, next)
    }
    guard let query = query(of: exchange) else { return passing(exchange, next) }
    let hop = CachedHop(stage: self, exchange: exchange, query: query, next: next)
    switch query.policy {
    case .reload, .noStore: return hop.fetch()
    default: break
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
    // Fast path: the policy of almost all requests.
    guard exchange.call.request.cachePolicy != .onlyCache, policy != .onlyCache else {
      let own = exchange.call.request.cachePolicy
      return own == .onlyCache || own == .default
        ? .rejected(Self.notCached(exchange.request)) : next(exchange)
    }
    return next(exchange)
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
      !request.preservesContentCoding,
      // A transfer continues by itself, with ranges and validators of its own.
      exchange.destination.deadlineClock == nil,
      !request.headers.fields.contains(where: { field in
        CacheValidation.conditions.contains { HTTPHeaders.areNamesEqual($0, field.name) }
      }),
      let key = CacheKey(request.url),
      let credentials = credentialsDigest(exchange.credentials, request)
    else { return nil }
    let own = exchange.call.request
    var query = CacheQuery(key: key, method: request.method, headers: request.headers)
    query.credentials = credentials
    query.directives = CacheControl(ofRequest: request.headers)
    query.policy = own.cachePolicy == .default ? policy : own.cachePolicy
    query.lifetime = own.cacheLifetime.map { $0 / .seconds(1) } ?? lifetime
    query.staleWhenOffline = staleWhenOffline
    if let cookies {
      query.cookie = { cookies.addingCookies(to: request).headers["Cookie"] }
    }
    return query
  }

  /// Returns the digest of the credentials of a request, empty if it has none.
  ///
  /// With Digest authentication the field differs in each request, so the name of the user counts.
  ///
  /// - Parameters:
  ///   - credentials: The client's credentials.
  ///   - request: The request, before or after the credentials have been added.
  /// - Returns: The digest, or `nil` if the platform has no library for it, or if the value of the
  ///   field is not known yet, because a provider replaces it at this time.
  func credentialsDigest(_ credentials: Credentials?, _ request: HTTPRequest) -> String? {
    if let field = request.headers["Authorization"], !Self.isDigest(field, credentials) {
      return CacheDigest.digest("credentials", field)
    }
    guard let credentials, credentials.origin.matches(request.url), request.sendsCredentials else {
      return ""
    }
    switch credentials.scheme {
    case .fixed(let value): return CacheDigest.digest("credentials", value)
    case .digest(let authenticator):
      return CacheDigest.digest("digest user", authenticator.username)
    case .provided(let provider):
      return provider.currentValue.flatMap { CacheDigest.digest("credentials", $0) }
    }
  }

  private static func isDigest(_ field: String, _ credentials: Credentials?) -> Bool {
    guard case .digest = credentials?.scheme else { return false }
    return field.hasPrefix("Digest ")
  }

  // MARK: Validation in the background

  /// Starts to validate a stored response, unless that is under way.
  func refresh(_ stored: StoredResponse, for hop: CachedHop) {
    let refresh = Refresh(key: hop.query.key, selector: stored.selector)
    let isFirst = refreshes.withLock { refreshes in
      guard refreshes[refresh] == nil else { return false }
      refreshes[refresh] = .some(nil)
      return true
    }
    guard isFirst else { return }
    let work = hop.inBackground().validate(stored)
    // Held here, because no caller waits for it.
    refreshes.withLock { $0[refresh] = .some(work) }
    work.always(on: .inline) { _ in
      let finished = self.refreshes.withLock { $0.removeValue(forKey: refresh) }
      withExtendedLifetime(finished) {}
    }
  }
}
