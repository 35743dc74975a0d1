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

  // MARK: What a Set-Cookie field says

  /// A cookie with the path that it is for when it names none: the folder of where it comes from.
  static func rescoped(_ cookie: HTTPCookie, setBy value: String, from url: URL) -> HTTPCookie {
    if let path = attribute("path", of: value), path.hasPrefix("/") { return cookie }
    let requested = url.path(percentEncoded: true)
    let folder = requested.lastIndex(of: "/").map { String(requested[..<$0]) } ?? ""
    var properties = cookie.properties ?? [:]
    properties[.path] = folder.isEmpty ? "/" : folder
    return HTTPCookie(properties: properties) ?? cookie
  }

  /// Whether a field ends a cookie's life by an age of nothing or less.
  static func takesBack(_ value: String) -> Bool {
    guard let age = attribute("max-age", of: value).flatMap({ Int($0) }) else { return false }
    return age <= 0
  }

  /// The last attribute of a name, which is the one that counts.
  private static func attribute(_ name: String, of value: String) -> String? {
    value.split(separator: ";").dropFirst().last { part in
      part.prefix { $0 != "=" }.trimmingCharacters(in: .whitespaces).lowercased() == name
    }.map { part in
      part.drop { $0 != "=" }.dropFirst().trimmingCharacters(in: .whitespaces)
    }
  }
}
