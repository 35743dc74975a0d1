import Foundation
import Promises

/// Follows redirects: a call goes in, a hop at a time comes out.
struct RedirectStage: BuiltInStage {
  let policy: RedirectPolicy

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let decide = policy.decide else { return next(exchange) }
    return hop(exchange, seen: [], decide, next)
  }

  /// What makes two hops the same, and a row of them a circle.
  private struct Step: Hashable {
    let method: HTTPMethod
    let url: String

    init(_ request: HTTPRequest) {
      method = request.method
      url = request.url.absoluteString
    }
  }

  // `seen` are the hops before this one; most calls have none, and so build no set.
  private func hop(
    _ exchange: Exchange, seen: Set<Step>, _ decide: @escaping RedirectPolicy.Decision,
    _ next: @escaping Next
  ) -> NetworkPromise {
    next(exchange).followed { result in
      guard case .success(let response) = result else { return nil }
      guard
        let proposed = try Redirection.next(
          after: response, to: exchange.request, allowsDowngrade: policy.allowsDowngrade),
        let request = decide(response, proposed)
      else { return nil }
      var following = exchange
      following.request = request
      following.redirects += 1
      let seen = seen.union([Step(exchange.request)])
      guard following.redirects <= policy.limit else {
        throw NetworkError(.tooManyRedirects, response, "more than \(policy.limit)")
      }
      // A cookie set on the way may end a circle, so going round once more is let pass by policies that
      // change the request; the same request again is not.
      guard !seen.contains(Step(request)) || response.headers.contains("Set-Cookie") else {
        throw NetworkError(.tooManyRedirects, response, "a circle")
      }
      exchange.events?.add(.redirected(to: Redactor.standard.maskedURL(request.url.absoluteString)))
      return hop(following, seen: seen, decide, next)
    }
  }
}

/// What becomes of an answer that points elsewhere.
public struct RedirectPolicy: Sendable {
  /// Decides about one redirect.
  ///
  /// It gets the answer and the request that the rules would send next, and returns that, a changed one,
  /// or nil to take the answer as it is.
  public typealias Decision =
    @Sendable (_ response: Response, _ proposed: HTTPRequest) -> HTTPRequest?

  /// How many redirects in a row are followed; one more fails with
  /// ``NetworkError/Code-swift.enum/tooManyRedirects``.
  public var limit: Int
  /// Whether one from `https` to `http` is followed; otherwise it fails with
  /// ``NetworkError/Code-swift.enum/redirectRefused``.
  public var allowsDowngrade: Bool
  /// Nil takes every answer as it is, whatever it points to.
  let decide: Decision?

  /// Follows redirects by the rules of RFC 9110.
  ///
  /// - Parameters:
  ///   - limit: how many in a row.
  ///   - allowsDowngrade: whether one from `https` to `http` is followed.
  /// - Returns: the policy.
  public static func follow(limit: Int = 20, allowsDowngrade: Bool = false) -> RedirectPolicy {
    RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade) { _, proposed in proposed }
  }

  /// Takes an answer that points elsewhere as the answer, wherever it points.
  public static let refuse = RedirectPolicy(limit: 20, allowsDowngrade: false, decide: nil)

  /// Follows what a closure lets pass.
  ///
  /// - Parameters:
  ///   - limit: how many in a row.
  ///   - allowsDowngrade: whether one from `https` to `http` gets as far as the closure.
  ///   - decide: decides about each; runs inline on the thread of the exchange and must not block. What it
  ///     puts into a request for another origin is sent there.
  /// - Returns: the policy.
  public static func deciding(
    limit: Int = 20, allowsDowngrade: Bool = false, _ decide: @escaping Decision
  ) -> RedirectPolicy {
    RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade, decide: decide)
  }
}

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
    if dropsBody(response.status, from.method) {
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
