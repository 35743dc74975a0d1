/// The events of one call.
struct StoryCall {
  /// The position of an event in the log, and its time.
  typealias Place = (position: Int, time: Duration)

  struct Hop {
    let hop: StoryHop
    let position: Int
    let time: Duration
    var end: Place?
  }

  /// One passage of a call behind the interceptors, with its retries and redirects.
  struct Passage {
    let entered: Place
    /// The next passage of the call, or its settlement.
    var end: Place?
    var hops: [Hop] = []
  }

  let number: Int
  let request: StoryRequest
  var passages: [Passage] = []
  /// The hops that name the call after its settlement, or after its first replay has begun.
  ///
  /// They belong to other calls that share its exchange, or to a replay.
  private(set) var laterHops: [Hop] = []
  private(set) var began: Place?
  private(set) var cancelled: Place?
  private(set) var settled: Place?
  private(set) var outcome: StoryOutcome?
  /// Whether the request is in the offline store when the call settles.
  private(set) var isStored = false
  private(set) var settlements = 0
  /// The number of times that the call began.
  private(set) var beginnings = 0
  /// Whether the call has settled, or a replay of its request has begun on another thread.
  private var isOver = false

  /// The hops of all passages.
  var hops: [Hop] { passages.flatMap(\.hops) }

  init(_ number: Int, _ request: StoryRequest, _ entries: [StoryLog.Entry]) {
    self.number = number
    self.request = request
    isStored = entries.contains { entry in
      if case .settled(number, _, isStored: true) = entry.event { true } else { false }
    }
    for (position, entry) in entries.enumerated() { add(entry.event, (position, entry.time)) }
  }

  private mutating func add(_ event: StoryEvent, _ place: Place) {
    switch event {
    case .began(number) where began != nil && isStored: isOver = true
    case .began(number) where !isOver:
      began = began ?? place
      beginnings += 1
    case .entered(number) where !isOver:
      endPassage(at: place)
      passages.append(Passage(entered: place))
    case .hop(let hop) where hop.call == number:
      let hop = Hop(hop: hop, position: place.position, time: place.time)
      if !isOver, !passages.isEmpty {
        passages[passages.count - 1].hops.append(hop)
      } else {
        laterHops.append(hop)
      }
    case .ended(let hop, _): end(hop, at: place)
    case .cancelled(number) where settled == nil: cancelled = cancelled ?? place
    case .settled(number, let outcome, _):
      settlements += 1
      settled = place
      isOver = true
      self.outcome = outcome
      endPassage(at: place)
    default: break
    }
  }

  private mutating func endPassage(at place: Place) {
    if !passages.isEmpty { passages[passages.count - 1].end = place }
  }

  private mutating func end(_ hop: Int, at place: Place) {
    for index in passages.indices {
      for inner in passages[index].hops.indices
      where passages[index].hops[inner].hop.number == hop {
        passages[index].hops[inner].end = place
      }
    }
    for index in laterHops.indices where laterHops[index].hop.number == hop {
      laterHops[index].end = place
    }
  }
}
