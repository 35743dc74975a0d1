import Foundation
import Promises

/// The stage that adds the client's credentials to hops to their origin, and to no others.
///
/// With Digest authentication it sends a hop that the server challenges once more. An
/// `Authorization` field of the request takes precedence.
struct AuthorizationStage: BuiltInStage {
  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let credentials = exchange.credentials, credentials.apply(to: exchange.request) else {
      return next(exchange)
    }
    switch credentials.scheme {
    case .fixed(let value): return next(exchange.authorized(by: value))
    case .digest(let authenticator): return respondingToChallenge(by: authenticator, exchange, next)
    }
  }

  /// Sends a hop, and sends it once more with the response to a challenge.
  private func respondingToChallenge(
    by authenticator: DigestAuthenticator, _ exchange: Exchange, _ next: @escaping Next
  ) -> NetworkPromise {
    let first = exchange.authorized(by: authenticator.fieldValue(for: exchange.request))
    return next(first).followed { result in
      guard case .success(let response) = result else { return nil }
      guard response.status == 401,
        let value = authenticator.fieldValue(for: exchange.request, after: response)
      else {
        authenticator.receive(response, to: exchange.request)
        return nil
      }
      guard exchange.request.body.isRepeatable else { return nil }
      exchange.events?.add(.challenged)
      return next(exchange.authorized(by: value)).followed { result in
        if case .success(let response) = result {
          authenticator.receive(response, to: exchange.request)
        }
        return nil
      }
    }
  }

  /// Returns the request with credentials if it goes to their origin and has no `Authorization`
  /// field.
  static func adding(
    _ credentials: Credentials, to request: HTTPRequest
  ) -> HTTPRequest {
    guard credentials.apply(to: request) else { return request }
    let value: String? =
      switch credentials.scheme {
      case .fixed(let value): value
      case .digest(let authenticator): authenticator.fieldValue(for: request)
      }
    guard let value else { return request }
    var request = request
    request.headers["Authorization"] = value
    return request
  }
}

extension Exchange {
  /// Returns the exchange with an `Authorization` field, or unchanged for `nil`.
  fileprivate func authorized(by value: String?) -> Exchange {
    guard let value else { return self }
    var exchange = self
    exchange.request.headers["Authorization"] = value
    return exchange
  }
}
