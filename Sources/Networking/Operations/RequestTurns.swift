/// Whose turn it is in a client's queue.
///
/// ```
/// waiting --turn--> under way --finish-->
/// ```
///
/// Those of higher priority come first, and of the same priority those that were there first. As long as
/// there is room and the queue is not suspended, nobody waits.
struct RequestTurns {
  private let width: Int
  private var waiting = Request.Priority.allCases.map { _ in Line() }
  private var underWay: [ObjectIdentifier: QueuedRequest] = [:]
  private var isSuspended = false

  /// Makes an empty queue.
  ///
  /// - Parameter width: how many may be under way at once.
  init(width: Int) {
    self.width = width
  }

  /// A request joins.
  ///
  /// - Returns: the request if its turn has come already.
  mutating func add(_ request: QueuedRequest, _ priority: Request.Priority) -> QueuedRequest? {
    guard !isSuspended, underWay.count < width else {
      waiting[priority.place].append(request)
      return nil
    }
    underWay[ObjectIdentifier(request)] = request
    return request
  }

  /// A request is over.
  ///
  /// - Returns: the one whose turn has come by that.
  mutating func finish(_ request: QueuedRequest) -> QueuedRequest? {
    underWay[ObjectIdentifier(request)] = nil
    return next()
  }

  /// Gives no more turns.
  mutating func suspend() {
    isSuspended = true
  }

  /// Gives turns again.
  ///
  /// - Returns: those whose turn has come by that, in order.
  mutating func resume() -> [QueuedRequest] {
    isSuspended = false
    var due: [QueuedRequest] = []
    while let next = next() { due.append(next) }
    return due
  }

  /// All requests, those that wait first.
  var all: [QueuedRequest] { waiting.flatMap(\.requests) + Array(underWay.values) }

  private mutating func next() -> QueuedRequest? {
    guard !isSuspended, underWay.count < width else { return nil }
    for place in waiting.indices.reversed() {
      guard let request = waiting[place].popFirst() else { continue }
      underWay[ObjectIdentifier(request)] = request
      return request
    }
    return nil
  }

  /// Those of one priority.
  private struct Line {
    private var slots: [QueuedRequest?] = []
    private var first = 0

    var requests: [QueuedRequest] { slots[first...].compactMap(\.self) }

    mutating func append(_ request: QueuedRequest) {
      slots.append(request)
    }

    mutating func popFirst() -> QueuedRequest? {
      guard first < slots.count else { return nil }
      let request = slots[first].take()
      first += 1
      // Now and then, so that each is moved once on average.
      if first == slots.count || first > 1_000 && first > slots.count / 2 {
        slots.removeSubrange(..<first)
        first = 0
      }
      return request
    }
  }
}

extension Request.Priority {
  /// The lowest has the first place.
  fileprivate var place: Int {
    switch self {
    case .veryLow: 0
    case .low: 1
    case .normal: 2
    case .high: 3
    case .veryHigh: 4
    }
  }
}
