/// A priority queue of actions, ordered by due time and then by order of scheduling.
///
/// A binary heap of small keys and a table of the actions. Cancelling removes the action from the
/// table immediately and leaves its key, which is skipped later. When most keys are stale, the heap
/// is rebuilt, so that cancelled timers use little time and memory.
struct TimerQueue {
  typealias ID = UInt64

  private struct Key {
    let due: Duration
    let id: ID

    func precedes(_ other: Key) -> Bool {
      due < other.due || (due == other.due && id < other.id)
    }
  }

  private var heap: [Key] = []
  private var actions: [ID: @Sendable () -> Void] = [:]
  private var lastID: ID = 0

  /// The number of scheduled actions.
  var count: Int { actions.count }

  /// The due time of the next action.
  ///
  /// `nil` if the queue is empty.
  var nextDue: Duration? {
    mutating get {
      dropCancelled()
      return heap.first?.due
    }
  }

  mutating func insert(due: Duration, _ action: @escaping @Sendable () -> Void) -> ID {
    lastID += 1
    actions[lastID] = action
    heap.append(Key(due: due, id: lastID))
    siftUp(from: heap.count - 1)
    return lastID
  }

  /// Removes an action and returns it, so that the caller can release it without holding a lock.
  mutating func cancel(_ id: ID) -> (@Sendable () -> Void)? {
    let action = actions.removeValue(forKey: id)
    if heap.count > 64, heap.count > 2 * actions.count { rebuild() }
    return action
  }

  /// Removes and returns the first action if it is due by `limit`.
  mutating func pop(dueBy limit: Duration) -> (due: Duration, action: @Sendable () -> Void)? {
    guard let due = nextDue, due <= limit,
      let action = actions.removeValue(forKey: removeFirst().id)
    else { return nil }
    return (due, action)
  }

  private mutating func dropCancelled() {
    while let first = heap.first, actions[first.id] == nil { _ = removeFirst() }
  }

  private mutating func rebuild() {
    heap.removeAll { actions[$0.id] == nil }
    // A sorted array is a valid heap.
    heap.sort { $0.precedes($1) }
  }

  private mutating func removeFirst() -> Key {
    heap.swapAt(0, heap.count - 1)
    let first = heap.removeLast()
    siftDown()
    return first
  }

  private mutating func siftUp(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].precedes(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var least = parent
      for child in (2 * parent + 1)...(2 * parent + 2)
      where child < heap.count && heap[child].precedes(heap[least]) {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
