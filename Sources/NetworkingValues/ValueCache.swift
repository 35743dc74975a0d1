import CatenaSystem
import Networking
public import Promises

/// A cache of values that are made once, such as decoded responses and images.
///
/// ```swift
/// let covers = ValueCache<URL, Cover>(cost: .megabytes(50))
/// networking.value(for: .cover(id: 7), cached: covers)      // decoded once, however many ask
/// ```
///
/// - **One at a time.** While a value is being made, further callers wait for the same one. If all of
///   them cancel, the work is cancelled. A failure is delivered to all of them and not stored.
/// - **Limits.** The least recently used values are evicted when the count or the cost exceeds its
///   limit. On Apple platforms all values are removed when the system reports memory pressure.
/// - **Expiry.** A value is made again when it is older than the lifetime.
///
/// It may be used from any thread.
public final class ValueCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry: Sendable {
    let value: Value
    let expires: Duration?
  }

  /// A value and its cost.
  typealias CostedValue = (value: Value, cost: Int)
  private typealias Flights = SharingMachine<Key, Value, Promise<CostedValue>, ProgressBroadcaster>

  private struct State {
    var entries = RecentlyUsed<Key, Entry>()
    /// The values that are being made.
    var flights = Flights()
  }

  private let count: Int
  private let cost: Int
  private let lifetime: Duration?
  private let scheduler: any Scheduler
  private let state = Mutex(State())
  let pressure = MemoryPressureObserver()

  /// Creates a cache.
  ///
  /// - Parameters:
  ///   - count: The maximum number of values. `nil` sets no limit.
  ///   - cost: The maximum cost of all values together. `nil` sets no limit.
  ///   - lifetime: The time after which a value is made again. `nil` keeps values.
  ///   - scheduler: The source of time for the lifetime.
  public init(
    count: Int? = nil, cost: ValueCacheCost? = nil, lifetime: Duration? = nil,
    scheduler: any Scheduler = .live
  ) {
    self.count = max(count ?? .max, 0)
    self.cost = max(cost?.bytes ?? .max, 0)
    self.lifetime = lifetime
    self.scheduler = scheduler
    pressure.handle { [weak self] in self?.removeAll() }
  }

  /// Returns a stored value, or makes it.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - cost: A closure that returns the cost of a new value, by default 1.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - make: A closure that starts to make the value. It runs in this call, unless the value is
  ///     stored or being made.
  /// - Returns: A promise of the value, on the context of the promise that `make` returns, or inline.
  ///   It is rejected with the error of that promise.
  public func value(
    for key: Key, cost: @escaping @Sendable (_ value: Value) -> Int = { _ in 1 },
    file: StaticString = #fileID, line: UInt = #line,
    make: () -> Promise<Value>
  ) -> Promise<Value> {
    value(for: key, on: .inline, file, line) {
      _ in make().map(on: .inline) { ($0, cost($0)) }
    }
  }

  /// The stored value of a key, or `nil` if there is none or it has expired.
  ///
  /// - Parameter key: The key.
  public subscript(key: Key) -> Value? {
    let now = scheduler.now
    return state.withLock { Self.stored(key, &$0, now) }
  }

  /// The number of stored values.
  public var valueCount: Int { state.withLock { $0.entries.count } }

  /// The cost of all stored values together.
  var totalCost: Int { state.withLock { $0.entries.cost } }

  /// Removes a value.
  ///
  /// A value that is being made is delivered, but not stored.
  ///
  /// - Parameter key: The key.
  public func remove(_ key: Key) {
    let removed = state.withLock { state in
      state.flights.close(key)
      return state.entries.remove(key)
    }
    withExtendedLifetime(removed) {}
  }

  /// Removes all values.
  ///
  /// Values that are being made are delivered, but not stored.
  public func removeAll() {
    let entries = state.withLock { state in
      defer { state.entries = RecentlyUsed() }
      state.flights.close(nil)
      return state.entries
    }
    withExtendedLifetime(entries) {}
  }

  // MARK: Work

  /// Returns a stored value, or makes it.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - context: The context of the promise.
  ///   - reloads: Whether the value is made again, even if it is stored or being made.
  ///   - progress: The caller's receiver of the progress of the work.
  ///   - file: The source file of the caller.
  ///   - line: The source line of the caller.
  ///   - make: A closure that starts to make the value and its cost. It receives the receiver of the
  ///     progress for all callers.
  /// - Returns: A promise of the value.
  func value(
    for key: Key, on context: ExecutionContext, reloads: Bool = false,
    progress: (any ProgressReceiver)? = nil, _ file: StaticString, _ line: UInt,
    make: (_ progress: any ProgressReceiver) -> Promise<CostedValue>
  ) -> Promise<Value> {
    let (promise, resolver) = Promise<Value>.pending(on: context, file: file, line: line)
    let now = scheduler.now
    let (stored, entered) = state.withLock { state in
      let value = reloads ? nil : Self.stored(key, &state, now)
      if reloads { state.flights.close(key) }
      let entered =
        value == nil ? state.flights.enter(key, resolver, sharing: ProgressBroadcaster()) : nil
      return (value, entered)
    }
    guard let (ticket, broadcaster, isFirst) = entered else {
      if let stored { resolver.fulfill(stored) }
      return promise
    }
    if let progress { broadcaster.add(progress, for: ticket.caller) }
    resolver.onCancel {
      broadcaster.remove(ticket.caller)
      self.state.withLock { $0.flights.left(ticket) }.work?.cancel()
    }
    guard isFirst else { return promise }
    let work = make(broadcaster)
    // All callers may have left while the work was started.
    if !state.withLock({ $0.flights.began(ticket, work) }) { work.cancel() }
    work.always(on: .inline) { result in self.finish(key, ticket, result) }
    return promise
  }

  private static func stored(_ key: Key, _ state: inout State, _ now: Duration) -> Value? {
    guard let entry = state.entries.use(key) else { return nil }
    if let expires = entry.expires, now >= expires {
      _ = state.entries.remove(key)
      return nil
    }
    return entry.value
  }

  private func finish(
    _ key: Key, _ ticket: Flights.Ticket, _ result: Result<CostedValue, any Error>
  ) {
    let expires = lifetime.map { scheduler.now + $0 }
    let (callers, evicted) = state.withLock { state -> ([Resolver<Value>], [Entry]) in
      let isStored = state.flights.isJoinable(ticket)
      let callers = state.flights.ended(ticket)
      // A value that exceeds the limit alone is delivered, but not stored.
      guard isStored, case .success(let made) = result, made.cost <= cost else {
        return (callers, [])
      }
      let ownCost = max(made.cost, 0)
      var evicted = state.entries.remove(key).map { [$0] } ?? []
      // Room is made first, so that the sum of the costs cannot overflow.
      evicted += state.entries.evict(count: count, cost: cost - ownCost)
      state.entries.insert(Entry(value: made.value, expires: expires), for: key, cost: ownCost)
      evicted += state.entries.evict(count: count, cost: cost)
      return (callers, evicted)
    }
    // Released after unlocking.
    withExtendedLifetime(evicted) {}
    let value = result.map { $0.value }
    for caller in callers { caller.resolve(value) }
  }
}
