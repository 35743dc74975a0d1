import Foundation
public import Promises
import Synchronization

/// The changes of the tokens in a store, as an asynchronous sequence and as promises.
///
/// ```swift
/// for await key in store.changes { print("the token of", key, "has changed") }
/// ```
///
/// A listener receives the changes from the time at which it starts to listen. Those of other
/// processes arrive with a delay of about a second, if the store can see them. An iteration ends
/// when its task is cancelled, or when the store is released.
public final class TokenChanges: Sendable, AsyncSequence {
  /// The key of a token.
  public typealias Element = TokenKey

  private struct State {
    var lastID = 0
    var listeners: [Int: @Sendable (TokenKey?) -> Void] = [:]
  }

  private let state = Mutex(State())
  /// Whether `onUse` has been called with `true` last, which it is under this lock, so that its calls
  /// have the order of the changes.
  private let isUsed = Mutex(false)
  /// Called with `true` when the first listener has been added, and with `false` when the last one
  /// has been removed.
  private let onUse: @Sendable (_ isUsed: Bool) -> Void

  /// Creates changes without listeners.
  public convenience init() {
    self.init { _ in }
  }

  init(onUse: @escaping @Sendable (_ isUsed: Bool) -> Void) {
    self.onUse = onUse
  }

  deinit {
    let listeners = state.withLock { $0.listeners }
    for listener in listeners.values { listener(nil) }
  }

  /// Reports a change to all listeners.
  ///
  /// - Parameter key: The key of the token.
  public func report(_ key: TokenKey) {
    let listeners = state.withLock { state in state.listeners.isEmpty ? nil : state.listeners }
    guard let listeners else { return }
    for id in listeners.keys.sorted() { listeners[id]?(key) }
  }

  /// Returns a promise of the next change.
  ///
  /// - Returns: A promise of the key of the token. Cancelling it ends the wait.
  public func next() -> Promise<TokenKey> {
    let (promise, resolver) = Promise<TokenKey>.pending()
    let id = listen { key in
      if let key { resolver.fulfill(key) } else { resolver.reject(CancellationError()) }
    }
    promise.always(on: .inline) { [weak self] _ in self?.remove(id) }
    return promise
  }

  /// The iterator of the changes.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: AsyncStream<TokenKey>.Iterator

    /// Returns the next change, or `nil` at the end.
    ///
    /// - Returns: The key of the token.
    public mutating func next() async -> TokenKey? { await iterator.next() }

    /// Returns the next change, or `nil` at the end.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The key of the token.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> TokenKey? {
      await iterator.next(isolation: actor)
    }
  }

  /// Returns an iterator of the changes from now on.
  ///
  /// A slow reader receives up to 256 changes; older ones are dropped.
  public func makeAsyncIterator() -> AsyncIterator {
    let (stream, continuation) = AsyncStream<TokenKey>.makeStream(
      bufferingPolicy: .bufferingNewest(256))
    let id = listen { key in
      if let key { continuation.yield(key) } else { continuation.finish() }
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return AsyncIterator(iterator: stream.makeAsyncIterator())
  }

  /// Adds a listener.
  ///
  /// - Parameter listener: A closure that receives each key, and `nil` at the end. It must not block.
  /// - Returns: The number for ``remove(_:)``.
  func listen(_ listener: @escaping @Sendable (TokenKey?) -> Void) -> Int {
    let id = state.withLock { state in
      state.lastID += 1
      state.listeners[state.lastID] = listener
      return state.lastID
    }
    reportUse()
    return id
  }

  private func reportUse() {
    isUsed.withLock { isUsed in
      let isUsedNow = state.withLock { !$0.listeners.isEmpty }
      guard isUsed != isUsedNow else { return }
      isUsed = isUsedNow
      onUse(isUsedNow)
    }
  }

  /// Removes a listener.
  func remove(_ id: Int) {
    let removed = state.withLock { $0.listeners.removeValue(forKey: id) }
    withExtendedLifetime(removed) {}
    reportUse()
  }
}
