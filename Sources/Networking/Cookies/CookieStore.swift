import CatenaSystem
import Foundation

/// The cookies of a jar, as a state machine without locks and clocks.
///
/// The cookies are grouped by domain, so that a request looks up one group for each label of its
/// host.
///
/// Source: RFC 6265bis sections 5.7 and 5.8.
struct CookieStore {
  /// The maximum number of cookies of a domain.
  static let maximumPerDomain = 50
  /// The maximum number of cookies of all domains.
  static let maximumCount = 3_000

  private struct Entry {
    var cookie: Cookie
    /// The position in the order of creation, which a replacement keeps.
    let number: Int
    /// The position in the order of use.
    var lastUse: Int
  }

  /// The cookies of a domain.
  private struct Group {
    /// The registrable name of the domain, or the domain itself if it has none.
    let site: String
    var entries: [Entry] = []
  }

  /// The domains of a site, which have cookies.
  private struct Site {
    var domains: Set<String> = []
    /// The number of cookies of all domains.
    var count = 0
  }

  private var groups: [String: Group] = [:]
  private var sites: [String: Site] = [:]
  private var lastNumber = 0
  /// The earliest date at which a cookie expires.
  private var nextExpiry = Date.distantFuture

  /// The number of cookies.
  private(set) var count = 0
  /// The number of changes of the names and values that are sent.
  ///
  /// A change of a date only does not count.
  private(set) var revision: UInt64 = 0

  /// All cookies in the order of their creation.
  var cookies: [Cookie] {
    groups.values.flatMap(\.entries).sortedByPositions { $0.number < $1.number }.map(\.cookie)
  }

  /// Returns the cookie with a key.
  func cookie(_ key: Cookie.Key) -> Cookie? {
    groups[key.domain]?.entries.first { $0.cookie.key == key }?.cookie
  }

  // MARK: Sending

  /// Returns the cookies for a request: those with longer paths first, then those created first.
  ///
  /// The caller has removed the expired cookies.
  ///
  /// Source: RFC 6265bis section 5.8.3.
  ///
  /// - Parameters:
  ///   - scope: The request.
  ///   - isUse: Whether the cookies are sent, which protects them from eviction.
  /// - Returns: The cookies in the order in which they are sent.
  mutating func cookies(for scope: CookieScope, isUse: Bool) -> [Cookie] {
    guard count > 0 else { return [] }
    // The places of the cookies, so that no cookie is copied that is not sent.
    var found: [(group: Dictionary<String, Group>.Index, entry: Int)] = []
    lastNumber += 1
    Self.forEachDomain(of: scope.host) { domain, isHost in
      guard let group = groups.index(forKey: domain) else { return }
      for entry in groups.values[group].entries.indices
      where (isHost || !groups.values[group].entries[entry].cookie.isHostOnly)
        && scope.admits(groups.values[group].entries[entry].cookie)
      {
        if isUse { groups.values[group].entries[entry].lastUse = lastNumber }
        found.append((group, entry))
      }
    }
    // Fast path: nothing to sort.
    guard found.count > 1 else {
      return found.map { groups.values[$0.group].entries[$0.entry].cookie }
    }
    return found.map { groups.values[$0.group].entries[$0.entry] }.sorted {
      ($1.cookie.path.utf8.count, $0.number) < ($0.cookie.path.utf8.count, $1.number)
    }.map(\.cookie)
  }

  /// Calls a closure with each domain whose cookies a host may receive: the host, and, unless it is
  /// an IP address, each name above it.
  private static func forEachDomain(
    of host: String, _ body: (_ domain: String, _ isHost: Bool) -> Void
  ) {
    body(host, true)
    guard !CookieScope.isAddress(host) else { return }
    var rest = host.utf8[...]
    // A host has at most 127 labels.
    for _ in 0..<127 {
      guard let dot = rest.firstIndex(of: UInt8(ascii: ".")) else { return }
      rest = rest[rest.index(after: dot)...]
      body(String(Substring(rest)), false)
    }
  }

  // MARK: Receiving

