import Promises

/// Whose turn it is in a client's queue.
///
/// ```
/// waiting --turn--> under way --finish-->
/// ```
///
/// Those of higher priority come first, and of the same priority those that were there first. As long as
/// there is room and the queue is not suspended, nobody waits.
struct RequestQueueState {
  /// A request under way, and where it is found when it is over.
  struct Slot: Sendable {
    let request: QueuedRequest
    /// Whether it did not come at once.
    fileprivate let hasWaited: Bool
    fileprivate let index: Int
  }

  private let width: Int
  private var waiting = Request.Priority.allCases.map { _ in FIFO<QueuedRequest>() }
  private var running: [QueuedRequest?] = []
  private var freeIndices: [Int] = []
  private var isSuspended = false

  /// Makes an empty queue.
  ///
  /// - Parameter width: how many may be under way at once.
  init(width: Int) {
    self.width = width
  }

  /// A request joins.
  ///
  /// - Returns: its turn, if that has come already.
  mutating func add(_ request: QueuedRequest, _ priority: Request.Priority) -> Slot? {
    if hasCapacity { return begin(request, hasWaited: false) }
    waiting[priority.index].append(request)
    return nil
  }

  /// A request is over.
  ///
  /// - Returns: the turn that has come by that.
  mutating func finish(_ slot: Slot) -> Slot? {
    freeSlot(slot.index)
    return next()
  }

  /// A request is over that has waited for nobody, and for which nobody waits.
  ///
  /// - Returns: false where it is another, and then nothing has changed.
  mutating func finishIfNoneWait(_ slot: Slot) -> Bool {
    guard !slot.hasWaited, waiting.allSatisfy({ $0.isEmpty }) else { return false }
    freeSlot(slot.index)
    return true
  }

  /// Gives no more turns.
  mutating func suspend() {
    isSuspended = true
  }

  /// Gives turns again.
  ///
  /// - Returns: the turns that have come by that, in order.
  mutating func resume() -> [Slot] {
    isSuspended = false
    var due: [Slot] = []
    while let next = next() { due.append(next) }
    return due
  }

  /// All requests, those that wait first.
  var all: [QueuedRequest] { waiting.flatMap(\.self) + running.compactMap(\.self) }

  private var hasCapacity: Bool { !isSuspended && running.count - freeIndices.count < width }

  private mutating func begin(_ request: QueuedRequest, hasWaited: Bool) -> Slot {
    guard let index = freeIndices.popLast() else {
      running.append(request)
      return Slot(request: request, hasWaited: hasWaited, index: running.count - 1)
    }
    running[index] = request
    return Slot(request: request, hasWaited: hasWaited, index: index)
  }

  private mutating func freeSlot(_ index: Int) {
    running[index] = nil
    freeIndices.append(index)
  }

  private mutating func next() -> Slot? {
    guard hasCapacity else { return nil }
    for index in waiting.indices.reversed() {
      if let request = waiting[index].popFirst() { return begin(request, hasWaited: true) }
    }
    return nil
  }
}

extension Request.Priority {
  /// The lowest has the first place.
  fileprivate var index: Int {
    switch self {
    case .veryLow: 0
    case .low: 1
    case .normal: 2
    case .high: 3
    case .veryHigh: 4
    }
  }
}
