/// Which hosts are this very machine, by name: no look-up is made.
enum Loopback {
  /// Whether the host of an absolute URL is `localhost`, a name below it, or an address of the loopback
  /// interface.
  ///
  /// Source: RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3.
  ///
  /// - Parameter url: a URL without user name and password.
  /// - Returns: true where such a host follows the scheme.
  static func isHost(ofURL url: String) -> Bool {
    guard let start = url.firstRange(of: "://")?.upperBound else { return false }
    let authority = url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if authority.hasPrefix("[") { return authority.hasPrefix("[::1]") }
    let host = authority.prefix { $0 != ":" }.lowercased()
    return host == "localhost" || host.hasSuffix(".localhost") || isAddress(host)
  }

  /// 127.0.0.0/8, in its usual spelling.
  private static func isAddress(_ host: String) -> Bool {
    guard host.hasPrefix("127.") else { return false }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }
}
