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
    next(exchange).followed { result in
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
      following.redirects += 1
      guard following.redirects <= policy.limit else {
        throw NetworkError(.tooManyRedirects, response, "more than \(policy.limit)")
      }
      let redactor = following.request.attributes.redactor
      exchange.events?.add(.redirected(to: redactor.maskedURL(request.url.absoluteString)))
      return hop(following, from: origin, decide, next)
    }
  }
}

/// The policy for redirects.
public struct RedirectPolicy: Sendable {
  /// A closure that decides about one redirect.
  ///
  /// It receives the response and the next request by the rules of RFC 9110. It returns that
  /// request, a changed one, or `nil` to return the redirect response to the caller.
  public typealias Decision =
    @Sendable (_ response: Response, _ proposed: HTTPRequest) -> HTTPRequest?

  /// The maximum number of redirects of a request.
  ///
  /// One more fails with ``NetworkError/Code-swift.enum/tooManyRedirects``.
  public var limit: Int
  /// Whether a redirect from `https` to `http` is followed.
  ///
  /// Otherwise it fails with ``NetworkError/Code-swift.enum/redirectRefused``.
  public var allowsDowngrade: Bool
  /// The decision.
  ///
  /// `nil` follows no redirect.
  let decide: Decision?
  /// Whether all redirects are followed, so that the decision does not read the response.
  private(set) var followsAll = false

  private init(limit: Int, allowsDowngrade: Bool, decide: Decision?) {
    self.limit = limit
    self.allowsDowngrade = allowsDowngrade
    self.decide = decide
  }

  /// Follows redirects by the rules of RFC 9110.
  ///
  /// A `Location` is read as in browsers. Characters that a URL cannot contain are percent-encoded,
  /// and the escapes of the server are unchanged.
  ///
  /// A request to another origin has none of the fields that logs mask: `Authorization`, `Cookie`,
  /// `X-Api-Key`, ``NetworkingConfiguration/secretNames``, and fields with secrets in their values.
  /// The transport presents the client certificate of ``TLSOptions`` only to the origin of the first
  /// request.
  /// A redirect to a URL that the request has visited before is followed too, up to the limit, because
  /// the server may respond otherwise the next time.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of redirects.
  ///   - allowsDowngrade: Whether a redirect from `https` to `http` is followed.
  /// - Returns: The policy.
  public static func follow(limit: Int = 20, allowsDowngrade: Bool = false) -> RedirectPolicy {
    var policy = RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade, decide: { $1 })
    policy.followsAll = true
    return policy
  }

  /// Follows no redirect.
  ///
  /// The redirect response is returned to the caller.
  public static let refuse = RedirectPolicy(limit: 20, allowsDowngrade: false, decide: nil)

  /// Follows the redirects that a closure allows.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of redirects.
  ///   - allowsDowngrade: Whether the closure is called for a redirect from `https` to `http`.
  ///     Otherwise it fails.
  ///   - decide: The closure. It runs on the thread of the exchange and must not block. Fields that
  ///     it adds to a request for another origin are sent there.
  /// - Returns: The policy.
  public static func deciding(
    limit: Int = 20, allowsDowngrade: Bool = false, _ decide: @escaping Decision
  ) -> RedirectPolicy {
    RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade, decide: decide)
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
  /// Removes the fields that are for one origin only: those that the client's redactor masks.
  static func removeSecrets(from request: inout HTTPRequest) {
    let redactor = request.attributes.redactor
    request.headers.removeAll { $0.isSecret(by: redactor) }
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
    if dropsBody(response.status, from.method) {
      request.method = from.method == .head ? .head : .get
      request.body = .none
      for name in bodyFields { request.headers.remove(name) }
    }
    if Origin(url) != Origin(from.url) {
      removeSecrets(from: &request)
    }
    request.headers.remove("Host")
    return request
  }

  static func isRedirect(_ status: Int) -> Bool {
    switch status {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }

  private static func dropsBody(_ status: Int, _ method: HTTPMethod) -> Bool {
    switch status {
    case 301, 302: method == .post
    case 303: true
    default: false
    }
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
