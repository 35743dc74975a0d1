import Foundation

/// The first request of a chain of redirects, and whether the chain has left its resource.
///
/// The offline store needs it: the response of a login page says nothing about the first request.
struct RedirectTrail: Sendable {
  /// The method of the first request.
  let method: HTTPMethod
  /// The URL of the first request.
  let url: URL
  /// Whether the last request has another method, or is for another resource.
  ///
  /// These are the same resource: the path with or without a slash at its end, `https` in place of
  /// `http`, and a URL of the same host that the server has named by permanent redirects.
  ///
  /// Source: RFC 9110 sections 15.4.2 and 15.4.9.
  private(set) var leadsElsewhere = false
  private var isPermanent = true

  /// Starts a trail.
  ///
  /// - Parameter request: The first request.
  init(from request: HTTPRequest) { (method, url) = (request.method, request.url) }

  /// Adds a redirect.
  ///
  /// - Parameters:
  ///   - status: The status of the redirect.
  ///   - request: The next request.
  mutating func follow(_ status: Int, to request: HTTPRequest) {
    isPermanent = isPermanent && (status == 301 || status == 308)
    let isSameResource =
      Self.isSameHost(url, request.url)
      && (isPermanent || Self.path(of: url) == Self.path(of: request.url))
    leadsElsewhere = request.method != method || !isSameResource
  }

  private static func isSameHost(_ url: URL, _ next: URL) -> Bool {
    guard let origin = Origin(url), let nextOrigin = Origin(next) else { return false }
    let isUpgrade = origin.scheme == "http" && nextOrigin.scheme == "https"
    return origin == nextOrigin || isUpgrade && origin.host == nextOrigin.host
  }

  private static func path(of url: URL) -> Substring {
    let path = url.path(percentEncoded: true)
    return path.hasSuffix("/") ? path.dropLast() : path[...]
  }
}

/// The key of the redirects that a request is the result of.
enum RedirectTrailKey: RequestAttributeKey { static let defaultValue: RedirectTrail? = nil }
