import Foundation

/// The parts of a request's URL that determine its cookies.
///
/// Source: RFC 6265bis sections 5.1.2 to 5.1.4 and 5.8.3.
struct CookieScope: Sendable {
  /// The host in lower case, an IPv6 address without brackets.
  let host: String
  /// The path, which begins with `/`, percent-encoded as in the request line.
  let path: Substring
  /// Whether the scheme is `https`.
  let isSecure: Bool

  /// Makes the scope of a request.
  ///
  /// Returns `nil` if the URL is not an absolute `http` or `https` URL, or if its host begins with a
  /// dot.
  ///
  /// - Parameter url: The URL.
  init?(_ url: URL) {
    guard let origin = Origin(url), origin.host.utf8.first != UInt8(ascii: ".") else { return nil }
    switch origin.scheme {
    case "https": isSecure = true
    case "http": isSecure = false
    default: return nil
    }
    host = origin.host
    // Foundation's accessors are slower.
    let rest = AbsoluteURLParts(url.absoluteString)?.rest.utf8.prefix { !"?#".utf8.contains($0) }
    path = rest.flatMap { $0.isEmpty ? nil : Substring($0) } ?? "/"
  }

  /// The path of cookies without a path: that of the request up to its last `/`.
  ///
  /// Source: RFC 6265bis section 5.1.4.
  var defaultPath: String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else {
      return "/"
    }
    return String(path[..<slash])
  }

  /// Returns whether the host matches a cookie's domain: it is the domain, or a name below it.
  ///
  /// Source: RFC 6265bis section 5.1.3.
  ///
  /// - Parameter domain: The domain in lower case.
  /// - Returns: `true` for an IP address only if it is the domain.
  func matches(domain: String) -> Bool {
    host == domain || (Self.isBelow(host, domain) && !Self.isAddress(host))
  }

  /// Returns whether a cookie is sent to this URL, apart from its domain and its date.
  ///
  /// - Parameter cookie: A cookie whose domain matches.
  /// - Returns: Whether the path matches, and the scheme is secure if the cookie requires it.
  func admits(_ cookie: Cookie) -> Bool {
    (isSecure || !cookie.isSecure) && Self.matches(path: path.utf8, cookie.path.utf8)
  }

  /// Returns whether a path is a cookie's path, or below it.
  ///
  /// Source: RFC 6265bis section 5.1.4.
  static func matches(
    path: some BidirectionalCollection<UInt8>, _ cookiePath: some BidirectionalCollection<UInt8>
  ) -> Bool {
    guard path.starts(with: cookiePath) else { return false }
    let count = cookiePath.count
    return path.count == count || cookiePath.last == UInt8(ascii: "/")
      || path.dropFirst(count).first == UInt8(ascii: "/")
  }

  /// Returns whether a name ends with a dot and a domain.
  static func isBelow(_ name: String, _ domain: String) -> Bool {
    let rest = name.utf8.count - domain.utf8.count
    guard rest > 1, !domain.isEmpty, name.hasSuffix(domain) else { return false }
    return name.utf8.dropFirst(rest - 1).first == UInt8(ascii: ".")
  }

  /// Returns whether a host is an IP address: it contains a colon, or its last label is a number.
  ///
  /// Source: the URL standard, "ends in a number checker".
  static func isAddress(_ host: String) -> Bool {
    var bytes = host.utf8[...]
    if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    if bytes.contains(UInt8(ascii: ":")) { return true }
    let label = bytes.lastIndex(of: UInt8(ascii: ".")).map { bytes[bytes.index(after: $0)...] }
    return isNumber(label ?? bytes)
  }

  /// Returns whether a label is a number: decimal, or hexadecimal after `0x`.
  private static func isNumber(_ label: Substring.UTF8View) -> Bool {
    // Fast path: most labels begin with a letter.
    guard let first = label.first, first.isASCIIDigit else { return false }
    if label.allSatisfy(\.isASCIIDigit) { return true }
    return label.starts(with: "0x".utf8)
      && label.dropFirst(2).allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
  }
}
