import Foundation

/// The request that a redirect asks for, by the rules; a pure function of the answer.
///
/// Source: RFC 9110 sections 10.2.2 (Location, fragments) and 15.4 (methods); the Fetch standard for
/// what 301 and 302 do to a POST.
enum Redirection {
  /// Fields that say something of a body, dropped with it.
  private static let bodyFields = [
    "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Length",
  ]
  /// Fields that are for one origin only.
  private static let credentialFields = ["Authorization", "Cookie", "Proxy-Authorization"]

  /// The next request.
  ///
  /// - Parameters:
  ///   - response: the answer.
  ///   - from: what was asked for, without what the stages of a hop have added for that hop alone, such as
  ///     cookies.
  ///   - allowsDowngrade: whether it may lead from https to http.
  /// - Returns: the request; nil when the answer is no redirect, or has no `Location`.
  /// - Throws: `redirectRefused` when the location is no URL to go to.
  static func next(
    after response: Response, to from: HTTPRequest, allowsDowngrade: Bool
  ) throws -> HTTPRequest? {
    guard isRedirect(response.status),
      let location = response.headers.values(for: "Location").first
    else { return nil }
    let url = try target(location, from: from.url, response)
    if from.url.scheme?.lowercased() == "https", url.scheme?.lowercased() == "http",
      !allowsDowngrade
    {
      throw NetworkError(.redirectRefused, response, "from https to http")
    }
    var request = from
    request.url = url
    if losesBody(response.status, from.method) {
      request.method = from.method == .head ? .head : .get
      request.body = .none
      for name in bodyFields { request.headers.remove(name) }
    }
    if Origin(url) != Origin(from.url) {
      for name in credentialFields { request.headers.remove(name) }
    }
    request.headers.remove("Host")
    return request
  }

  private static func isRedirect(_ status: Int) -> Bool {
    switch status {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }

  private static func losesBody(_ status: Int, _ method: HTTPMethod) -> Bool {
    switch status {
    case 301, 302: method == .post
    case 303: true
    default: false
    }
  }

  private static func target(
    _ location: String, from base: URL, _ response: Response
  ) throws -> URL {
    // An empty reference is the same document, which Foundation makes no URL of.
    let reference = location.isEmpty ? base.absoluteString : location
    guard let url = URL(string: reference, relativeTo: base)?.absoluteURL,
      ["http", "https"].contains(url.scheme?.lowercased()), Origin(url) != nil
    else { throw NetworkError(.redirectRefused, response, "the location is no http or https URL") }
    guard url.fragment == nil, let fragment = base.fragment,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url }
    parts.fragment = fragment
    return parts.url ?? url
  }
}
