import Foundation
import Promises

/// Keeps the exchanges that ask for it, when all stages further in have given up for want of a network.
///
/// Such an exchange has an idempotency key from its first attempt on, since that may have arrived: the
/// replay sends the same.
struct OfflineStage: BuiltInStage {
  /// For the exchanges that bring none: it may know how keys are made.
  let retry: RetryPolicy

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let offline = exchange.call.offline else { return next(exchange) }
    var exchange = exchange
    switch offline {
    case .replaying(let key):
      exchange.request.headers[HTTPHeaders.idempotencyKeyName] = key
      return next(exchange)
    case .saving(let offlineSaver):
      let make = (exchange.call.endpoint.retry ?? retry).idempotencyKey ?? { UUID().uuidString }
      let key =
        exchange.request.headers[HTTPHeaders.idempotencyKeyName]
        ?? exchange.state.idempotencyKey(make)
      exchange.request.headers[HTTPHeaders.idempotencyKeyName] = key
      return offlineSaver.saving(next(exchange), as: key, baseURL: exchange.state.start.baseURL)
    }
  }
}

/// What an exchange has to do with an offline store.
///
/// Indirect, so that the exchanges of all other requests are no larger for it.
indirect enum OfflineMode: Sendable {
  /// It is kept when there is no network for it.
  case saving(OfflineSaver)
  /// It comes from a store, with the idempotency key that it was first sent with, and is not kept again.
  case replaying(key: String)
}

/// What it takes to keep a request when it turns out that there is no network for it.
struct OfflineSaver: Sendable {
  /// The request as it was asked for, before the client's hooks, which see it again when it is
  /// replayed; with the header fields of its endpoint.
  let request: Request
  /// Whether its answer was to go into memory: one that was to go elsewhere has nowhere to go later.
  let collectsInMemory: Bool
  let clientOfflineStore: ClientOfflineStore
  /// Selects the transport of the replay. `nil` selects the client's own.
  var selectTransport: ClientOfflineStore.TransportSelection?
  let automatic: AutomaticReplay?
  let scheduler: any Scheduler

  /// Keeps the request when a promise is rejected for want of a network.
  ///
  /// - Parameters:
  ///   - responsePromise: the promise.
  ///   - key: the idempotency key that the request is sent with.
  ///   - baseURL: The base URL that the request is resolved against.
  /// - Returns: the same promise but for that: it is rejected once the request is kept, with an error
  ///   that says so, or that it cannot be kept.
  func saving<Value>(
    _ responsePromise: Promise<Value>, as key: String, baseURL: URL?
  ) -> Promise<Value> {
    let context = scheduler.context(for: .queue(clientOfflineStore.queue))
    let epoch = automatic?.epoch
    return responsePromise.recover(on: .inline) { error -> Promise<Value> in
      guard let error = error as? NetworkError, error.code.isNetworkUnavailable else { throw error }
      return Promise.fulfilled(()).then(on: context) { () -> Value in
        throw outcome(of: error, key, baseURL, epoch)
      }
    }
  }

  /// Keeps the request, which blocks for as long as the disk takes.
  ///
  /// - Returns: what the request is rejected with.
  private func outcome(
    of failure: NetworkError, _ key: String, _ baseURL: URL?, _ epoch: UInt64?
  ) -> NetworkError {
    if clientOfflineStore.isDisabled {
      return failure.adding("not kept, as this client has no offline store")
    }
    guard collectsInMemory else {
      return failure.adding("not kept, as the body of its answer was not to go into memory")
    }
    do {
      var request = request
      let id = UUID(uuidString: key)
      if id?.uuidString != key { request.headers[HTTPHeaders.idempotencyKeyName] = key }
      let entry = try clientOfflineStore.store.add(
        request, baseURL: baseURL, in: request.storeKey, idempotencyKey: id ?? UUID())
      if let selectTransport {
        clientOfflineStore.setTransportOverride(selectTransport, for: entry.id)
      }
      if let epoch { automatic?.entryStored(since: epoch) }
      var entryStored = failure
      entryStored.offlineEntryID = entry.id
      return entryStored
    } catch let refusal as NetworkError where refusal.code == .offlineStoreRefused {
      return failure.adding("not kept, as \(refusal.reason ?? refusal.code.summary)")
    } catch {
      return Self.refusal(error, of: failure)
    }
  }

  /// Why a request is not kept, with what is known of the request.
  private static func refusal(_ error: any Error, of failure: NetworkError) -> NetworkError {
    var refusal = error as? NetworkError ?? NetworkError(.offlineStoreFailed, underlying: error)
    refusal.request = failure.request ?? refusal.request
    refusal.attempts = failure.attempts
    refusal.history = failure.history
    return refusal.adding("it was to be kept, as \(failure.code.summary)")
  }
}

extension NetworkError {
  /// The same error, which says one thing more.
  fileprivate func adding(_ text: String) -> NetworkError {
    var error = self
    error.reason = reason.map { "\($0); \(text)" } ?? text
    return error
  }
}
