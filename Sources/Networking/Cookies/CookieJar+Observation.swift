import CatenaSystem
import Promises

extension CookieJar {
  /// A handle that ends the observation of a jar.
  ///
  /// Releasing the handle has no effect.
  public struct Observation: Sendable {
    fileprivate let onRemove: @Sendable () -> Void

    /// Ends the observation.
    ///
    /// A call of the handler that has begun on another thread may still be running when this method
    /// returns, and calls may be waiting for the actor of the handler. Repeated calls have no effect.
    public func remove() { onRemove() }
  }

  /// Adds a handler of the changes made from now on.
  ///
  /// - Parameter handler: The handler. It runs once for each change, in the order of the changes, on
  ///   its actor or, without one, on a serial queue of the jar. There it delays the other handlers
  ///   of the jar, but no request. The jar retains it until it is removed.
  /// - Returns: A handle that removes the handler.
  @discardableResult
  public func observe(
    @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (_ change: Change) -> Void
  ) -> Observation {
    let handler = IsolatedClosure(handler)
    let number = state.withLock { $0.observers.add { change in handler.run(change) } }
    return Observation { [weak self] in
      let handler = self?.state.withLock { $0.observers.remove(number) }
      // Released after unlocking, because its context may have a `deinit` that uses the jar.
      withExtendedLifetime(handler) {}
    }
  }

  /// Delivers all recorded changes.
  ///
  /// It runs on `observerQueue`.
  func deliver() {
    while let deliveries = state.withLock({ $0.observers.takeDeliveries() }) {
      for delivery in deliveries {
        for number in delivery.observers {
          // Looked up for each change, so that a removed handler receives no further one.
          state.withLock { $0.observers[number] }?(delivery.change)
        }
      }
    }
  }
}

/// The observers of a jar, with the changes that they have not received: a state machine.
struct CookieObservers {
  /// A change and the observers that receive it, in the order in which they were added.
  struct Delivery {
    let change: CookieJar.Change
    let observers: [Int]
  }

  /// A handler, which dispatches to its actor itself.
  typealias Handler = @Sendable (CookieJar.Change) -> Void

  private var handlers: [(number: Int, handler: Handler)] = []
  private var lastNumber = 0
  private var pending: [Delivery] = []
  private var isDelivering = false

  /// Returns a handler, or `nil` if it has been removed.
  subscript(number: Int) -> Handler? {
    handlers.first { $0.number == number }?.handler
  }

  /// Adds a handler of the changes recorded from now on.
  ///
  /// - Returns: The number of the handler.
  mutating func add(_ handler: @escaping Handler) -> Int {
    lastNumber += 1
    handlers.append((lastNumber, handler))
    return lastNumber
  }

  /// Removes a handler.
  ///
  /// - Returns: The handler, which the caller releases after unlocking.
  mutating func remove(_ number: Int) -> Handler? {
    handlers.firstIndex { $0.number == number }.map { handlers.remove(at: $0).handler }
  }

  /// Records changes for the current handlers.
  ///
  /// - Returns: Whether the caller starts a delivery.
  mutating func record(_ changes: [CookieJar.Change]) -> Bool {
    guard !changes.isEmpty, !handlers.isEmpty else { return false }
    let observers = handlers.map(\.number)
    pending += changes.map { Delivery(change: $0, observers: observers) }
    defer { isDelivering = true }
    return !isDelivering
  }

  /// Returns the changes that have not been delivered, or `nil` at the end of the delivery.
  mutating func takeDeliveries() -> [Delivery]? {
    defer { pending = [] }
    isDelivering = !pending.isEmpty
    return pending.isEmpty ? nil : pending
  }
}
