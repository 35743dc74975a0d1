import Foundation

/// A request for a cache, with the data that its decisions depend on.
struct CacheQuery: Sendable {
  let key: CacheKey
  let request: HTTPRequest
  /// The cookies of the client, which are added to the request later.
  let cookies: CookieStage?
  /// The digest of the credentials and what else decides about the response, see ``CacheSelector``.
  let credentials: String
  /// The text of the connection, which is a part of ``credentials``.
  let connection: String
  /// The directives of the request.
  let directives: CacheControl
  let policy: Request.CachePolicy
  /// The lifetime in seconds of responses whose server declares none.
  let lifetime: Double?
  /// The accepted staleness in seconds while there is no network.
  let staleWhenOffline: Double?

  var method: HTTPMethod { request.method }

  /// Returns whether a stored response is for this request.
  func matches(_ stored: StoredResponse) -> Bool {
    stored.selector.credentials == credentials
      && stored.selector.fields.allSatisfy { $0.digest == digest(of: $0.name) }
  }

  /// Returns the digest of a field, or `nil` if the request does not have it.
  private func digest(of name: String) -> String? {
    let sent = name == "cookie" ? cookies?.addingCookies(to: request) : nil
    return CacheDigest.digest(of: name, in: (sent ?? request).headers)
  }
}

/// A decision of a cache about a request.
enum CacheDecision: Equatable {
  /// The request is sent, because no stored response can be used or validated.
  case send
  /// The stored response at this position is served.
  case serve(Int, Response.Source)
  /// The stale response at this position is served, and validated in the background.
  case serveAndRefresh(Int)
  /// The request is sent with the validators of the response at this position.
  case validate(Int)
  /// There is no stored response, and the request must not be sent.
  ///
  /// By a directive of the request, the response is a 504. By the policy, the request fails.
  case miss(byDirective: Bool)
}

/// The rules of a private cache, as pure functions of the request, the stored responses and the time.
///
/// Source: RFC 9111; RFC 5861; RFC 8246.
enum CacheRules {
  /// Decides about a request.
  ///
  /// - Parameters:
  ///   - query: The request.
  ///   - stored: The stored responses of its URL.
  ///   - now: The time.
  /// - Returns: The decision.
  static func decide(
    _ query: CacheQuery, _ stored: [StoredResponse], at now: Date
  ) -> CacheDecision {
    // Of several, one that names the fields it varies on comes first.
    let newest = stored.indices.filter { query.matches(stored[$0]) }
      .max { stored[$0].precedence < stored[$1].precedence }
    guard let position = newest else {
      if query.policy == .onlyCache { return .miss(byDirective: false) }
      return query.directives.onlyIfCached ? .miss(byDirective: true) : .send
    }
    let rules = stored[position].rules
    let age = rules.age(at: now)
    let lifetime = rules.lifetime(or: query.lifetime)
    let isFresh = lifetime > age && !rules.directives.noCache
    switch query.policy {
    case .preferCache, .onlyCache:
      return .serve(position, isFresh ? .cache : .stale(.allowed))
    case .revalidate:
      if isFresh && rules.directives.immutable { return .serve(position, .cache) }
      return query.directives.onlyIfCached ? .miss(byDirective: true) : .validate(position)
    case .reload, .noStore: return query.directives.onlyIfCached ? .miss(byDirective: true) : .send
    case .default: break
    }
    if let source = usableWithoutValidation(query.directives, rules, age, lifetime) {
      return source == .stale(.revalidating)
        ? .serveAndRefresh(position) : .serve(position, source)
    }
    return query.directives.onlyIfCached ? .miss(byDirective: true) : .validate(position)
  }

  /// Returns how a response can be used by the rules without a validation, or `nil`.
  private static func usableWithoutValidation(
    _ request: CacheControl, _ rules: StoredResponse.Rules, _ age: Double, _ lifetime: Double
  ) -> Response.Source? {
    if request.noCache || rules.directives.noCache { return nil }
    if let limit = request.maxAge, age > Double(limit) || limit == 0 { return nil }
    if lifetime > age, lifetime - age >= Double(request.minFresh ?? 0) { return .cache }
    guard lifetime <= age, !rules.directives.mustRevalidate else { return nil }
    let staleness = age - lifetime
    if let limit = request.maxStale, request.minFresh == nil, staleness <= Double(limit) {
      return .stale(.allowed)
    }
    if let limit = rules.directives.staleWhileRevalidate, request.maxAge == nil,
      request.minFresh == nil, staleness <= Double(limit)
    {
      return .stale(.revalidating)
    }
    return nil
  }

