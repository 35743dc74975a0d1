package import Foundation

/// The URL of a stored response, in a normal form.
///
/// It is a part of the process only. On disk a response has the name of its digest.
struct CacheKey: Sendable, Hashable {
  /// The URL with the origin in lower case, without a default port and without a fragment.
  let text: String

  /// Creates the key of an absolute URL.
  ///
  /// Returns `nil` if the URL has no origin.
  init?(_ url: URL) {
    guard let origin = Origin(url) else { return nil }
    self.init(url, origin)
  }

  /// Creates the key of an absolute URL with a known origin.
  init(_ url: URL, _ origin: Origin) {
    let url = url.absoluteString
    let rest = url.utf8.dropFirst(origin.scheme.utf8.count + 3)
      .drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
      .prefix { $0 != UInt8(ascii: "#") }
    var text = CacheKey.text(of: origin)
    if rest.first != UInt8(ascii: "/") { text += "/" }
    text += Substring(rest)
    self.text = text
  }

  /// Creates a key from its text on disk.
  init(text: String) { self.text = text }

  /// The origin of the URL, which ends before the path.
  var origin: Substring {
    let slashes = text.utf8.firstIndex(of: UInt8(ascii: "/")) ?? text.startIndex
    let host = text.utf8.index(slashes, offsetBy: 2, limitedBy: text.endIndex) ?? text.endIndex
    let end = text.utf8[host...].firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
    return text[..<end]
  }

  /// Returns the text of an origin, without a default port.
  static func text(of origin: Origin) -> String {
    let host = origin.host.utf8.contains(UInt8(ascii: ":")) ? "[\(origin.host)]" : origin.host
    let isDefault = origin.port == (origin.scheme == "https" ? 443 : 80)
    return isDefault ? "\(origin.scheme)://\(host)" : "\(origin.scheme)://\(host):\(origin.port)"
  }
}

extension URL {
  /// The absolute URL with the origin in lower case, without a default port and without a fragment.
  ///
  /// URLs of the same resource that were written differently are equal in it. `nil` without an origin.
  package var identifyingText: String? { CacheKey(self)?.text }
}

extension CacheKey: BrieflyDescribed {
  /// The URL without secrets.
  package var description: String { Redactor.standard.maskedURL(text) }
}

/// The digests of the parts of requests that are compared, but not stored.
enum CacheDigest {
  /// Returns the SHA-256 of a text.
  ///
  /// - Parameters:
  ///   - purpose: A text that makes the digests of equal values for different purposes different.
  ///   - text: The value.
  /// - Returns: Hexadecimal digits, or `nil` if the platform has no library with the function. Such
  ///   requests are not cached.
  static func digest(_ purpose: String, _ text: String) -> String? {
    DigestAlgorithm.sha256.hash("catena-cache \(purpose)\n\(text)")
  }

  /// Returns the selector of a response.
  ///
  /// - Parameters:
  ///   - headers: The fields of the response.
  ///   - sent: The fields of the request as it was sent. Fields that a later request does not have
  ///     before it reaches the cache prevent only that the response is found.
  ///   - credentials: The digest of the credentials.
  /// - Returns: The selector, or `nil` if no later request can be compared with this one.
  static func selector(
    of headers: HTTPHeaders, to sent: HTTPHeaders, credentials: String
  ) -> CacheSelector? {
    guard let names = varyNames(headers) else { return nil }
    var selector = CacheSelector(credentials: credentials)
    // The credentials are a part of every selector.
    for name in names where name != "authorization" {
      let digest = digest(of: name, in: sent)
      guard digest != nil || !sent.contains(name) else { return nil }
      selector.fields.append(CacheSelector.Field(name: name, digest: digest))
    }
    return selector
  }

  /// Returns the digest of credentials and of the other secret fields of a request, such as an API key.
  ///
  /// - Parameters:
  ///   - request: The request. `Authorization` is in the other digest. Cookies count by
  ///     `Vary` only, as in a browser. An idempotency key is no credential.
  ///   - credentials: The digest of the credentials.
  /// - Returns: The digest, which is that of the credentials if there is no such field, or `nil` if the
  ///   platform has no library with the function.
  static func adding(secretsOf request: HTTPRequest, to credentials: String) -> String? {
    let (headers, redactor) = (request.headers, request.attributes.redactor)
    let secret = headers.fields.filter { redactor.isSecret(name: $0.name) }
    guard !secret.isEmpty else { return credentials }
    let names = Set(secret.map { $0.name.lowercased() })
      .subtracting(["authorization", "cookie", HTTPHeaders.idempotencyKeyName.lowercased()])
    guard !names.isEmpty else { return credentials }
    let fields = Array(names).sorted().flatMap { name in
      headers.values(for: name).map { "\(name): \($0)" }
    }
    return digest("secret fields", ([credentials] + fields).joined(separator: "\n"))
  }

  /// Returns the digest of a field of a request, or `nil` if the request does not have it.
  static func digest(of name: String, in headers: HTTPHeaders) -> String? {
    normalizedValue(of: name, in: headers).flatMap { digest(name, $0) }
  }

  /// Returns the value of a field of a request in a normal form.
  ///
  /// The lines of a field are joined, and white space around commas is removed. The case of the
  /// members of the fields of content negotiation does not matter, nor does their order if they have
  /// no weights.
  ///
  /// Source: RFC 9111 section 4.1.
  ///
  /// - Returns: The value, or `nil` if the request has no such field.
  static func normalizedValue(of name: String, in headers: HTTPHeaders) -> String? {
    let values = headers.values(for: name)
    guard !values.isEmpty else { return nil }
    let members = values.joined(separator: ",").split(separator: ",")
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    switch name {
    case "accept", "accept-encoding", "accept-language", "accept-charset":
      let members = members.map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
      let isOrdered = members.contains { $0.contains(";") }
      return (isOrdered ? members : members.sorted()).joined(separator: ",")
    default: return members.joined(separator: ",")
    }
  }

  /// The limit for the names in `Vary`, because each lookup reads all of these fields.
  private static let maximumVaryCount = 32

  /// The names in the `Vary` fields of a response, in lower case, sorted.
  ///
  /// - Returns: The names, or `nil` if the response varies on more than the fields of a request, as
  ///   with `*`, or on too many of them.
  static func varyNames(_ headers: HTTPHeaders) -> [String]? {
    let names = Set(headers.values(for: "Vary").flatMap(\.listMembers))
    guard names.count <= maximumVaryCount, names.allSatisfy({ $0 != "*" && $0.isToken }) else {
      return nil
    }
    return Array(names).sorted()
  }
}
