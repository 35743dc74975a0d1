public import Foundation

/// A cookie: a name and a value that a client sends back to the servers of a domain.
///
/// ```swift
/// var cookie = Cookie("theme", "dark", domain: "shop.example")
/// cookie.isSecure = true
/// try jar.set(cookie)
/// ```
///
/// The type accepts any texts. ``CookieJar/set(_:)`` checks them. Texts are compared by their bytes:
/// `é` as one character differs from `e` with an accent.
///
/// Source: RFC 6265bis section 5.7.
public struct Cookie: Sendable, Hashable, Codable {
  /// The restriction of a cookie to requests from pages of its own site.
  ///
  /// A client without pages, such as this one, keeps and shows the attribute, and sends the cookie
  /// regardless of it. It ignores a server's cookie with ``none`` that is not `Secure`.
  ///
  /// Source: RFC 6265bis section 5.6.7.
  public enum SameSite: String, Sendable, Hashable, Codable {
    /// The attribute is missing, or its value is unknown.
    case unspecified
    /// `None`: requests from all sites.
    case none
    /// `Lax`: requests from the own site, and navigations to it.
    case lax
    /// `Strict`: requests from the own site only.
    case strict
  }

  /// The maximum number of bytes of ``name`` and ``value`` together.
  ///
  /// Source: RFC 6265bis section 5.6, step 5.
  public static let maximumSize = 4_096

  /// The name, which is not empty.
  public var name: String
  /// The value, which may be empty.
  public var value: String
  /// The domain in lower case, without a leading dot: a host name or an IP address.
  public var domain: String
  /// Whether the cookie is sent to the host ``domain`` only, and not to the hosts below it.
  public var isHostOnly: Bool
  /// The path, which begins with `/`.
  ///
  /// The cookie is sent to this path and to all paths below it.
  public var path: String
  /// The date from which on the cookie is not sent.
  ///
  /// `nil` means that the cookie lasts as long as its jar, and is not written to a file.
  public var expires: Date?
  /// Whether the cookie is sent over `https` only.
  public var isSecure: Bool
  /// Whether the server asks to hide the cookie from scripts.
  ///
  /// It is kept and shown.
  public var isHTTPOnly: Bool
  /// The restriction to requests from the own site.
  ///
  /// It is kept and shown.
  public var sameSite: SameSite

  /// Creates a cookie.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - value: The value.
  ///   - domain: A host name or an IP address. Letters are converted to lower case.
  ///   - isHostOnly: Whether the cookie is sent to this host only.
  ///   - path: The path, which begins with `/`.
  ///   - expires: The date from which on the cookie is not sent. `nil` means no such date.
  ///   - isSecure: Whether the cookie is sent over `https` only.
  ///   - isHTTPOnly: Whether the cookie is hidden from scripts.
  ///   - sameSite: The restriction to requests from the own site.
  public init(
    _ name: String, _ value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
    expires: Date? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false,
    sameSite: SameSite = .unspecified
  ) {
    self.name = name
    self.value = value
    self.domain = domain.lowercased()
    self.isHostOnly = isHostOnly
    self.path = path
    self.expires = expires
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
    self.sameSite = sameSite
  }

  /// Returns whether the cookie has expired.
  ///
  /// - Parameter now: The current date.
  /// - Returns: `false` for a cookie without ``expires``.
  public func hasExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}

extension Cookie {
  /// Returns whether all properties are equal, texts by their bytes.
  public static func == (lhs: Cookie, rhs: Cookie) -> Bool {
    lhs.key == rhs.key && lhs.value.hasBytes(of: rhs.value) && lhs.expires == rhs.expires
      && lhs.isSecure == rhs.isSecure && lhs.isHTTPOnly == rhs.isHTTPOnly
      && lhs.sameSite == rhs.sameSite
  }
}

extension Cookie: BrieflyDescribed {
  /// One line without the value: `sid=***; Domain=shop.example; Path=/; Secure; HttpOnly`.
  ///
  /// `Domain` has a leading dot if the cookie is also sent to the hosts below the domain. Control
  /// characters and line separators are escaped.
  public var description: String {
    var text = "\(Self.printable(name))=\(value.isEmpty ? "" : Redactor.mask)"
    text += "; Domain=\(isHostOnly ? "" : ".")\(Self.printable(domain))"
    text += "; Path=\(Self.printable(path))"
    if let expires { text += "; Expires=\(HTTPDate.text(of: expires))" }
    if isSecure { text += "; Secure" }
    if isHTTPOnly { text += "; HttpOnly" }
    if sameSite != .unspecified { text += "; SameSite=\(sameSite.rawValue.capitalized)" }
    return text
  }

