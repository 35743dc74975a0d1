public import Foundation

/// The scheme, host and port of a URL.
///
/// Credentials given for one origin are never sent to another.
///
/// Source: RFC 6454 section 4, RFC 9110 section 4.3.1.
public struct Origin: Sendable, Hashable {
  /// The scheme in lower case.
  public let scheme: String
  /// The host in lower case, an IPv6 address without brackets.
  public let host: String
  /// The port, or the scheme's default port if the URL has none.
  public let port: Int

  /// Creates the origin of an absolute URL.
  ///
  /// Returns `nil` if the URL has no host, or neither a port nor a scheme with a known default
  /// port.
  ///
  /// - Parameter url: An `http` or `https` URL, or a URL of any scheme with a port.
  public init?(_ url: URL) {
    var text = url.absoluteString
    if let origin = text.withUTF8({ bytes in Authority(bytes).map { Origin($0, bytes) } }) {
      self = origin
      return
    }
    guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased(), !host.isEmpty,
      let port = url.port ?? ["http": 80, "https": 443][scheme]
    else { return nil }
    (self.scheme, self.host, self.port) = (scheme, host, port)
  }

  private init(_ authority: Authority, _ bytes: UnsafeBufferPointer<UInt8>) {
    scheme = authority.scheme
    port = authority.port
    let name = bytes[authority.host]
    host = String(unsafeUninitializedCapacity: name.count) { buffer in
      buffer.initialize(fromContentsOf: name.lazy.map(\.lowercasedASCII))
    }
  }

  /// Returns whether a URL has this origin.
  ///
  /// Equal to `Origin(url) == self`, but does not allocate for common URLs.
  ///
  /// - Parameter url: An absolute URL.
  /// - Returns: Whether scheme, host and port are equal.
  func matches(_ url: URL) -> Bool {
    var text = url.absoluteString
    let isEqual = text.withUTF8 { bytes -> Bool? in
      guard let authority = Authority(bytes) else { return nil }
      return authority.port == port && authority.scheme == scheme
        && host.utf8.elementsEqual(bytes[authority.host]) { $0 == $1.lowercasedASCII }
    }
    return isEqual ?? (Origin(url) == self)
  }

  /// The scheme, host and port of a URL in the common form (RFC 3986 section 3.2).
  ///
  /// That is `http://` or `https://`, a host of ASCII letters, digits, `.`, `-` and `_`, and an
  /// optional port. Parsing this form is much faster than Foundation's accessors. Those accessors
  /// parse all other URLs: those with user information, IPv6 addresses, percent-encoded and
  /// international names.
  private struct Authority {
    let scheme: String
    /// The positions of the host.
    let host: Range<Int>
    let port: Int

    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
      let isSecure = bytes.count > 4 && bytes[4] == UInt8(ascii: "s")
      scheme = isSecure ? "https" : "http"
      let prefix: StaticString = isSecure ? "https://" : "http://"
      let start = prefix.utf8CodeUnitCount
      guard bytes.count > start, (0..<start).allSatisfy({ bytes[$0] == prefix.utf8Start[$0] })
      else { return nil }
      var end = start
      while end < bytes.count, Self.isHostCharacter(bytes[end]) {
        // Two hyphens can be part of an international name.
        if bytes[end] == UInt8(ascii: "-"), bytes[end - 1] == UInt8(ascii: "-") { return nil }
        end += 1
      }
      host = start..<end
      guard end > start else { return nil }
      guard end < bytes.count, bytes[end] == UInt8(ascii: ":") else {
        port = scheme == "https" ? 443 : 80
        if end < bytes.count, !Self.endsAuthority(bytes[end]) { return nil }
        return
      }
      let digits = bytes[(end + 1)...].prefix { !Self.endsAuthority($0) }
      guard (1...5).contains(digits.count), digits.allSatisfy(\.isASCIIDigit),
        digits.first != UInt8(ascii: "0"),
        case let port = digits.reduce(0, { $0 * 10 + Int($1 & 0xF) }), port <= 65_535
      else { return nil }
      self.port = port
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
      // Compared one by one, because a search in a string is slow for each byte.
      byte.isASCIIAlphanumeric || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "_")
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
  }
}

extension Origin {
  /// Whether the host is `localhost`, a name below it, or an address of the loopback interface.
  ///
  /// The host is not resolved.
  ///
  /// Source: RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3.
  var isLoopback: Bool {
    // Fast path: the first byte excludes most hosts.
    switch host.utf8.first {
    case UInt8(ascii: ":"): return host == "::1"
    case UInt8(ascii: "1"):
      guard host.hasPrefix("127.") else { return false }
      let parts = host.split(separator: ".", omittingEmptySubsequences: false)
      return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    default: return host == "localhost" || host.hasSuffix(".localhost")
    }
  }
}

extension Origin {
  /// Returns the start of a URL, validated and in lower case: `https://[::1]:8443`.
  ///
  /// A port is kept even if it is the scheme's default port.
  ///
  /// Source: RFC 3986 section 3.2, RFC 9110 section 4.2, RFC 1123 section 2.1.
  ///
  /// - Parameters:
  ///   - scheme: `https` or `http`, in any case.
  ///   - host: A name or an IP address. The brackets of an IPv6 address are optional. It may have a zone:
  ///     `fe80::1%25eth0`.
  ///   - port: The port, or `nil` for none.
  /// - Returns: The scheme, the host and, if there is one, the port.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidURL`` if one of
  ///   them is invalid. The reason describes it.
  static func urlPrefix(
    scheme: some StringProtocol, host: some StringProtocol, port: Int?
  ) throws(NetworkError) -> String {
    let scheme = scheme.lowercased()
    guard scheme == "https" || scheme == "http" else {
      throw invalid("the scheme \(scheme.prefix(20).debugDescription) is neither https nor http")
    }
    let host = String(host)
    let validHost: String
    do {
      validHost = try validated(host: host)
    } catch {
      if let part = misplacedPart(in: host) { throw invalid(part) }
      throw error
    }
    var text = "\(scheme)://\(validHost)"
    if let port {
      guard (1...65_535).contains(port) else {
        throw invalid("the port \(port) is not between 1 and 65535")
      }
      text += ":\(port)"
    }
    return text
  }