  /// Stores the cookie of a `Set-Cookie` field, or ignores the field.
  ///
  /// Source: RFC 6265bis section 5.7.
  ///
  /// - Parameters:
  ///   - field: The parsed field.
  ///   - scope: The request whose response has the field.
  ///   - now: The current date.
  /// - Returns: The changes.
  mutating func receive(
    _ field: SetCookie, from scope: CookieScope, at now: Date
  ) -> [CookieJar.Change] {
    // A secure cookie that has expired protects nothing.
    let expired = removeExpired(at: now)
    guard let cookie = Self.cookie(field, from: scope, at: now), scope.isSecure || !cookie.isSecure,
      scope.isSecure || !hidesSecureCookie(cookie)
    else { return expired }
    return expired + set(cookie, at: now)
  }

  /// Returns the cookie of a field, or `nil` if the host may not set it.
  static func cookie(_ field: SetCookie, from scope: CookieScope, at now: Date) -> Cookie? {
    var domain = field.domain
    if !domain.isEmpty, domain == scope.host, !CookieScope.isAddress(domain),
      PublicSuffixes.shared.contains(domain)
    {
      domain = ""
    }
    guard domain.isEmpty || scope.matches(domain: domain) else { return nil }
    let cookie = Cookie(
      field.name, field.value, domain: domain.isEmpty ? scope.host : domain,
      isHostOnly: domain.isEmpty, path: field.path ?? scope.defaultPath,
      expires: field.expiry(at: now), isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly,
      sameSite: field.sameSite)
    // The prefix requires the attribute, not only the path.
    if field.path == nil, cookie.hasHostPrefix { return nil }
    // Section 5.7, step 19.
    if cookie.sameSite == .none, !cookie.isSecure { return nil }
    return cookie.defect == nil ? cookie : nil
  }

  /// Returns whether a cookie that was set over `http` would be sent in place of a `Secure` one, or
  /// together with it.
  ///
  /// Source: RFC 6265bis section 5.7, step 16.
  private func hidesSecureCookie(_ cookie: Cookie) -> Bool {
    func hides(_ group: Group) -> Bool {
      group.entries.contains { entry in
        entry.cookie.isSecure && entry.cookie.name.hasBytes(of: cookie.name)
          && CookieScope.matches(path: cookie.path.utf8, entry.cookie.path.utf8)
      }
    }
    var isHidden = false
    Self.forEachDomain(of: cookie.domain) { domain, _ in
      if let group = groups[domain], hides(group) { isHidden = true }
    }
    if isHidden { return true }
    // Names below the domain belong to the same site, so a site without other cookies is done.
    guard let site = sites[Self.site(of: cookie.domain)],
      site.count > groups[cookie.domain]?.entries.count ?? 0
    else { return false }
    return site.domains.contains { domain in
      CookieScope.isBelow(domain, cookie.domain) && groups[domain].map(hides) ?? false
    }
  }

  /// Stores a valid cookie, removes the one with the same key, and evicts others if there are too
  /// many.
  ///
  /// A cookie that has expired only removes the other one.
  ///
  /// - Parameters:
  ///   - cookie: The cookie.
  ///   - now: The current date.
  ///   - isUse: Whether a cookie that is replaced counts as used, which protects it from eviction.
  /// - Returns: The changes.
  mutating func set(
    _ cookie: Cookie, at now: Date, isUse: Bool = true
  ) -> [CookieJar.Change] {
    var changes = removeExpired(at: now)
    let key = cookie.key
    guard !cookie.hasExpired(at: now) else { return changes + remove(key, because: .expired) }
    if let expires = cookie.expires { nextExpiry = min(nextExpiry, expires) }
    lastNumber += 1
    if let index = groups[key.domain]?.entries.firstIndex(where: { $0.cookie.key == key }),
      let old = groups[key.domain]?.entries[index].cookie
    {
      if isUse { groups[key.domain]?.entries[index].lastUse = lastNumber }
      guard old != cookie else { return changes }
      groups[cookie.domain]?.entries[index].cookie = cookie
      if !old.value.hasBytes(of: cookie.value) || old.isSecure != cookie.isSecure { revision += 1 }
      return changes + [.stored(cookie, replacing: old)]
    }
    let entry = Entry(cookie: cookie, number: lastNumber, lastUse: lastNumber)
    let site = groups[key.domain]?.site ?? Self.site(of: key.domain)
    groups[key.domain, default: Group(site: site)].entries.append(entry)
    sites[site, default: Site()].domains.insert(key.domain)
    sites[site, default: Site()].count += 1
    count += 1
    revision += 1
    changes.append(.stored(cookie, replacing: nil))
    return changes + evict(from: cookie.domain)
  }