  /// A mirror of the description, without the value.
  public var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }

  private static func printable(_ text: String) -> String {
    // Fast path: visible ASCII.
    guard !text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return text }
    return text.unicodeScalars.map { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: scalar.escaped(asASCII: true)
      default: String(scalar)
      }
    }.joined()
  }
}

// MARK: Rules

extension Cookie {
  /// The identity of a cookie in a jar: a cookie replaces the one with the same key.
  ///
  /// Source: RFC 6265bis section 5.7, step 23.
  struct Key: Hashable, Sendable {
    let name: String
    let path: String
    let domain: String
    let isHostOnly: Bool

    // The derived hash fits: texts with the same bytes have the same hash.
    static func == (lhs: Key, rhs: Key) -> Bool {
      lhs.isHostOnly == rhs.isHostOnly && lhs.name.hasBytes(of: rhs.name)
        && lhs.path.hasBytes(of: rhs.path) && lhs.domain.hasBytes(of: rhs.domain)
    }
  }

  var key: Key { Key(name: name, path: path, domain: domain, isHostOnly: isHostOnly) }

  /// The reason why no jar stores the cookie, as part of a sentence, or `nil` if it is valid.
  ///
  /// Source: RFC 6265bis sections 5.6 and 5.7. A cookie without a name is not valid (RFC 6265
  /// section 5.2, step 5), because a server would read `__Host-a=1` in its value as a cookie of
  /// that name.
  var defect: String? {
    if name.isEmpty { return "it has no name" }
    if name.utf8.count + value.utf8.count > Self.maximumSize {
      return "its name and value have more than \(Self.maximumSize) bytes"
    }
    if !name.utf8.allSatisfy({ Self.isValid($0) && $0 != UInt8(ascii: "=") }) || !name.isTrimmed {
      return "its name has an invalid character"
    }
    if !value.utf8.allSatisfy(Self.isValid) || !value.isTrimmed {
      return "its value has an invalid character"
    }
    if !path.utf8.allSatisfy(Self.isValid) || path.utf8.first != UInt8(ascii: "/")
      || path.utf8.count > SetCookie.maximumAttributeSize
    {
      return "its path is invalid"
    }
    if domain.isEmpty || domain.utf8.count > SetCookie.maximumAttributeSize
      || !domain.utf8.allSatisfy({ Self.isValid($0) && $0 < 0x80 && $0.lowercasedASCII == $0 })
    {
      return "its domain is invalid"
    }
    if !isHostOnly, !CookieScope.isAddress(domain), PublicSuffixes.shared.contains(domain) {
      return "its domain is a public suffix"
    }
    // The reason why the cookie does not fulfil the conditions of its name's prefix.
    // Source: RFC 6265bis section 5.7, steps 20 and 21.
    if name.hasASCIIPrefix("__secure-"), !isSecure { return "__Secure- requires Secure" }
    if hasHostPrefix, !isSecure || !isHostOnly || path != "/" {
      return "__Host- requires Secure, the path / and no domain"
    }
    return nil
  }

  /// Whether the name begins with `__Host-`; the case is ignored.
  var hasHostPrefix: Bool { name.hasASCIIPrefix("__host-") }

  /// Whether a byte may occur in a name, value, domain, or path.
  private static func isValid(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: ";") && !SetCookie.isControl(byte)
  }
}

extension String {
  /// Returns whether the text consists of the bytes of another one.
  ///
  /// `==` also calls canonically equivalent texts equal.
  func hasBytes(of other: String) -> Bool {
    // The first comparison is the faster one, and never calls texts with the same bytes different.
    self == other && utf8.elementsEqual(other.utf8)
  }

  /// Whether the text neither begins nor ends with a space or tab.
  fileprivate var isTrimmed: Bool { !" \t".utf8.contains { utf8.first == $0 || utf8.last == $0 } }

  /// Returns whether the text begins with a prefix in lower case; the case of ASCII letters is
  /// ignored.
  fileprivate func hasASCIIPrefix(_ prefix: String) -> Bool {
    utf8.count >= prefix.utf8.count
      && zip(utf8, prefix.utf8).allSatisfy { $0.lowercasedASCII == $1 }
  }
}
