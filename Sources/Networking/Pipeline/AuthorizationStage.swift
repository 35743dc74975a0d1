import Foundation
import Promises

/// The stage that adds the client's credentials to hops to their origin, and to no others.
///
/// An `Authorization` field of the request takes precedence.
struct AuthorizationStage: BuiltInStage {
  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let credentials = exchange.credentials else { return next(exchange) }
    var exchange = exchange
    exchange.request = Self.adding(credentials, to: exchange.request)
    return next(exchange)
  }

  /// Returns the request with credentials if it goes to their origin and has no `Authorization`
  /// field.
  static func adding(
    _ credentials: Credentials, to request: HTTPRequest
  ) -> HTTPRequest {
    guard credentials.origin.matches(request.url), !request.headers.contains("Authorization")
    else { return request }
    var request = request
    request.headers["Authorization"] = credentials.value
    return request
  }
}
