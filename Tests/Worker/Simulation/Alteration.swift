import Networking

/// A change of the log of a story that breaks the contract, so that the rules must report it.
enum Alteration: String, CaseIterable {
  case missingSettlement
  case secondSettlement
  case credentialsForAnotherOrigin
  case openHop
  case swappedBeginnings

  /// Applies the change.
  ///
  /// - Parameter entries: The log of a story without violations.
  /// - Returns: The changed log, or `nil` if the log has no event to change.
  func applied(to entries: [StoryLog.Entry]) -> [StoryLog.Entry]? {
    var entries = entries
    switch self {
    case .missingSettlement:
      guard let index = entries.lastIndex(where: { $0.isSettlement }) else { return nil }
      entries.remove(at: index)
    case .secondSettlement:
      guard let index = entries.lastIndex(where: { $0.isSettlement }) else { return nil }
      entries.insert(entries[index], at: index)
    case .credentialsForAnotherOrigin:
      guard let (index, hop) = Self.firstHop(in: entries) else { return nil }
      var changed = hop
      changed.host = "b.example"
      changed.authorization = "Bearer token-0"
      entries[index] = StoryLog.Entry(time: entries[index].time, event: .hop(changed))
    case .openHop:
      guard let (_, hop) = Self.firstHop(in: entries),
        let index = entries.lastIndex(where: { $0.endedHop == hop.number })
      else { return nil }
      entries.remove(at: index)
    case .swappedBeginnings:
      guard let (first, second) = Self.firstBeginnings(in: entries) else { return nil }
      let event = entries[first].event
      entries[first] = StoryLog.Entry(time: entries[first].time, event: entries[second].event)
      entries[second] = StoryLog.Entry(time: entries[second].time, event: event)
    }
    return entries
  }

  private static func firstHop(in entries: [StoryLog.Entry]) -> (Int, StoryHop)? {
    for (index, entry) in entries.enumerated() {
      if case .hop(let hop) = entry.event { return (index, hop) }
    }
    return nil
  }

  /// The first two beginnings, if the second call was made after the first one began.
  private static func firstBeginnings(in entries: [StoryLog.Entry]) -> (Int, Int)? {
    var first: Int?
    var made: Set<Int> = []
    for (index, entry) in entries.enumerated() {
      switch (entry.event, first) {
      case (.started(let call), .some): made.insert(call)
      case (.began, nil): first = index
      case (.began(let call), let first?): return made.contains(call) ? (first, index) : nil
      default: break
      }
    }
    return nil
  }
}

extension StoryLog.Entry {
  fileprivate var isSettlement: Bool {
    if case .settled = event { true } else { false }
  }

  fileprivate var endedHop: Int? {
    if case .ended(let hop, _) = event { hop } else { nil }
  }
}
