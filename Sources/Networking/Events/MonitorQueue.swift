import Dispatch
import Foundation
import Promises
import Synchronization

/// Hands events to a monitor, one at a time and in order, on a queue of its own.
///
/// The queue is set to work when there is something and it is idle, and takes all that there is at once.
final class MonitorQueue: EventSink {
  private struct State {
    /// Nil once it has been removed.
    var monitor: (any NetworkMonitor)?
    var waiting: [(event: NetworkEvent, body: Data?)] = []
    var isAtWork = false

    /// What the queue is to do next; after nil it is idle.
    mutating func next() -> [(event: NetworkEvent, body: Data?)]? {
      guard monitor != nil, !waiting.isEmpty else {
        isAtWork = false
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
    let begins = state.withLock { state in
      guard !state.isAtWork, !state.waiting.isEmpty else { return false }
      state.isAtWork = true
      return true
    }
    if begins { context.run { self.work() } }
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
