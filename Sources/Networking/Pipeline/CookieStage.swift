import Foundation
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends the cookies that a store has for a hop's URL, and keeps those that the answer sets.
///
/// A `Cookie` field that the request brings is left as it is. What Foundation's storage on Linux does not
/// look at is looked at here: the path and the domain of a cookie, whether it is for secure connections only,
/// and its age.
///
/// Source: RFC 6265 sections 5.1.3, 5.1.4, 5.2.2, 5.3 and 5.4.
struct CookieStage: BuiltInStage {
  let storage: HTTPCookieStorage

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    var exchange = exchange
    let url = exchange.request.url
    exchange.request = addingCookies(to: exchange.request)
    return next(exchange).map { response in
      store(response.headers.values(for: "Set-Cookie"), from: url)
      return response
    }
  }

  /// The request with the cookies for its URL, unless it brings some itself.
  func addingCookies(to request: HTTPRequest) -> HTTPRequest {
    let url = request.url
    guard !request.headers.contains("Cookie"),
      let cookies = storage.cookies(for: url)?.filter({ CookieRules.of($0).matches(url) }),
      !cookies.isEmpty
    else { return request }
    var request = request
    request.headers["Cookie"] = Self.field(
      cookies.count == 1 ? cookies : cookies.sorted(by: CookieRules.precedes))
    return request
  }

  /// The field for cookies, in their order: Foundation makes a dictionary of it, for half a microsecond more.
  ///
  /// Source: RFC 6265 section 5.4, step 4.
  private static func field(_ cookies: [HTTPCookie]) -> String {
    var field = ""
    for cookie in cookies {
      if !field.isEmpty { field += "; " }
      field += cookie.name
      field += "="
      field += cookie.value
    }
    return field
  }

  private func store(_ values: [String], from url: URL) {
    for value in values {
      // One by one: a list of them joined by commas could not be told apart from a date's comma.
      let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
        .filter { CookieDomainRules.domainMatches($0, setBy: value, from: url) }
        .map { CookieRules.applyingAttributes($0, setBy: value, from: url) }
      if CookieRules.isDeletion(value) {
        for cookie in cookies { storage.deleteCookie(cookie) }
      } else {
        storage.setCookies(cookies, for: url, mainDocumentURL: nil)
      }
    }
  }
}

/// Where a cookie goes, as far as Foundation's storage on Linux does not see to it.
///
/// Source: RFC 6265 sections 5.1.4, 5.2.2, 5.2.4 and 5.4.
struct CookieRules: Hashable {
  let path: String
  let isSecure: Bool

  static func of(_ cookie: HTTPCookie) -> CookieRules {
    CookieRules(path: cookie.path, isSecure: cookie.isSecure)
  }

  /// Whether a request for a URL may bring the cookie.
  func matches(_ url: URL) -> Bool {
    guard !isSecure || url.scheme?.lowercased() == "https" else { return false }
    let requested = url.path(percentEncoded: true)
    let target = requested.isEmpty ? "/" : requested
    guard target != path else { return true }
    return target.hasPrefix(path)
      && (path.hasSuffix("/") || target.dropFirst(path.count).first == "/")
  }

  /// The order in one field: those of longer paths first, the others by name, so that it is the same
  /// each time.
  static func precedes(_ cookie: HTTPCookie, _ other: HTTPCookie) -> Bool {
    (other.path.utf8.count, cookie.name) < (cookie.path.utf8.count, other.name)
  }

  // MARK: What a Set-Cookie field says

  /// A cookie with the path that it is for when it names none, the folder of where it comes from, and
  /// with the date that its age comes to.
  static func applyingAttributes(
    _ cookie: HTTPCookie, setBy value: String, from url: URL, now: Date = Date()
  ) -> HTTPCookie {
    var properties = cookie.properties ?? [:]
    let namesPath = attribute("path", of: value)?.hasPrefix("/") == true
    let age = age(of: value)
    if namesPath, age == nil { return cookie }
    if !namesPath { properties[.path] = folder(of: url) }
    if let age {
      // Without the age itself, which Foundation on Linux prefers and then does not heed.
      properties[.maximumAge] = nil
      properties[.discard] = "FALSE"
      properties[.expires] = now.addingTimeInterval(age)
    }
    return HTTPCookie(properties: properties) ?? cookie
  }

  private static func folder(of url: URL) -> String {
    let requested = url.path(percentEncoded: true)
    let folder = requested.lastIndex(of: "/").map { String(requested[..<$0]) } ?? ""
    return folder.isEmpty ? "/" : folder
  }

  /// Whether a field ends a cookie's life by an age of nothing or less.
  static func isDeletion(_ value: String) -> Bool {
    age(of: value).map { $0 <= 0 } ?? false
  }

  /// The age at which a cookie ends, in seconds, a hundred years at the most; nil when the field says
  /// none.
  private static func age(of value: String) -> TimeInterval? {
    guard let text = attribute("max-age", of: value) else { return nil }
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }),
      let age = TimeInterval(text)
    else { return nil }
    return min(age, 100 * 365.25 * 86_400)
  }

  /// The last attribute of a name, which is the one that counts.
  static func attribute(_ name: String, of value: String) -> String? {
    value.split(separator: ";").dropFirst().last { part in
      part.prefix { $0 != "=" }.trimmingCharacters(in: .whitespaces).lowercased() == name
    }.map { part in
      part.drop { $0 != "=" }.dropFirst().trimmingCharacters(in: .whitespaces)
    }
  }
}

/// Whose cookies a server may set and take back, which Foundation does not ask when one is deleted.
///
/// Source: RFC 6265 sections 5.1.3 and 5.3, steps 5 and 6.
enum CookieDomainRules {
  /// Whether a server may set or take back a cookie.
  ///
  /// A domain of one label, such as `com`, is nobody's own but that of the host of this name; a host that
  /// is an address has no domain.
  ///
  /// - Parameters:
  ///   - cookie: what Foundation made of the field.
  ///   - value: the value of the `Set-Cookie` field.
  ///   - url: where the field comes from.
  /// - Returns: whether the host is the cookie's domain, or within it.
  static func domainMatches(_ cookie: HTTPCookie, setBy value: String, from url: URL) -> Bool {
    guard let host = url.host?.lowercased() else { return false }
    let named = CookieRules.attribute("domain", of: value) ?? ""
    if isAddress(host) { return named.isEmpty }
    let domain = cookie.domain.lowercased().drop { $0 == "." }
    if host == domain { return true }
    return domain.split(separator: ".").count > 1 && host.hasSuffix(".\(domain)")
  }

  /// Whether a host is an address: of version 6, or with a number as its last label.
  private static func isAddress(_ host: String) -> Bool {
    if host.contains(":") { return true }
    return host.split(separator: ".").last?.allSatisfy { ("0"..."9").contains($0) } ?? false
  }
}
