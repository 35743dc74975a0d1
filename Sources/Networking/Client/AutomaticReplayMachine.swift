/// When a store is replayed by itself: each time the network has come back, one replay at a time.
struct AutomaticReplayMachine {
  enum Action: Equatable {
    case replay
    /// To wait a while, and say when it is over.
    case wait
  }

  private var current: ReachabilityMachine.Change
  private var isReplaying = false
  /// Whether there may be something that the replay under way has not found.
  private var isWanted = false

  init(_ current: ReachabilityMachine.Change) {
    self.current = current
  }

  /// The number of the last change.
  var epoch: UInt64 { current.number }

  /// The network's status is another.
  ///
  /// What was never away does not come back: when a client is made and the network is found, whoever
  /// made it has not signed in yet.
  mutating func changed(_ change: ReachabilityMachine.Change) -> Action? {
    // Who listens gets the latest change alone, so several may lie in between.
    let wasAway = current.status == .unreachable || change.number > current.number + 1
    current = change
    return wasAway && change.status.isReachable ? want() : nil
  }

  /// A request has been kept; when the network has come back since it began, that replay came too early
  /// for it.
  mutating func kept(since epoch: UInt64) -> Action? {
    epoch < current.number && current.status.isReachable ? want() : nil
  }

  /// Somebody else is at it, in whose report nobody here will see what is left; the replay counts as
  /// under way until the wait is over.
  mutating func foundBusy() -> Action? {
    guard current.status.isReachable else { return ended() }
    return .wait
  }

  /// The time to try again has come.
  mutating func waited() -> Action? {
    isWanted = true
    return ended()
  }

  /// The replay under way is over.
  mutating func ended() -> Action? {
    isReplaying = false
    guard isWanted else { return nil }
    isWanted = false
    return current.status.isReachable ? want() : nil
  }

  private mutating func want() -> Action? {
    guard !isReplaying else {
      isWanted = true
      return nil
    }
    isReplaying = true
    return .replay
  }
}
