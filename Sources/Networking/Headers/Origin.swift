import Foundation

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