  // MARK: Removing

  /// Removes a cookie.
  ///
  /// - Returns: The change, if there was one.
  mutating func remove(
    _ key: Cookie.Key, because reason: CookieJar.RemovalReason
  ) -> [CookieJar.Change] {
    guard let index = groups[key.domain]?.entries.firstIndex(where: { $0.cookie.key == key })
    else { return [] }
    return [.removed(remove(at: index, of: key.domain), reason)]
  }

  /// Removes the cookies that meet a condition, in the order of their creation.
  ///
  /// - Returns: The changes.
  mutating func removeAll(
    because reason: CookieJar.RemovalReason, where condition: (_ cookie: Cookie) -> Bool
  ) -> [CookieJar.Change] {
    groups.values.flatMap { $0.entries.filter { condition($0.cookie) } }
      .sortedByPositions { $0.number < $1.number }
      .flatMap { remove($0.cookie.key, because: reason) }
  }

  /// Removes the cookies that have expired.
  ///
  /// - Returns: The changes.
  mutating func removeExpired(at now: Date) -> [CookieJar.Change] {
    guard now >= nextExpiry else { return [] }
    var earliest = Date.distantFuture
    let changes = removeAll(because: .expired) { cookie in
      guard let expires = cookie.expires else { return false }
      if expires <= now { return true }
      earliest = min(earliest, expires)
      return false
    }
    nextExpiry = earliest
    return changes
  }

  private mutating func remove(at index: Int, of domain: String) -> Cookie {
    guard let site = groups[domain]?.site, let entry = groups[domain]?.entries.remove(at: index)
    else { preconditionFailure("the caller has found the cookie") }
    if groups[domain]?.entries.isEmpty == true {
      groups[domain] = nil
      sites[site]?.domains.remove(domain)
    }
    sites[site]?.count -= 1
    if sites[site]?.count == 0 { sites[site] = nil }
    count -= 1
    revision += 1
    return entry.cookie
  }

  /// Removes cookies until the limits are met.
  ///
  /// A domain with too many cookies loses one without `Secure`, if it has any. If all domains
  /// together have too many, the site with the most cookies loses one. So a server cannot evict the
  /// cookies of other sites. Among equals, the cookie that has not been sent for the longest time is
  /// removed.
  ///
  /// Source: RFC 6265bis section 5.7, "remove excess cookies".
  private mutating func evict(from domain: String) -> [CookieJar.Change] {
    var changes: [CookieJar.Change] = []
    while let entries = groups[domain]?.entries, entries.count > Self.maximumPerDomain,
      // The last one is the new one.
      let index = entries.indices.dropLast().min(by: {
        (entries[$0].cookie.isSecure ? 1 : 0, entries[$0].lastUse)
          < (entries[$1].cookie.isSecure ? 1 : 0, entries[$1].lastUse)
      })
    {
      changes.append(.removed(remove(at: index, of: domain), .evicted))
    }
    while count > Self.maximumCount, let (domain, index) = leastRecentlyUsed() {
      changes.append(.removed(remove(at: index, of: domain), .evicted))
    }
    return changes
  }

  /// Returns the least recently used cookie of the sites with the most cookies.
  private func leastRecentlyUsed() -> (domain: String, index: Int)? {
    let most = sites.values.lazy.map(\.count).max() ?? 0
    var found: (domain: String, index: Int)?
    // Cookies that were sent together have the same position. The oldest one is evicted.
    var least = (lastUse: Int.max, number: Int.max)
    for domain in sites.values.lazy.filter({ $0.count == most }).flatMap(\.domains) {
      for (index, entry) in (groups[domain]?.entries ?? []).enumerated()
      where (entry.lastUse, entry.number) < least {
        found = (domain, index)
        least = (entry.lastUse, entry.number)
      }
    }
    return found
  }

  private static func site(of domain: String) -> String {
    guard !CookieScope.isAddress(domain) else { return domain }
    return PublicSuffixes.shared.registrableName(of: domain) ?? domain
  }
}
