import Foundation
import Promises

/// The stage that stores requests with the policy ``Request/StorePolicy/offline`` when the inner
/// stages have failed for lack of a network.
///
/// Such a request has an idempotency key from its first attempt on, because an attempt may have
/// reached the server. The replay sends the same key.
struct OfflineStage: BuiltInStage {
  /// The client's retry policy, which may have a closure that makes idempotency keys.
  let retry: RetryPolicy

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let offline = exchange.call.offline else { return next(exchange) }
    var exchange = exchange
    switch offline {
    case .replaying(let key, _):
      exchange.request.headers[HTTPHeaders.idempotencyKeyName] = key
      return next(exchange)
    case .saving(let offlineSaver):
      let make = (exchange.call.request.retry ?? retry).idempotencyKey ?? { UUID().uuidString }
      let key =
        exchange.request.headers[HTTPHeaders.idempotencyKeyName]
        ?? exchange.state.idempotencyKey(make)
      exchange.request.headers[HTTPHeaders.idempotencyKeyName] = key
      return offlineSaver.saving(next(exchange), as: key, baseURL: exchange.call.baseURL)
    }
  }
}
