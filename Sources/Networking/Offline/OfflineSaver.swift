import Foundation
import Promises

/// The relation of a call to the offline store.
///
/// Indirect, so that calls that do not use the store take less memory.
indirect enum OfflineMode: Sendable {
  /// The request is stored if there is no network.
  case saving(OfflineSaver)
  /// The request comes from the store, with its original idempotency key, and is not stored again.
  ///
  /// It is not sent without the fields that were removed when it was stored.
  case replaying(key: String, removedHeaders: [String])
}

/// A value that stores a request that failed for lack of a network.
struct OfflineSaver: Sendable {
  /// The original request with the header fields of its endpoint, before the client's hooks, which
  /// run again at the replay.
  let request: Request
  /// Whether the request has the defaults of the client's endpoint type.
  let inheritsDefaults: Bool
  /// Whether the response body goes to memory.
  ///
  /// A request whose body has another destination cannot be replayed.
  let collectsInMemory: Bool
  let clientOfflineStore: ClientOfflineStore
  /// The functions of the endpoint, for the replay.
  let source: ClientOfflineStore.ReplaySource
  let automatic: AutomaticReplay?
  let scheduler: any Scheduler

  /// Stores the request if a promise is rejected for lack of a network.
  ///
  /// - Parameters:
  ///   - responsePromise: The promise.
  ///   - key: The idempotency key of the request.
  ///   - baseURL: The base URL that the request is resolved against. With an error, the request is not
  ///     stored.
  /// - Returns: A promise of the same result, except for a failure for lack of a network. It is
  ///   then rejected after the attempt to store the request. The error states that the request was
  ///   stored, or why it was not. It is the error of `baseURL` if there is one.
  func saving<Value: Sendable>(
    _ responsePromise: Promise<Value>, as key: String, baseURL: Result<URL?, any Error>
  ) -> Promise<Value> {
    let context = scheduler.context(for: .queue(clientOfflineStore.queue))
    let epoch = automatic?.epoch
    return responsePromise.recover(on: .inline) { error -> Promise<Value> in
      guard let error = error as? NetworkError, error.code.isNetworkUnavailable,
        !source.hasSessionEnded
      else { throw error }
      return Promise.fulfilled(()).then(on: context) { () -> Value in
        throw try outcome(of: error, key, baseURL, epoch)
      }
    }
  }

  /// Stores the request, which blocks on the disk.
  ///
  /// - Returns: The error that the request is rejected with.
  /// - Throws: The error of `baseURL`.
  private func outcome(
    of failure: NetworkError, _ key: String, _ baseURL: Result<URL?, any Error>, _ epoch: UInt64?
  ) throws -> NetworkError {
    if clientOfflineStore.isDisabled {
      return failure.adding("not stored, because this client has no offline store")
    }
    guard collectsInMemory else {
      return failure.adding("not stored, because the response body does not go to memory")
    }
    // Without it, the replay could go to another host.
    let baseURL = try baseURL.get()
    do {
      var request = request
      let id = UUID(uuidString: key)
      let entryID = id ?? UUID()
      if id?.uuidString != key { request.headers[HTTPHeaders.idempotencyKeyName] = key }
      let entry = try clientOfflineStore.store.add(
        request, baseURL, request.storeKey, entryID, inheritsDefaults: inheritsDefaults)
      // Otherwise the conflict handler has kept an earlier request instead.
      if entry.id == entryID { clientOfflineStore.keep(source, for: entry) }
      // A sign-out in the meantime may have emptied the store before the request was added.
      if entry.id == entryID, source.hasSessionEnded {
        try clientOfflineStore.store.remove(entry)
        return .sessionEnded(failure.request)
      }
      if let epoch { automatic?.entryStored(since: epoch) }
      return copy(of: failure) { $0.offlineEntryID = entry.id }
    } catch let refusal as NetworkError where refusal.code == .offlineStoreRefused {
      return failure.adding("not stored, because \(refusal.reason ?? refusal.code.summary)")
    } catch {
      return Self.refusal(error, of: failure)
    }
  }

  /// Returns the error of a request that could not be stored, with the facts about the request.
  private static func refusal(_ error: any Error, of failure: NetworkError) -> NetworkError {
    var refusal = error as? NetworkError ?? NetworkError(.offlineStoreFailed, underlying: error)
    refusal.request = failure.request ?? refusal.request
    refusal.attempts = failure.attempts
    refusal.history = failure.history
    return refusal.adding("the request was to be stored, because \(failure.code.summary)")
  }
}

extension NetworkError {
  /// Returns the error with an addition to its reason.
  fileprivate func adding(_ text: String) -> NetworkError {
    copy(of: self) { $0.reason = reason.map { "\($0); \(text)" } ?? text }
  }
}
