import CatenaSystem
import Dispatch
package import Networking
package import Promises

/// A thread-safe list of entries in order of arrival; a test can wait for the nth entry.
package final class Log<Entry: Sendable>: Sendable {
  private struct State {
    var entries: [Entry] = []
    var waiters: [(count: Int, continuation: CheckedContinuation<[Entry], Never>)] = []
  }

  private let state = Mutex(State())

  package init() {}

  package var entries: [Entry] { state.withLock { $0.entries } }

  package func append(_ entry: Entry) {
    let (ready, entries) = state.withLock { state in
      state.entries.append(entry)
      let count = state.entries.count
      let ready = state.waiters.filter { $0.count <= count }
      state.waiters.removeAll { $0.count <= count }
      return (ready, state.entries)
    }
    for waiter in ready { waiter.continuation.resume(returning: entries) }
  }

  /// Waits for at least `count` entries and returns all entries.
  package func entries(_ count: Int) async -> [Entry] {
    await withCheckedContinuation { continuation in
      let entries = state.withLock { state -> [Entry]? in
        if state.entries.count >= count { return state.entries }
        state.waiters.append((count, continuation))
        return nil
      }
      if let entries { continuation.resume(returning: entries) }
    }
  }
}

/// A thread-safe integer.
package final class Counter: Sendable {
  private let number = Atomic(0)

  package init() {}

  package var value: Int { number.load(ordering: .sequentiallyConsistent) }

  @discardableResult
  package func add(_ amount: Int = 1) -> Int {
    number.add(amount, ordering: .sequentiallyConsistent).newValue
  }
}

/// A monitor that records events; a test can wait for the end of calls.
package final class RecordingMonitor: NetworkMonitor {
  private let log = Log<NetworkEvent>()
  private let ends = Log<NetworkEvent>()

  package init() {}

  /// The events recorded so far.
  package var events: [NetworkEvent] { log.entries }

  package func observe(_ event: NetworkEvent) {
    log.append(event)
    if event.isFinal { ends.append(event) }
  }

  /// Waits for `count` calls to end and returns all events.
  package func events(ofCalls count: Int) async -> [NetworkEvent] {
    _ = await ends.entries(count)
    return log.entries
  }

  /// Waits for at least `count` events and returns all events.
  package func events(_ count: Int) async -> [NetworkEvent] {
    await log.entries(count)
  }
}

extension [NetworkEvent] {
  /// The descriptions of the kinds of the events.
  package var kinds: [String] { map(\.kind.description) }

  /// The descriptions of the kinds, each after the attempt, the hop, and the time in seconds, such
  /// as `1.0 2.5 retry ...`.
  package var timedKinds: [String] {
    map { "\($0.attempt).\($0.hop) \($0.elapsed / .seconds(1)) \($0.kind)" }
  }

  /// The events of each call, in the order of the calls.
  package var byCall: [[NetworkEvent]] {
    var calls: [NetworkEvent.CallID] = []
    var events: [NetworkEvent.CallID: [NetworkEvent]] = [:]
    for event in self {
      if events[event.call] == nil { calls.append(event.call) }
      events[event.call, default: []].append(event)
    }
    return calls.compactMap { events[$0] }
  }
}

/// A virtual-time scheduler that records delays; a test can wait until a delay is scheduled.
package final class RecordingScheduler: Scheduler {
  package let time = TestScheduler()
  private let log = Log<Duration>()
  private let onSchedule: @Sendable (Duration) -> Void

  /// - Parameter onSchedule: A closure that receives each delay after it is recorded.
  package init(onSchedule: @escaping @Sendable (_ delay: Duration) -> Void = { _ in }) {
    self.onSchedule = onSchedule
  }

  package var now: Duration { time.now }

  /// Waits for at least `count` scheduled delays and returns all in order.
  package func scheduled(_ count: Int) async -> [Duration] {
    await log.entries(count)
  }

  package func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> ScheduledAction {
    let scheduled = time.schedule(after: delay, action)
    log.append(delay)
    onSchedule(delay)
    return scheduled
  }

  package func context(for context: ExecutionContext) -> ExecutionContext {
    time.context(for: context)
  }

  package func beginActivity() -> ActivityToken? {
    time.beginActivity()
  }
}

/// A list of entries that belongs to the main actor, like the state of a view model.
@MainActor
package final class MainActorLog<Entry: Sendable> {
  package private(set) var entries: [Entry] = []
  private var places: [Bool] = []

  package nonisolated init() {}

  /// Whether there are entries, and all of them were appended on the main queue.
  package var isOfMainQueue: Bool { !places.isEmpty && places.allSatisfy { $0 } }

  package func append(_ entry: Entry) {
    entries.append(entry)
    places.append(isOnMainQueue)
  }
}

/// Waits until the main queue has run all blocks that it has now.
package func mainQueueHasRun() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.main.async { continuation.resume() }
  }
}