  /// Returns whether a stored response can be served after its validation has failed.
  ///
  /// - Parameters:
  ///   - query: The request.
  ///   - rules: The rules of the stored response.
  ///   - isOffline: Whether there is no network. Otherwise the server has failed.
  ///   - now: The time.
  /// - Returns: The reason to serve it, or `nil`.
  static func staleReason(
    _ query: CacheQuery, _ rules: StoredResponse.Rules, isOffline: Bool, at now: Date
  ) -> Response.StaleReason? {
    guard query.policy == .default, !rules.directives.mustRevalidate, !rules.directives.noCache,
      !query.directives.noCache
    else { return nil }
    let staleness = rules.age(at: now) - rules.lifetime(or: query.lifetime)
    if let limit = query.staleWhenOffline, isOffline, staleness <= limit { return .offline }
    let limits = [rules.directives.staleIfError, query.directives.staleIfError].compactMap { $0 }
    guard let limit = limits.max(), staleness <= Double(limit) else { return nil }
    return isOffline ? .offline : .error
  }

  /// The statuses of a server that has failed.
  ///
  /// Source: RFC 5861 section 4.
  static let errorStatuses: Set<Int> = [500, 502, 503, 504]

  /// Returns whether a response can be stored, and a stored copy is of use.
  ///
  /// Source: RFC 9111 section 3.
  ///
  /// - Parameters:
  ///   - head: The status and the fields.
  ///   - query: The request.
  ///   - now: The time at which the response was received.
  /// - Returns: Whether it is to be stored.
  static func isStorable(_ head: HTTPResponseHead, to query: CacheQuery, at now: Date) -> Bool {
    guard query.method == .get, query.policy != .noStore, !query.directives.noStore else {
      return false
    }
    // A partial response is not stored, and a 304 without a stored response is none.
    guard head.status >= 200, head.status != 206, head.status != 304,
      !head.headers.contains("Content-Range"), CacheDigest.varyNames(head.headers) != nil
    else { return false }
    let rules = StoredResponse.Rules(head, requestTime: now, responseTime: now)
    let directives = rules.directives
    if directives.mustUnderstand {
      guard isUnderstood(head.status) else { return false }
    } else if directives.noStore {
      return false
    }
    let isHeuristic =
      StoredResponse.Rules.heuristicStatuses.contains(head.status) || directives.isPublic
    guard
      isHeuristic || rules.declaredLifetime != nil
        || (query.policy == .preferCache && head.status < 400)
    else { return false }
    let lifetime = rules.declaredLifetime ?? rules.heuristicLifetime ?? 0
    return lifetime > 0 || rules.hasValidator || query.policy == .preferCache
      || (query.lifetime != nil && rules.declaredLifetime == nil) || query.staleWhenOffline != nil
      || directives.staleWhileRevalidate ?? 0 > 0 || directives.staleIfError ?? 0 > 0
  }

  /// Whether the client knows the caching requirements of a status.
  private static func isUnderstood(_ status: Int) -> Bool {
    switch status {
    case 200...205, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 500...505: true
    default: false
    }
  }

  /// Returns the URLs whose stored responses an unsafe request has made invalid.
  ///
  /// They are that of the request and, if they have the same origin, those in `Location` and
  /// `Content-Location`.
  ///
  /// Source: RFC 9111 section 4.4.
  ///
  /// - Parameters:
  ///   - method: The method of the request.
  ///   - url: The URL of the request.
  ///   - head: The status and the fields of the response.
  /// - Returns: The URLs, none for a safe or a failed request.
  static func invalidated(
    by method: HTTPMethod, _ url: URL, _ head: HTTPResponseHead
  ) -> [CacheKey] {
    guard !method.isSafe, (200...399).contains(head.status), let origin = Origin(url) else {
      return []
    }
    var keys = [CacheKey(url, origin)]
    for name in ["Location", "Content-Location"] {
      guard let location = head.headers.values(for: name).first,
        let other = URL(reference: location, relativeTo: url), origin.matches(other)
      else { continue }
      let key = CacheKey(other, origin)
      if !keys.contains(key) { keys.append(key) }
    }
    return keys
  }
}

extension StoredResponse {
  /// The order in which the responses to a request are chosen.
  ///
  /// Source: RFC 9111 section 4.1.
  fileprivate var precedence: (Int, Date) { (selector.fields.isEmpty ? 0 : 1, responseTime) }
}
