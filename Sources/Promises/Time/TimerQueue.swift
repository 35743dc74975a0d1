/// A priority queue of actions by due time.
///
/// Actions that are due at the same time keep their insertion order.
///
/// A heap holds small keys, and a dictionary holds the actions. Cancelling removes an action from
/// the dictionary at once. Its key stays in the heap until it becomes the first key, and is then
/// dropped. When more than half of the keys are stale, they are removed together, so that cancelled
/// timers cost little time and memory.
struct TimerQueue {
  typealias ID = UInt64

  private struct Key: HeapElement {
    let due: Duration
    let id: ID

    func precedes(_ other: Key) -> Bool { due < other.due || (due == other.due && id < other.id) }
  }

  private var heap = Heap<Key>()
  private var actions: [ID: @Sendable () -> Void] = [:]
  private var lastID: ID = 0

  /// The number of actions.
  var count: Int { actions.count }

  /// The number of keys, including the stale ones.
  var keyCount: Int { heap.count }

  /// The due time of the next action, or `nil` if there is none.
  var nextDue: Duration? {
    mutating get {
      dropCancelled()
      return heap.first?.due
    }
  }

  mutating func insert(due: Duration, _ action: @escaping @Sendable () -> Void) -> ID {
    lastID += 1
    actions[lastID] = action
    heap.insert(Key(due: due, id: lastID))
    return lastID
  }

  /// Removes and returns an action, so that the caller can release it outside the lock.
  mutating func cancel(_ id: ID) -> (@Sendable () -> Void)? {
    let action = actions.removeValue(forKey: id)
    if heap.count > 64, heap.count > 2 * actions.count {
      heap.removeAll { actions[$0.id] == nil }
    }
    return action
  }

  /// Removes and returns the first action if it is due by `limit`.
  mutating func pop(dueBy limit: Duration) -> (due: Duration, action: @Sendable () -> Void)? {
    guard let due = nextDue, due <= limit,
      let action = heap.popFirst().flatMap({ actions.removeValue(forKey: $0.id) })
    else { return nil }
    return (due, action)
  }

  private mutating func dropCancelled() {
    while let first = heap.first, actions[first.id] == nil { heap.popFirst() }
  }
}
