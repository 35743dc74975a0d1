import CatenaSystem
import Dispatch
import Foundation
import Promises

/// An observer of the events of a client's calls.
///
/// ```swift
/// struct SlowCalls: NetworkMonitor {
///   func observe(_ event: NetworkEvent) {
///     guard case .finished(_, let metrics) = event.kind else { return }
///     if metrics.total > .seconds(1) { report(event) }
///   }
/// }
///
/// networking.addMonitor(SlowCalls())
/// ```
///
/// A monitor neither changes nor delays calls. To change requests, use an interceptor.
///
/// A type that conforms is not isolated to an actor. To update a view model or another object of the
/// main actor, add a closure with `networking.addMonitor { event in … }`.
public protocol NetworkMonitor: Sendable {
  /// Handles an event.
  ///
  /// The events of a client arrive one at a time, on a serial queue that belongs to this monitor,
  /// in the order in which they occurred. If the monitor is added to several clients, their events
  /// may arrive concurrently. A slow monitor does not delay calls: events are queued for it in
  /// memory, without limit.
  ///
  /// With a `TestScheduler`, virtual time does not advance until the method returns.
  ///
  /// - Parameter event: The event. ``NetworkEvent`` documents the order of events.
  func observe(_ event: NetworkEvent)
}

/// A monitor that calls a closure.
struct ClosureMonitor: NetworkMonitor {
  private let handler: IsolatedClosure<NetworkEvent, Void>

  init(_ handler: @escaping @Sendable @isolated(any) (_ event: NetworkEvent) -> Void) {
    self.handler = IsolatedClosure(handler)
  }

  /// The context of the actor to which the closure is isolated, in which it must be called.
  ///
  /// `nil` if it is not isolated.
  var context: ExecutionContext? { handler.context }

  // `try?` ignores no error, because the closure does not throw.
  func observe(_ event: NetworkEvent) { try? handler(event) }
}

/// A serial queue that delivers events to one monitor, in order.
///
/// It schedules work only when it is idle, and then delivers all pending events in batches. The
/// events of a closure with an actor are delivered on this actor, one batch at a time, so that the
/// actor can do other work between them.
final class MonitorQueue: EventSink {
  /// A closure that handles an event, and the body that was sent or received with it.
  ///
  /// The body is not redacted.
  typealias Observer = @Sendable (_ event: NetworkEvent, _ body: Data?) -> Void

  private struct State: ~Copyable {
    /// The monitor; `nil` after its removal.
    var observe: Observer?
    var pending: [(event: NetworkEvent, body: Data?)] = []
    var isDraining = false
    /// The number of events that have been added.
    var addedCount = 0
    /// The number of events that have been removed for their delivery, or by the end of the monitor.
    var removedCount = 0

    mutating func removeAll() -> [(event: NetworkEvent, body: Data?)] {
      removedCount = addedCount
      defer { pending = [] }
      return pending
    }

    /// Returns whether there are pending events.
    ///
    /// After `false`, the queue is idle.
    mutating func hasNextBatch() -> Bool {
      isDraining = observe != nil && !pending.isEmpty
      return isDraining
    }
  }

  let bodyLimit: Int
  private let isOnActor: Bool
  private let state: Mutex<State>
  private let context: ExecutionContext

  /// - Parameters:
  ///   - monitor: The monitor.
  ///   - scheduler: The client's scheduler. A `TestScheduler` does not advance its time while the
  ///     monitor handles events.
  convenience init(_ monitor: any NetworkMonitor, scheduler: any Scheduler) {
    self.init(on: (monitor as? ClosureMonitor)?.context, scheduler: scheduler) { event, _ in
      monitor.observe(event)
    }
  }

  /// - Parameters:
  ///   - bodyLimit: The size limit in bytes of the bodies for the closure; 0 disables bodies.
  ///   - actorContext: The actor of the closure.
  ///   - scheduler: The client's scheduler.
  ///   - observe: The closure.
  init(
    bodyLimit: Int = 0, on actorContext: ExecutionContext? = nil, scheduler: any Scheduler,
    _ observe: @escaping Observer
  ) {
    self.bodyLimit = bodyLimit
    state = Mutex(State(observe: observe))
    isOnActor = actorContext != nil
    context = scheduler.context(
      for: actorContext ?? .queue(DispatchQueue(label: "Catena.NetworkMonitor")))
  }

  func enqueue(_ event: NetworkEvent, _ body: Data?) {
    let body = (body?.count ?? 0) > bodyLimit ? nil : body
    state.withLock { state in
      guard state.observe != nil else { return }
      state.pending.append((event, body))
      state.addedCount += 1
    }
  }

  func deliver() {
    let shouldDrain = state.withLock { state in
      guard !state.isDraining, !state.pending.isEmpty else { return false }
      state.isDraining = true
      return true
    }
    if shouldDrain { context.run { self.drain() } }
  }

  func whenDelivered(_ action: @escaping @Sendable () -> Void) {
    let count = state.withLock { $0.addedCount }
    deliver()
    afterDelivery(of: count, action)
  }

  /// Calls a closure in the context of the monitor, in which a batch is delivered as a whole.
  private func afterDelivery(of count: Int, _ action: @escaping @Sendable () -> Void) {
    context.run { [self] in
      if state.withLock({ $0.removedCount >= count }) {
        action()
      } else {
        afterDelivery(of: count, action)
      }
    }
  }

  /// Stops the delivery.
  ///
  /// At most one event that the queue has already selected may still be delivered.
  func close() {
    let old = state.withLock { state in
      _ = state.removeAll()
      return state.observe.take()
    }
    // Released outside the lock, because it may run a user's `deinit`.
    withExtendedLifetime(old) {}
  }

  private func drain() {
    while let events = state.withLock({ $0.hasNextBatch() ? $0.removeAll() : nil }) {
      for (event, body) in events {
        // Checked before each event, under the lock that `close` takes, so that `close` stops
        // delivery.
        guard let observe = state.withLock({ $0.observe }) else { break }
        observe(event.redacted(), body)
      }
      guard isOnActor else { continue }
      if state.withLock({ $0.hasNextBatch() }) { context.run { self.drain() } }
      return
    }
  }
}
