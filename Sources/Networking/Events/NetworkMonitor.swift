import Dispatch
import Foundation
import Promises
import Synchronization

/// Is told what happens to a client's calls.
///
/// ```swift
/// struct SlowCalls: NetworkMonitor {
///   func observe(_ event: NetworkEvent) {
///     if case .finished(_, let metrics) = event.kind, metrics.total > .seconds(1) { report(event) }
///   }
/// }
///
/// networking.addMonitor(SlowCalls())
/// ```
///
/// It only looks on: it changes nothing about a call and holds none up. To change requests there are
/// interceptors.
public protocol NetworkMonitor: Sendable {
  /// Takes note of an event.
  ///
  /// The events of a client come one at a time, on a serial queue of this monitor's own, in the order in which
  /// they happened; those of two clients that it was added to may come at once. It may take its time: the
  /// calls do not wait, and what happens meanwhile is kept for it, without limit.
  ///
  /// With a `TestScheduler` virtual time does wait until it has returned.
  ///
  /// - Parameter event: what happened; ``NetworkEvent`` says in what order they come.
  func observe(_ event: NetworkEvent)
}

/// A monitor that gets to see small bodies, which are in no event.
protocol BodyMonitor: NetworkMonitor {
  /// How many bytes a body may have for that; 0 is for none.
  var bodyLimit: Int { get }

  /// Takes note of an event, and of the body that was sent or received with it; not redacted.
  func observe(_ event: NetworkEvent, _ body: Data?)
}

extension BodyMonitor {
  func observe(_ event: NetworkEvent) { observe(event, nil) }
}

/// Hands events to a monitor, one at a time and in order, on a queue of its own.
///
/// The queue is set to work when there is something and it is idle, and takes all that there is at once.
final class MonitorQueue: EventSink {
  private struct State {
    /// Nil once it has been removed.
    var monitor: (any NetworkMonitor)?
    var waiting: [(event: NetworkEvent, body: Data?)] = []
    var isDraining = false

    /// What the queue is to do next; after nil it is idle.
    mutating func next() -> [(event: NetworkEvent, body: Data?)]? {
      guard monitor != nil, !waiting.isEmpty else {
        isDraining = false
        return nil
      }
      defer { waiting = [] }
      return waiting
    }
  }

  let bodyLimit: Int
  private let hasBodies: Bool
  private let state: Mutex<State>
  private let context: ExecutionContext

  /// - Parameters:
  ///   - monitor: who is told.
  ///   - scheduler: whose time does not pass, where it is turned by hand, while the monitor is at work.
  init(_ monitor: any NetworkMonitor, scheduler: any Scheduler) {
    let bodyMonitor = monitor as? any BodyMonitor
    bodyLimit = bodyMonitor?.bodyLimit ?? 0
    hasBodies = bodyMonitor != nil
    state = Mutex(State(monitor: monitor))
    context = scheduler.context(for: .queue(DispatchQueue(label: "Catena.NetworkMonitor")))
  }

  func take(_ event: NetworkEvent, _ body: Data?) {
    let body = (body?.count ?? 0) > bodyLimit ? nil : body
    state.withLock { state in
      if state.monitor != nil { state.waiting.append((event, body)) }
    }
  }

  func deliver() {
    let shouldDrain = state.withLock { state in
      guard !state.isDraining, !state.waiting.isEmpty else { return false }
      state.isDraining = true
      return true
    }
    if shouldDrain { context.run { self.work() } }
  }

  /// Nobody is told any more, but of the one event that the queue may have decided to tell of before.
  func close() {
    let old = state.withLock { state in
      defer {
        state.monitor = nil
        state.waiting = []
      }
      return state.monitor
    }
    // Released after unlocking, since a user's `deinit` may follow.
    withExtendedLifetime(old) {}
  }

  private func work() {
    while let events = state.withLock({ $0.next() }) {
      for (event, body) in events {
        // For each event, under the lock that `close` takes: whichever of the two is first there decides.
        guard let monitor = state.withLock({ $0.monitor }) else { break }
        if hasBodies, let monitor = monitor as? any BodyMonitor {
          monitor.observe(event, body)
        } else {
          monitor.observe(event)
        }
      }
    }
  }
}

/// A handle on a monitor of a client, by which it is removed; dropping it changes nothing.
public struct MonitorRegistration: Sendable {
  private let onRemove: @Sendable () -> Void

  init(onRemove: @escaping @Sendable () -> Void) {
    self.onRemove = onRemove
  }

  /// Tells the monitor of nothing more, and releases it.
  ///
  /// What was kept for it is dropped. One call of ``NetworkMonitor/observe(_:)`` at the most, decided on before, may be
  /// under way on the monitor's queue when this returns, be it still before its first line; none follows it. This does not
  /// wait for it, so that a monitor may be removed from within `observe`, and under a lock that `observe` takes.
  /// A repeated call does nothing.
  public func remove() {
    onRemove()
  }
}
