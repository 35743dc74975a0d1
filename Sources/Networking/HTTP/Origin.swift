import Foundation

/// The validated text of an origin: scheme, host, and optional port.
///
/// Source: RFC 3986 section 3.2, RFC 9110 section 4.2, RFC 1123 section 2.1.
struct URLOrigin {
  /// The start of a URL, with scheme and host in lower case: `https://[::1]:8443`.
  let text: String

  /// Validates a scheme, a host, and a port.
  ///
  /// - Throws: ``NetworkError/Code-swift.enum/invalidURL`` with the invalid part as the reason.
  init(scheme: some StringProtocol, host: some StringProtocol, port: Int?) throws {
    let scheme = scheme.lowercased()
    guard scheme == "https" || scheme == "http" else {
      throw Self.error("the scheme \(scheme.prefix(20).debugDescription) is neither https nor http")
    }
    var text = "\(scheme)://\(try Self.validated(host: String(host)))"
    if let port {
      guard (1...65_535).contains(port) else {
        throw Self.error("the port \(port) is not between 1 and 65535")
      }
      text += ":\(port)"
    }
    self.text = text
  }

  /// Validates a scheme and an authority: `host`, `host:port`, `[address]`, or `[address]:port`.
  ///
  /// - Throws: ``NetworkError/Code-swift.enum/invalidURL`` with the invalid part as the reason.
  init(scheme: some StringProtocol, authority: Substring) throws {
    guard !authority.utf8.contains(UInt8(ascii: "@")) else {
      throw Self.error(
        "a URL must not contain a user name or password; use authenticate()"
      )
    }
    let afterAddress = authority.lastIndex(of: "]") ?? authority.startIndex
    guard let colon = authority[afterAddress...].firstIndex(of: ":") else {
      try self.init(scheme: scheme, host: authority, port: nil)
      return
    }
    let digits = authority[authority.index(after: colon)...]
    guard digits.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
      let port = Int(digits)
    else { throw Self.error("the port is not a number") }
    try self.init(scheme: scheme, host: authority[..<colon], port: port)
  }

  private static func error(_ reason: String) -> NetworkError {
    NetworkError(.invalidURL, reason)
  }

  private static func validated(host: String) throws -> String {
    if host.isEmpty { throw error("the host is empty") }
    if host.utf8.contains(UInt8(ascii: ":")) || host.hasPrefix("[") {
      return try validated(ip6: host)
    }
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    guard name.utf8.count <= 253 else { throw error("the host is longer than 253 characters") }
    for label in name.split(separator: ".", omittingEmptySubsequences: false) {
      if label.isEmpty { throw error("the host has an empty label") }
      if label.utf8.count > 63 { throw error("a label of the host is longer than 63 characters") }
      if label.hasPrefix("-") || label.hasSuffix("-") {
        throw error("a label of the host starts or ends with a hyphen")
      }
      if let scalar = label.unicodeScalars.first(where: { !isHostCharacter($0) }) {
        throw error(
          scalar.isASCII
            ? "the host has the character \(String(scalar).debugDescription)"
            : "the host is not ASCII; write an international name in Punycode (xn--...)")
      }
    }
    return host.lowercased()
  }

  /// Returns whether a host name may contain a character.
  ///
  /// RFC 1123 does not allow the underscore, but some hosts have it.
  private static func isHostCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }

  private static func validated(ip6 host: String) throws -> String {
    let bare =
      host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    var address = in6_addr()
    guard !bare.utf8.contains(0), inet_pton(AF_INET6, bare, &address) == 1 else {
      throw error("the host is not an IPv6 address")
    }
    return "[\(bare.lowercased())]"
  }
}

/// The origin of a URL: scheme, host, and port.
///
/// Credentials for one origin are never sent to another.
///
/// Source: RFC 6454 section 4.
public struct Origin: Sendable, Hashable {
  /// The scheme in lower case.
  public let scheme: String
  /// The host in lower case.
  public let host: String
  /// The port of the URL, or the default port of the scheme.
  public let port: Int

  /// Creates the origin of an absolute URL.
  ///
  /// Returns `nil` if the URL has no host, or if it has no port and its scheme is not `http` or
  /// `https`.
  ///
  /// - Parameter url: The URL.
  public init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased(), !host.isEmpty,
      let port = url.port ?? ["http": 80, "https": 443][scheme]
    else { return nil }
    self.scheme = scheme
    self.host = host
    self.port = port
  }
}
