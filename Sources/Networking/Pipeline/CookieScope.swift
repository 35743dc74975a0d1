import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where a cookie goes, as far as Foundation's storage on Linux does not see to it.
///
/// Source: RFC 6265 sections 5.1.4, 5.2.2, 5.2.4 and 5.4.
struct CookieScope: Hashable {
  let path: String
  let isSecure: Bool

  static func of(_ cookie: HTTPCookie) -> CookieScope {
    CookieScope(path: cookie.path, isSecure: cookie.isSecure)
  }

  /// Whether a request for a URL may bring the cookie.
  func covers(_ url: URL) -> Bool {
    guard !isSecure || url.scheme?.lowercased() == "https" else { return false }
    let requested = url.path(percentEncoded: true)
    let target = requested.isEmpty ? "/" : requested
    guard target != path else { return true }
    return target.hasPrefix(path)
      && (path.hasSuffix("/") || target.dropFirst(path.count).first == "/")
  }

  /// The order in one field: those of longer paths first, the others by name, so that it is the same
  /// each time.
  static func goesFirst(_ cookie: HTTPCookie, _ other: HTTPCookie) -> Bool {
    (other.path.utf8.count, cookie.name) < (cookie.path.utf8.count, other.name)
  }

  // MARK: What a Set-Cookie field says

  /// A cookie with the path that it is for when it names none, the folder of where it comes from, and
  /// with the date that its age comes to.
  static func rescoped(
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
  static func takesBack(_ value: String) -> Bool {
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
