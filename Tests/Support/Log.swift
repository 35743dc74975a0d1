import Synchronization

/// What happened, in order, from whatever threads; a test can wait for the nth entry.
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

  /// All entries, once there are at least `count`.
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
