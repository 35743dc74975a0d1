import Foundation
import Promises

/// The stage that follows redirects, and sends each hop through the inner stages.
struct RedirectStage: BuiltInStage {
  let policy: RedirectPolicy

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let decide = policy.decide else { return next(exchange) }
    return hop(exchange, from: nil, decide, next)
  }

  // `origin` is that of the first hop. Most calls have one hop, so it is not computed for them.
  private func hop(
    _ exchange: Exchange, from origin: Origin?, _ decide: @escaping RedirectPolicy.Decision,
    _ next: @escaping Next
  ) -> NetworkPromise {
    next(exchange).followed(isNested: exchange.redirects > 0) { result in
      guard case .success(let response) = result else { return nil }
      guard
        let proposed = try Redirection.next(
          after: response, to: exchange.request, allowsDowngrade: policy.allowsDowngrade),
        let request = decide(response, proposed).map({ proposed.replaced(by: $0) })
      else { return nil }
      var following = exchange
      let origin = origin ?? Origin(exchange.request.url)
      let earlier =
        exchange.redirects > 0 ? exchange.request.attributes[RedirectTrailKey.self] : nil
      var trail = earlier ?? RedirectTrail(from: exchange.request)
      trail.follow(response.status, to: request)
      following.request = request
      following.request.attributes[RedirectTrailKey.self] = trail
      following.request.options.withholdsClientCertificate = Origin(request.url) != origin
      following.parts.value.redirects += 1
      guard following.redirects <= policy.limit else {
        throw NetworkError(.tooManyRedirects, response, "more than \(policy.limit)")
      }
      let redactor = following.request.attributes.redactor
      exchange.events?.add(.redirected(to: redactor.maskedURL(request.url.absoluteString)))
      return hop(following, from: origin, decide, next)
    }
  }
}

extension HTTPRequest {
  /// Removes the header fields that are secrets, and withholds the client certificate, for a request to
  /// another origin than the first one.
  package mutating func withholdSecrets() {
    Redirection.removeSecrets(from: &self)
    options.withholdsClientCertificate = true
  }
}

/// The rules of redirects, as a pure function of the response.
///
/// Source: RFC 9110 sections 10.2.2 (Location, fragments) and 15.4 (methods); the Fetch standard
/// for a POST that is redirected by 301 or 302.
enum Redirection {
  /// The fields that describe a body, which are removed with it.
  private static let bodyFields = [
    "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Length",
  ]
  /// Removes the fields that are for one origin only: those that the client's redactor masks, and the trace
  /// context, which a third party could join with the trace of the caller.
  static func removeSecrets(from request: inout HTTPRequest) {
    let redactor = request.attributes.redactor
    request.headers.removeAll { $0.isSecret(by: redactor) }
    for name in ["traceparent", "tracestate"] { request.headers.remove(name) }
  }

  /// Returns the next request.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - from: The request, without fields that stages have added for its hop only, such as
  ///     cookies.
  ///   - allowsDowngrade: Whether a redirect from `https` to `http` is allowed.
  /// - Returns: The request, or `nil` if the response is not a redirect or has no `Location`.
  /// - Throws: `redirectRefused` if the location is not an `http` or `https` URL, or is a
  ///   downgrade.
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
    if response.status == 303 || (301...302).contains(response.status) && from.method == .post {
      request.method = from.method == .head ? .head : .get
      request.body = .none
      for name in bodyFields { request.headers.remove(name) }
    }
    if Origin(url) != Origin(from.url) { removeSecrets(from: &request) }
    request.headers.remove("Host")
    return request
  }

  static func isRedirect(_ status: Int) -> Bool {
    (301...303).contains(status) || status == 307 || status == 308
  }

  private static func target(
    _ location: String, from base: URL, _ response: Response
  ) throws -> URL {
    guard let url = URL(reference: location, relativeTo: base),
      ["http", "https"].contains(url.scheme?.lowercased()), Origin(url) != nil
    else {
      throw NetworkError(.redirectRefused, response, "the location is not an http or https URL")
    }
    guard url.fragment == nil, let fragment = base.fragment(percentEncoded: true) else {
      return url
    }
    return URL(reference: "#\(fragment)", relativeTo: url) ?? url
  }
}
