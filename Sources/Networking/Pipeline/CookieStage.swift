import Foundation
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The stage that adds the stored cookies for the URL of a hop, and stores the cookies of the
/// response.
///
/// A `Cookie` field of the request takes precedence. The stage checks the path, domain, `Secure`
/// and `Max-Age` attributes itself, because Foundation's storage on Linux does not.
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

  /// Returns the request with the cookies for its URL, unless it has a `Cookie` field.
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

  /// Returns the value of the `Cookie` field.
  ///
  /// Foundation's own method builds a dictionary and is slower.
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
      // Parsed one by one, because a date contains a comma, which is ambiguous in a list joined by
      // commas.
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

/// The rules for path, `Secure` and `Max-Age`, which Foundation's storage on Linux does not apply.
///
/// Source: RFC 6265 sections 5.1.4, 5.2.2, 5.2.4 and 5.4.
struct CookieRules: Hashable {
  let path: String
  let isSecure: Bool

  static func of(_ cookie: HTTPCookie) -> CookieRules {
    CookieRules(path: cookie.path, isSecure: cookie.isSecure)
  }

  /// Returns whether the cookie is sent to a URL.
  func matches(_ url: URL) -> Bool {
    guard !isSecure || url.scheme?.lowercased() == "https" else { return false }
    let requested = url.path(percentEncoded: true)
    let target = requested.isEmpty ? "/" : requested
    guard target != path else { return true }
    return target.hasPrefix(path)
      && (path.hasSuffix("/") || target.dropFirst(path.count).first == "/")
  }

  /// Returns whether a cookie precedes another in the field: cookies with longer paths first, then
  /// by name, so that the order is stable.
  static func precedes(_ cookie: HTTPCookie, _ other: HTTPCookie) -> Bool {
    (other.path.utf8.count, cookie.name) < (cookie.path.utf8.count, other.name)
  }

  // MARK: Attributes of Set-Cookie

  /// Returns a cookie with the default path if the field has none, and with an expiry date if it
  /// has `Max-Age`.
  static func applyingAttributes(
    _ cookie: HTTPCookie, setBy value: String, from url: URL, now: Date = Date()
  ) -> HTTPCookie {
    var properties = cookie.properties ?? [:]
    let hasPath = attribute("path", of: value)?.hasPrefix("/") == true
    let age = age(of: value)
    if hasPath, age == nil { return cookie }
    if !hasPath { properties[.path] = folder(of: url) }
    if let age {
      // Without `Max-Age`, which Foundation on Linux prefers to the date but does not apply.
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

  /// Returns whether a field deletes its cookie by a `Max-Age` of 0 or less.
  static func isDeletion(_ value: String) -> Bool {
    age(of: value).map { $0 <= 0 } ?? false
  }

  /// Returns the `Max-Age` of a field in seconds, at most a hundred years, or `nil` if it has none.
  private static func age(of value: String) -> TimeInterval? {
    guard let text = attribute("max-age", of: value) else { return nil }
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }),
      let age = TimeInterval(text)
    else { return nil }
    return min(age, 100 * 365.25 * 86_400)
  }

  /// Returns the value of the last attribute with a name, which is the one that applies.
  static func attribute(_ name: String, of value: String) -> String? {
    value.split(separator: ";").dropFirst().last { part in
      part.prefix { $0 != "=" }.trimmingCharacters(in: .whitespaces).lowercased() == name
    }.map { part in
      part.drop { $0 != "=" }.dropFirst().trimmingCharacters(in: .whitespaces)
    }
  }
}

/// The rules for domains: the cookies that a server may set and delete.
///
/// Foundation does not apply them to deletions.
///
/// Source: RFC 6265 sections 5.1.3 and 5.3, steps 5 and 6.
enum CookieDomainRules {
  /// Returns whether a server may set or delete a cookie.
  ///
  /// A domain of one label, such as `com`, matches only the host of that name. An IP address has no
  /// domain.
  ///
  /// - Parameters:
  ///   - cookie: The cookie as Foundation parsed it.
  ///   - value: The value of the `Set-Cookie` field.
  ///   - url: The URL of the request.
  /// - Returns: Whether the host is the cookie's domain, or below it.
  static func domainMatches(_ cookie: HTTPCookie, setBy value: String, from url: URL) -> Bool {
    guard let host = url.host?.lowercased() else { return false }
    let named = CookieRules.attribute("domain", of: value) ?? ""
    if isAddress(host) { return named.isEmpty }
    let domain = cookie.domain.lowercased().drop { $0 == "." }
    if host == domain { return true }
    return domain.split(separator: ".").count > 1 && host.hasSuffix(".\(domain)")
  }

  /// Returns whether a host is an IP address: it contains a colon, or its last label is a number.
  private static func isAddress(_ host: String) -> Bool {
    if host.contains(":") { return true }
    return host.split(separator: ".").last?.allSatisfy { ("0"..."9").contains($0) } ?? false
  }
}

/// The cookie storage of a client.
public enum CookiePolicy: Sendable {
  /// The storage of the client's ``SessionConfiguration``.
  ///
  /// A client on a custom transport uses `HTTPCookieStorage.shared`.
  case session
  /// No storage.
  ///
  /// Cookies are neither stored nor sent, except those in a request's own `Cookie` field.
  case none
  /// A custom storage.
  case storage(HTTPCookieStorage)

  /// Returns the storage of this policy.
  ///
  /// - Parameter sessionStorage: The storage of the client's session.
  /// - Returns: The storage, or `nil` if cookies are not stored.
  func storage(orOfSession sessionStorage: HTTPCookieStorage?) -> HTTPCookieStorage? {
    switch self {
    case .session: sessionStorage
    case .none: nil
    case .storage(let storage): storage
    }
  }
}
