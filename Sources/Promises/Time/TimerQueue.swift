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
    /// The lateness up to which the action is not postponed.
    ///
    /// `nil` for an action that is never postponed.
    let tolerance: Duration?

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

  /// Adds an action.
  ///
  /// - Parameters:
  ///   - due: The time of the action.
  ///   - hasGrace: Whether ``LateCheck`` applies to the action.
  ///   - action: The action.
  /// - Returns: The key with which the action can be cancelled.
  mutating func insert(
    due: Duration, hasGrace: Bool = false, _ action: @escaping @Sendable () -> Void
  ) -> ID {
    lastID += 1
    actions[lastID] = action
    heap.insert(Key(due: due, id: lastID, tolerance: hasGrace ? LateCheck.tolerance : nil))
    return lastID
  }

  /// Removes and returns an action, so that the caller can release it outside the lock.
  mutating func cancel(_ id: ID) -> (@Sendable () -> Void)? {
    let action = actions.removeValue(forKey: id)
    if heap.count > 64, heap.count > 2 * actions.count { heap.removeAll { actions[$0.id] == nil } }
    return action
  }

  /// Removes and returns the first action if it is due by `limit`.
  ///
  /// A late action with a grace period becomes due at the end of that period instead.
  mutating func pop(dueBy limit: Duration) -> (due: Duration, action: @Sendable () -> Void)? {
    while let due = nextDue, due <= limit, let key = heap.popFirst() {
      guard let tolerance = key.tolerance, limit - due > tolerance else {
        return actions.removeValue(forKey: key.id).map { (due, $0) }
      }
      heap.insert(
        Key(due: limit + LateCheck.grace, id: key.id, tolerance: LateCheck.suspension))
    }
    return nil
  }

  private mutating func dropCancelled() {
    while let first = heap.first, actions[first.id] == nil { heap.popFirst() }
  }
}
