import Foundation

/// Scheme, host and port, each checked.
///
/// Source: RFC 3986 section 3.2, RFC 9110 section 4.2, RFC 1123 section 2.1.
struct URLOrigin {
  /// As it stands in a URL, scheme and host in lower case: `https://[::1]:8443`.
  let text: String

  init(scheme: some StringProtocol, host: some StringProtocol, port: Int?) throws {
    let scheme = scheme.lowercased()
    guard scheme == "https" || scheme == "http" else {
      throw Self.error("the scheme \(scheme.prefix(20).debugDescription) is neither https nor http")
    }
    var text = "\(scheme)://\(try Self.checked(host: String(host)))"
    if let port {
      guard (1...65_535).contains(port) else {
        throw Self.error("the port \(port) is not between 1 and 65535")
      }
      text += ":\(port)"
    }
    self.text = text
  }

  /// Takes `host`, `host:port`, `[address]` or `[address]:port`.
  init(scheme: some StringProtocol, authority: Substring) throws {
    guard !authority.utf8.contains(UInt8(ascii: "@")) else {
      throw Self.error(
        "it has a user name or password, which do not belong into a URL: authenticate() is for them"
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

  private static func checked(host: String) throws -> String {
    if host.isEmpty { throw error("the host is empty") }
    if host.utf8.contains(UInt8(ascii: ":")) || host.hasPrefix("[") {
      return try checked(ip6: host)
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
            : "the host is not ASCII; an international name is written as xn--...")
      }
    }
    return host.lowercased()
  }

  /// The underscore is not RFC 1123's, and used all the same.
  private static func isHostCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }

  private static func checked(ip6 host: String) throws -> String {
    let bare =
      host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    var address = in6_addr()
    guard !bare.utf8.contains(0), inet_pton(AF_INET6, bare, &address) == 1 else {
      throw error("the host is not an IPv6 address")
    }
    return "[\(bare.lowercased())]"
  }
}

/// What decides whether two URLs belong together: scheme, host and port.
///
/// Credentials given for one origin are never sent to another.
///
/// Source: RFC 6454 section 4.
public struct Origin: Sendable, Hashable {
  /// The scheme in lower case.
  public let scheme: String
  /// The host in lower case.
  public let host: String
  /// The port, the scheme's own where the URL names none.
  public let port: Int

  /// The origin of an absolute URL; nil when it has no host, or no port that is known.
  ///
  /// - Parameter url: an `http` or `https` URL, or any that names its port.
  public init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased(), !host.isEmpty,
      let port = url.port ?? ["http": 80, "https": 443][scheme]
    else { return nil }
    self.scheme = scheme
    self.host = host
    self.port = port
  }
}