  /// Returns the start of a URL, validated and in lower case.
  ///
  /// - Parameters:
  ///   - scheme: `https` or `http`, in any case.
  ///   - authority: `host`, `host:port`, `[address]` or `[address]:port`.
  /// - Returns: The scheme, the host and, if there is one, the port.
  /// - Throws: The error of ``urlPrefix(scheme:host:port:)``.
  static func urlPrefix(scheme: some StringProtocol, authority: Substring) throws(NetworkError)
    -> String
  {
    guard !authority.utf8.contains(UInt8(ascii: "@")) else {
      throw invalid(
        "a URL must not contain a user name or password; use authenticate()"
      )
    }
    let afterAddress = authority.lastIndex(of: "]") ?? authority.startIndex
    guard let colon = authority[afterAddress...].firstIndex(of: ":") else {
      return try urlPrefix(scheme: scheme, host: authority, port: nil)
    }
    let digits = authority[authority.index(after: colon)...]
    guard digits.utf8.allSatisfy(\.isASCIIDigit),
      let port = Int(digits)
    else { throw invalid("the port is not a number") }
    return try urlPrefix(scheme: scheme, host: authority[..<colon], port: port)
  }

  private static func invalid(_ reason: String) -> NetworkError {
    NetworkError(.invalidURL, reason)
  }

  /// Returns a valid host in lower case, an IPv6 address with brackets.
  private static func validated(host: String) throws(NetworkError) -> String {
    if host.isEmpty { throw invalid("the host is empty") }
    if host.utf8.contains(UInt8(ascii: ":")) || host.hasPrefix("[") {
      return try validated(ipv6: host)
    }
    if !host.utf8.allSatisfy({ $0 < 0x80 }) { return try validated(international: host) }
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    guard name.utf8.count <= 253 else { throw invalid("the host is longer than 253 characters") }
    for label in name.split(separator: ".", omittingEmptySubsequences: false) {
      if label.isEmpty { throw invalid("the host has an empty label") }
      if label.utf8.count > 63 { throw invalid("a label of the host is longer than 63 characters") }
      if label.hasPrefix("-") || label.hasSuffix("-") {
        throw invalid("a label of the host starts or ends with a hyphen")
      }
      if let scalar = label.unicodeScalars.first(where: { !isHostCharacter($0) }) {
        throw invalid("the host contains the invalid character \(String(scalar).debugDescription)")
      }
    }
    return host.lowercased()
  }

  /// Returns an international name in ASCII, as Foundation converts it in a URL.
  ///
  /// Source: UTS #46, RFC 5891.
  private static func validated(international host: String) throws(NetworkError) -> String {
    // A delimiter would end the host in the URL.
    if let scalar = host.unicodeScalars.first(where: {
      $0.isASCII && $0 != "." && !isHostCharacter($0)
    }) {
      throw invalid("the host contains the invalid character \(String(scalar).debugDescription)")
    }
    var components = URLComponents()
    components.scheme = "https"
    components.host = host
    guard let ascii = components.url?.host, ascii.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw invalid("the host is not an international name")
    }
    return try validated(host: ascii)
  }

  /// Returns the reason of the error of an invalid host that contains another part of a URL, or
  /// `nil`.
  private static func misplacedPart(in host: String) -> String? {
    if host.contains("://") { return "the host contains a scheme; pass it as the scheme" }
    if host.utf8.contains(UInt8(ascii: "@")) {
      return "the host contains a user name; use authenticate()"
    }
    if host.utf8.contains(where: { "/?#".utf8.contains($0) }) {
      return "the host contains a path; pass it as the path"
    }
    let colons = host.utf8.count(where: { $0 == UInt8(ascii: ":") })
    return colons == 1 || host.contains("]:")
      ? "the host contains a port; pass it as the port" : nil
  }

  /// Accepts the underscore, which occurs in host names although RFC 1123 does not allow it.
  private static func isHostCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }

  private static func validated(ipv6 host: String) throws(NetworkError) -> String {
    let unbracketed =
      host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host[...]
    let text = unbracketed.prefix { $0 != "%" }
    var address = in6_addr()
    guard !text.utf8.contains(0), inet_pton(AF_INET6, String(text), &address) == 1 else {
      throw invalid("the host is not an IPv6 address")
    }
    guard text.endIndex < unbracketed.endIndex else { return "[\(text.lowercased())]" }
    // The zone follows `%25` (RFC 6874), or only `%`, as other programs write it.
    var zone = unbracketed[text.endIndex...].dropFirst()
    if zone.hasPrefix("25"), zone.utf8.count > 2 { zone = zone.dropFirst(2) }
    let isName = zone.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._~".utf8.contains($0) }
    guard isName, !zone.isEmpty else { throw invalid("the zone of the IPv6 address is not a name") }
    return "[\(text.lowercased())%25\(zone)]"
  }
}
