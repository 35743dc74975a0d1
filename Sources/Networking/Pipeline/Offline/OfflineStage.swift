import Foundation
import Promises

/// Keeps the exchanges that ask for it, when all stages further in have given up for want of a network.
///
/// Such an exchange has an idempotency key from its first attempt on, since that may have arrived: the
/// replay sends the same.
struct OfflineStage: BuiltInStage {
  static let keyField = "Idempotency-Key"

  /// For the exchanges that bring none: it may know how keys are made.
  let retry: RetryPolicy

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let offline = exchange.offline else { return next(exchange) }
    var exchange = exchange
    switch offline {
    case .replaying(let key):
      exchange.request.headers[Self.keyField] = key
      return next(exchange)
    case .keeping(let capture):
      let make = (exchange.call.retry ?? retry).idempotencyKey ?? { UUID().uuidString }
      let key =
        exchange.request.headers[Self.keyField] ?? exchange.call.trace.idempotencyKey(make)
      exchange.request.headers[Self.keyField] = key
      return capture.keeping(next(exchange), as: key)
    }
  }
}
