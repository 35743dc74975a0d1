import Promises

/// The state of a client's request queue.
///
/// ```
/// waiting --slot--> running --finish-->
/// ```
///
/// Requests of higher priority start first; those of the same priority start in the order in which
/// they were added. A request waits only while all slots are taken or the queue is suspended.
struct RequestQueueState {
  /// A running request, and its index.
  struct Slot: Sendable {
    let request: QueuedRequest
    /// Whether the request had to wait for the slot.
    fileprivate let hasWaited: Bool
    fileprivate let index: Int
  }

  private let width: Int
  private var waiting = Request.Priority.allCases.map { _ in FIFO<QueuedRequest>() }
  private var running: [QueuedRequest?] = []
  private var freeIndices: [Int] = []
  /// Whether no request starts.
  var isSuspended = false

  /// Makes an empty queue.
  ///
  /// - Parameter width: The maximum number of running requests.
  init(width: Int) { self.width = width }

  /// Adds a request.
  ///
  /// - Returns: The slot of the request if it can start now.
  mutating func add(_ request: QueuedRequest, _ priority: Request.Priority) -> Slot? {
    if hasCapacity { return begin(request, hasWaited: false) }
    waiting[Request.Priority.allCases.firstIndex(of: priority) ?? 0].append(request)
    return nil
  }

  /// Removes a finished request.
  ///
  /// - Returns: The slot of the next request, if one can start.
  mutating func finish(_ slot: Slot) -> Slot? {
    freeSlot(slot.index)
    return next()
  }

  /// Removes a finished request if it did not wait and no other request waits.
  ///
  /// - Returns: Whether the request was removed.
  mutating func finishIfNoneWait(_ slot: Slot) -> Bool {
    guard !slot.hasWaited, waiting.allSatisfy({ $0.isEmpty }) else { return false }
    freeSlot(slot.index)
    return true
  }

  /// Takes the next waiting request from the queue.
  ///
  /// - Returns: Its slot, or `nil` if no request can start.
  mutating func next() -> Slot? {
    guard hasCapacity else { return nil }
    for index in waiting.indices.reversed() {
      if let request = waiting[index].popFirst() { return begin(request, hasWaited: true) }
    }
    return nil
  }

  /// The requests that wait and are not cancelled, in the order in which they start, and the running ones.
  var requests: ([QueuedRequest], [QueuedRequest]) {
    let waiting = waiting.reversed().joined().filter { !$0.pending.resolver.isSettled }
    return (waiting, running.compactMap(\.self))
  }

  private var hasCapacity: Bool { !isSuspended && running.count - freeIndices.count < width }

  private mutating func begin(_ request: QueuedRequest, hasWaited: Bool) -> Slot {
    let index = freeIndices.popLast() ?? running.count
    if index == running.count { running.append(request) } else { running[index] = request }
    return Slot(request: request, hasWaited: hasWaited, index: index)
  }

  private mutating func freeSlot(_ index: Int) {
    running[index] = nil
    freeIndices.append(index)
  }
}
