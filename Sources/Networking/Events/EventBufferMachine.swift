/// The events that a sequence has not handed out yet, and those who wait for more.
struct EventBufferMachine<Reader> {
  /// A reader, and what it gets; nil at the end.
  typealias Answer = (reader: Reader, event: NetworkEvent?)

  private let limit: Int
  /// The first `taken` of them have been handed out.
  private var events: [NetworkEvent?] = []
  private var taken = 0
  private var readers: [(id: UInt64, reader: Reader)] = []
  private var lastID: UInt64 = 0
  private(set) var dropped = 0
  private var isFinished = false

  init(limit: Int) {
    self.limit = max(limit, 1)
  }

  /// How many are kept.
  var count: Int { events.count - taken }

  mutating func makeID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Keeps an event, and drops the oldest if they are too many.
  mutating func add(_ event: NetworkEvent) {
    events.append(event)
    guard count > limit else { return }
    _ = takeFirst()
    dropped += 1
  }

  /// Nothing more will come.
  mutating func finish() {
    isFinished = true
  }

  /// The next one of those who wait and can be answered; nil when there is none.
  mutating func nextAnswer() -> Answer? {
    guard !readers.isEmpty, isFinished || count > 0 else { return nil }
    return (readers.removeFirst().reader, takeFirst())
  }

  /// Somebody waits for the next event, behind those who do already.
  mutating func wait(_ id: UInt64, _ reader: Reader) {
    readers.append((id, reader))
  }

  /// Somebody waits no longer.
  ///
  /// - Returns: who that is; nil when it has been answered.
  mutating func leave(_ id: UInt64) -> Reader? {
    guard let index = readers.firstIndex(where: { $0.id == id }) else { return nil }
    return readers.remove(at: index).reader
  }

  private mutating func takeFirst() -> NetworkEvent? {
    guard count > 0 else { return nil }
    let first = events[taken].take()
    taken += 1
    // Now and then, so that it costs the same for each.
    if taken >= 64, taken * 2 >= events.count {
      events.removeFirst(taken)
      taken = 0
    }
    return first
  }
}
