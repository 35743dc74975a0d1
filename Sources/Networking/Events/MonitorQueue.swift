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
    mutating func next() -> (any NetworkMonitor, [(event: NetworkEvent, body: Data?)])? {
      guard let monitor, !waiting.isEmpty else {
        isAtWork = false
        return nil
      }
      defer { waiting = [] }
      return (monitor, waiting)
    }
  }

  let bodyLimit: Int
  private let state: Mutex<State>
  /// Asked before each event, without the lock that those who make events take.
  private let isClosed = Atomic(false)
  private let context: ExecutionContext

  /// - Parameters:
  ///   - monitor: who is told.
  ///   - scheduler: whose time does not pass, where it is turned by hand, while the monitor is at work.
  init(_ monitor: any NetworkMonitor, scheduler: any Scheduler) {
    bodyLimit = (monitor as? any BodyMonitor)?.bodyLimit ?? 0
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

  /// Nobody is told any more.
  func close() {
    isClosed.store(true, ordering: .releasing)
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
    while let (monitor, events) = state.withLock({ $0.next() }) {
      let bodyMonitor = monitor as? any BodyMonitor
      for (event, body) in events {
        if isClosed.load(ordering: .acquiring) { break }
        if let bodyMonitor { bodyMonitor.observe(event, body) } else { monitor.observe(event) }
      }
    }
  }
}
