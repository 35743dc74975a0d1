import CatenaSystem
import Foundation
public import Promises

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

  private let listeners = Listeners<TokenKey>()
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

  /// Reports a change to all listeners.
  ///
  /// - Parameter key: The key of the token.
  public func report(_ key: TokenKey) {
    listeners.report(key)
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
      if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
        return await iterator.next(isolation: actor)
      }
      // `nonisolated(unsafe)` because the copy is protected by its owner: only this call uses it.
      nonisolated(unsafe) var copy = iterator
      return await copy.next()
    }
  }

  /// Returns an iterator of the changes from now on.
  ///
  /// A slow reader receives up to 256 changes; older ones are dropped.
  public func makeAsyncIterator() -> AsyncIterator {
    let stream = listeners.stream { [weak self] in self?.reportUse() }
    reportUse()
    return AsyncIterator(iterator: stream.makeAsyncIterator())
  }

  /// Adds a listener.
  ///
  /// - Parameter listener: A closure that receives each key, and `nil` at the end. It must not block.
  /// - Returns: The number for ``remove(_:)``.
  func listen(_ listener: @escaping @Sendable (TokenKey?) -> Void) -> Int {
    defer { reportUse() }
    return listeners.add(listener)
  }

  private func reportUse() {
    isUsed.withLock { isUsed in
      let isUsedNow = !listeners.isEmpty
      guard isUsed != isUsedNow else { return }
      isUsed = isUsedNow
      onUse(isUsedNow)
    }
  }

  /// Removes a listener.
  func remove(_ id: Int) {
    listeners.remove(id)
    reportUse()
  }
}

/// The listeners for values of one kind, which receive each value in the order in which they were added.
final class Listeners<Value: Sendable>: Sendable {
  private struct State {
    var lastID = 0
    var closures: [Int: @Sendable (Value?) -> Void] = [:]
  }

  private let state = Mutex(State())

  deinit {
    for closure in closures { closure(nil) }
  }

  var isEmpty: Bool { state.withLock { $0.closures.isEmpty } }

  private var closures: [@Sendable (Value?) -> Void] {
    state.withLock { $0.closures }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Adds a listener.
  ///
  /// - Parameter closure: A closure that receives each value, and `nil` at the end. It must not block.
  /// - Returns: The number for ``remove(_:)``.
  func add(_ closure: @escaping @Sendable (Value?) -> Void) -> Int {
    state.withLock { state in
      state.lastID += 1
      state.closures[state.lastID] = closure
      return state.lastID
    }
  }

  func remove(_ id: Int) {
    let removed = state.withLock { $0.closures.removeValue(forKey: id) }
    withExtendedLifetime(removed) {}
  }

  func report(_ value: Value) {
    for closure in closures { closure(value) }
  }

  /// Returns the values from now on, of which a slow reader receives up to 256.
  ///
  /// - Parameter onTermination: A closure that runs after the reader has ended.
  /// - Returns: The values, which end with the listeners.
  func stream(onTermination: @escaping @Sendable () -> Void) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream<Value>.makeStream(
      bufferingPolicy: .bufferingNewest(256))
    let id = add { value in
      if let value { continuation.yield(value) } else { continuation.finish() }
    }
    continuation.onTermination = { [weak self] _ in
      self?.remove(id)
      onTermination()
    }
    return stream
  }
}
