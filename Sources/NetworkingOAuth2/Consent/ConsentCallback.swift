import Foundation

/// The redirect that ends a sign-in in a window of the system.
enum ConsentCallback: Sendable, Hashable {
  /// A URL with a scheme of the app.
  case scheme(String)
  /// A URL with a host of the associated domains of the app, and with a path.
  case https(host: String, path: String)

  /// Creates the callback for a redirect URL.
  ///
  /// - Parameters:
  ///   - redirectURL: The redirect URL of the client.
  ///   - supportsHTTPS: Whether the system has callbacks with `https`.
  /// - Throws: ``OAuth2Error`` with the code `consentUnavailable` if the system would show the page
  ///   and never return the redirect.
  init(_ redirectURL: URL, supportsHTTPS: Bool) throws {
    let host = redirectURL.host?.lowercased() ?? ""
    // Browsers write schemes and hosts in lower case.
    switch redirectURL.scheme?.lowercased() {
    case nil, "": throw Self.unavailable("the redirect URL has no scheme")
    case "http" where ["127.0.0.1", "localhost"].contains(host):
      throw Self.unavailable(
        "the system does not return redirects to http://\(host); use LoopbackConsent on macOS,"
          + " and a scheme of the app or https on other systems")
    case "http":
      throw Self.unavailable(
        "the system does not return http redirects; use a scheme of the app or https")
    case "https":
      guard !host.isEmpty else { throw Self.unavailable("the redirect URL has no host") }
      // An associated domain has no port, and neither has the callback.
      guard [nil, 443].contains(redirectURL.port) else {
        throw Self.unavailable("the system does not return https redirects to a port")
      }
      guard supportsHTTPS else {
        throw Self.unavailable(
          "https redirects need iOS 17.4, macOS 14.4, tvOS 17.4 or visionOS 1.1; use a scheme of"
            + " the app on earlier systems")
      }
      let path = redirectURL.path(percentEncoded: false)
      self = .https(host: host, path: path.isEmpty ? "/" : path)
    case let scheme?: self = .scheme(scheme)
    }
  }

  /// The scheme of the redirect.
  var scheme: String {
    switch self {
    case .scheme(let scheme): scheme
    case .https: "https"
    }
  }

  private static func unavailable(_ reason: String) -> OAuth2Error {
    OAuth2Error(.consentUnavailable, reason)
  }
}
