import CatenaSystem
public import Foundation
import Networking
import Promises

/// A request for the consent of the user.
///
/// The description does not contain the URL.
public struct ConsentRequest: Sendable, BrieflyDescribed {
  /// The redirect URL of the client.
  ///
  /// `nil` if the strategy has to provide one.
  public let redirectURL: URL?
  private let base: URL
  private let parameters: [(name: String, value: String)]
  let state: String

  init(_ base: URL, redirectURL: URL?, state: String, parameters: [(name: String, value: String)]) {
    self.base = base
    self.redirectURL = redirectURL
    self.state = state
    self.parameters = parameters
  }

  /// Returns the URL of the page.
  ///
  /// - Parameter redirectURL: The URL to which the server redirects the browser.
  /// - Returns: The URL.
  public func pageURL(redirectingTo redirectURL: URL) -> URL {
    let all = parameters + [("redirect_uri", redirectURL.absoluteString), ("state", state)]
    let query = all.map {
      "\(PercentEncoding.url.encoded($0.name))=\(PercentEncoding.url.encoded($0.value))"
    }.joined(separator: "&")
    var components = URLComponents(url: base, resolvingAgainstBaseURL: true) ?? URLComponents()
    let existing = components.percentEncodedQuery.map { $0.isEmpty ? "" : $0 + "&" } ?? ""
    components.percentEncodedQuery = existing + query
    // A fragment is not allowed there. Source: RFC 6749 section 3.1.
    components.fragment = nil
    return components.url ?? base
  }

  /// Returns whether a URL is the redirect of this request.
  ///
  /// A URL without the `state` of this request, or with two of them, is not.
  ///
  /// - Parameters:
  ///   - url: The URL.
  ///   - redirectURL: The URL to which the server redirects the browser.
  /// - Returns: `true` if the sign-in continues with this URL.
  public func isResponse(_ url: URL, to redirectURL: URL) -> Bool {
    url.scheme?.lowercased() == redirectURL.scheme?.lowercased()
      && url.host?.lowercased() == redirectURL.host?.lowercased()
      && Self.path(url) == Self.path(redirectURL)
      && AuthorizationResponse(url).state == state
  }

  private static func path(_ url: URL) -> String { url.path.isEmpty ? "/" : url.path }

  /// The host of the page.
  public var description: String { "ConsentRequest(\(base.host ?? ""))" }
}
