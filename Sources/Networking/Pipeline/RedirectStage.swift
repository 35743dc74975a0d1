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
      exchange.events?.add(.redirected(to: Redaction.url(request.url.absoluteString)))
      return hop(following, seen: seen, decide, next)
    }
  }
}
