import Foundation

/// A challenge of the Digest scheme.
///
/// Source: RFC 7616 section 3.3, RFC 2617 section 3.2.1.
struct DigestChallenge: Sendable, Hashable {
  /// The protection that a response provides.
  enum Protection: String, Sendable {
    /// That of the method and the target.
    case request = "auth"
    /// That of the method, the target, and the request's body.
    case requestAndBody = "auth-int"
  }

  let realm: String
  var nonce: String
  let opaque: String?
  let algorithm: DigestAlgorithm
  /// The algorithm as the server wrote it.
  ///
  /// `nil` if it named none.
  let algorithmName: String?
  /// Whether the password's hash is bound to a nonce: `MD5-sess` and others.
  let isSession: Bool
  /// The protections that the server accepts.
  ///
  /// Empty for a server that follows RFC 2069.
  let protections: [Protection]
  /// Whether the nonce of the request was too old, but its credentials were right.
  let isStale: Bool
  let hashesUsername: Bool
  /// Whether the server expects names and passwords in UTF-8.
  let isUTF8: Bool
  /// The URIs for which the same credentials are valid.
  ///
  /// `nil` for all of the server, also if the list is empty (RFC 7616 section 3.3). Only the first 32 URIs of a challenge are kept.
  let domain: [String]?

  /// The limit for the number of URIs in ``domain``.
  ///
  /// A server can list any number, and each request is compared with all of them.
  private static let maximumDomainCount = 32

  /// Creates a challenge.
  ///
  /// Returns `nil` if it is for another scheme, is not complete, or requires an algorithm or a
  /// protection that is not supported.
  init?(_ challenge: AuthenticationChallenge) {
    let parameters = challenge.parameters
    guard challenge.scheme == "digest", let realm = parameters["realm"],
      let nonce = parameters["nonce"]
    else { return nil }
    self.realm = realm
    self.nonce = nonce
    opaque = parameters["opaque"]
    algorithmName = parameters["algorithm"]
    let name = (algorithmName ?? DigestAlgorithm.md5.rawValue).uppercased()
    isSession = name.hasSuffix("-SESS")
    guard let algorithm = DigestAlgorithm(rawValue: isSession ? String(name.dropLast(5)) : name),
      algorithm.isAvailable
    else { return nil }
    self.algorithm = algorithm
    let names = Self.words(parameters["qop"] ?? "", separator: ",")
    protections = names.compactMap { Protection(rawValue: $0.lowercased()) }
    // There is no response with other protections, or for a session without one.
    guard names.isEmpty ? !isSession : !protections.isEmpty else { return nil }
    isStale = parameters["stale"]?.lowercased() == "true"
    hashesUsername = parameters["userhash"]?.lowercased() == "true"
    isUTF8 = parameters["charset"]?.uppercased() == "UTF-8"
    let uris = parameters["domain"].map { Self.words($0, separator: " ") } ?? []
    domain = uris.isEmpty ? nil : Array(uris.prefix(Self.maximumDomainCount))
  }

  /// Returns the first challenge of a response that this platform can respond to.
  ///
  /// The server lists the challenges in the order of its preference. Source: RFC 7616 section 3.7.
  static func first(of response: Response) -> DigestChallenge? {
    response.headers.values(for: "WWW-Authenticate").lazy
      .flatMap(AuthenticationChallenge.list).compactMap(DigestChallenge.init).first
  }

  private static func words(_ text: String, separator: Character) -> [String] {
    text.split(separator: separator).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }
}

/// The URLs for which the credentials of a challenge are valid without another challenge.
///
/// The URIs of the challenge are parsed once, because each request is compared with them.
struct DigestDomain: Sendable {
  private struct Entry {
    let origin: Origin
    let path: String
    /// The prefix of all paths below ``path``, which ends with `/`.
    let folder: String

    init?(_ reference: String, relativeTo base: URL) {
      guard let url = URL(reference: reference, relativeTo: base), let origin = Origin(url) else {
        return nil
      }
      self.origin = origin
      path = DigestDomain.path(of: url)
      folder = path.hasSuffix("/") ? path : "\(path)/"
    }
  }

  /// `nil` for all of the server.
  private let entries: [Entry]?

  /// Creates the domain of a challenge.
  ///
  /// - Parameters:
  ///   - challenge: The challenge. URIs of its domain that are not valid are skipped.
  ///   - base: The URL of the request that was challenged.
  init(of challenge: DigestChallenge, relativeTo base: URL) {
    entries = challenge.domain?.compactMap { Entry($0, relativeTo: base) }
  }

  /// Returns whether the domain contains a URL.
  ///
  /// - Parameter url: The URL, of the origin of the challenge.
  /// - Returns: Whether a URI of the domain has the URL's origin and is a prefix of its path.
  func contains(_ url: URL) -> Bool {
    guard let entries else { return true }
    let path = Self.path(of: url)
    return entries.contains { entry in
      (path == entry.path || path.hasPrefix(entry.folder)) && entry.origin.matches(url)
    }
  }

  private static func path(of url: URL) -> String {
    let path = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
    return path.isEmpty ? "/" : path
  }
}
