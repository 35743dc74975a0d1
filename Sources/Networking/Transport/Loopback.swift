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
    guard let parts = RequestPath.absoluteParts(of: url) else { return false }
    // Told from most hosts by their first byte.
    switch parts.authority.utf8.first {
    case UInt8(ascii: "["): return parts.authority.hasPrefix("[::1]")
    case UInt8(ascii: "1"): return isAddress(host(parts.authority))
    default: return isName(host(parts.authority))
    }
  }

  private static func host(_ authority: Substring) -> Substring {
    authority.utf8.firstIndex(of: UInt8(ascii: ":")).map { authority[..<$0] } ?? authority
  }

  private static func isName(_ host: Substring) -> Bool {
    let localhost = "localhost".utf8
    let bytes = host.utf8.suffix(localhost.count)
    guard bytes.elementsEqual(localhost, by: { $0 | 0x20 == $1 }) else { return false }
    return bytes.startIndex == host.startIndex
      || host.utf8[host.utf8.index(before: bytes.startIndex)] == UInt8(ascii: ".")
  }

  /// 127.0.0.0/8, in its usual spelling.
  private static func isAddress(_ host: Substring) -> Bool {
    guard host.hasPrefix("127.") else { return false }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }
}
