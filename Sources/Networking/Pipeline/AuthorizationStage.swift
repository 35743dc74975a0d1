import Foundation
import Promises

/// Adds the credentials in force to hops that go to the origin they were given for, and to no other.
///
/// An `Authorization` field that the request brings is left as it is.
struct AuthorizationStage: BuiltInStage {
  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let credentials = exchange.credentials,
      Origin(exchange.request.url) == credentials.origin,
      !exchange.request.headers.contains("Authorization")
    else { return next(exchange) }
    var exchange = exchange
    exchange.request.headers["Authorization"] = credentials.value
    return next(exchange)
  }
}
