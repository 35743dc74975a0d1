import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Whose cookies a server may set and take back, which Foundation does not ask when one is deleted.
///
/// Source: RFC 6265 sections 5.1.3 and 5.3, steps 5 and 6.
enum CookieDomain {
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
  static func isOwn(_ cookie: HTTPCookie, setBy value: String, from url: URL) -> Bool {
    guard let host = url.host?.lowercased() else { return false }
    let named = CookieScope.attribute("domain", of: value) ?? ""
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
