import Networking

/// The rules about the offline store.
struct OfflineRules {
  private let settings: StorySettings
  private let calls: [StoryCall]
  private let entries: [StoryLog.Entry]

  init(_ settings: StorySettings, _ calls: [StoryCall], _ entries: [StoryLog.Entry]) {
    self.settings = settings
    self.calls = calls
    self.entries = entries
  }

  var violations: [String] {
    var found = calls.flatMap { call in
      storageViolations(call).map { "call \(call.number): \($0)" }
    }
    if settings.hasOfflineStore { found += replayViolations }
    return found
  }

  /// A request is stored if and only if it may be, and has failed for lack of a network.
  private func storageViolations(_ call: StoryCall) -> [String] {
    var found: [String] = []
    var shouldBeStored = false
    if case .failed(let code)? = call.outcome {
      shouldBeStored = settings.isStorable(call.request) && code.isNetworkUnavailable
    }
    if call.isStored != shouldBeStored {
      found.append(call.isStored ? "was stored" : "was not stored")
    }
    if !call.laterHops.isEmpty, !call.isStored, !settings.mayShare(call.request) {
      found.append("hop \(call.laterHops[0].hop.number) after the end")
    }
    if call.isStored, Set((call.hops + call.laterHops).map(\.hop.idempotencyKey)).count > 1 {
      found.append("the idempotency key has changed in a replay")
    }
    return found
  }

  /// A stored request leaves the store once, after a final response to itself, and before the later ones
  /// of its key.
  private var replayViolations: [String] {
    var found: [String] = []
    /// The stored calls, in the order in which they were stored.
    var stored: [Int] = []
    var lastHops: [Int: StoryHop] = [:]
    /// The calls whose last hop follows a temporary redirect.
    var redirected: Set<Int> = []
    var replays = 0
    var last: (time: Duration, report: StoryReplay)?
    for entry in entries {
      switch entry.event {
      case .settled(let call, _, isStored: true): stored.append(call)
      case .replayStarted: replays += 1
      case .hop(let hop) where stored.contains(hop.call):
        if case .redirect(let status, _)? = lastHops[hop.call]?.reply?.kind,
          hop.path.hasSuffix("/next")
        {
          if status != 301, status != 308 { redirected.insert(hop.call) }
        } else {
          redirected.remove(hop.call)
        }
        lastHops[hop.call] = hop
        if replays == 0, !settings.isReplayAutomatic {
          found.append("hop \(hop.number) without a replay")
        }
      case .replayEnded(let report):
        replays -= replays > 0 ? 1 : 0
        guard let report else { break }
        // A call during a replay joins it, and has the same report.
        if let last, last.time == entry.time, last.report == report { break }
        last = (entry.time, report)
        found += leave(report.delivered, &stored) {
          !redirected.contains($0) && isOwnReply(lastHops[$0], 200)
        }
        found += leave(report.failed, &stored) {
          !redirected.contains($0) && isOwnReply(lastHops[$0], 404)
        }
        found += blockedViolations(report, stored)
      case .remaining(let remaining):
        if Set(remaining) != Set(stored) || remaining.count != stored.count {
          found.append("the store has \(remaining.sorted()) instead of \(stored.sorted())")
        }
      default: break
      }
    }
    return found
  }

  /// Returns whether a hop has a status, and is for the resource and the method of its call.
  ///
  /// Permanent redirects on the host lead to the same resource.
  private func isOwnReply(_ hop: StoryHop?, _ expected: Int) -> Bool {
    guard let hop, case .status(expected)? = hop.reply?.kind else { return false }
    return hop.host == "a.example" && hop.method == calls[hop.call].request.method
  }

  /// Removes calls that have left the store.
  private func leave(
    _ left: [Int], _ stored: inout [Int], _ isAllowed: (Int) -> Bool
  ) -> [String] {
    left.flatMap { call -> [String] in
      let isStored = stored.contains(call)
      stored.removeAll { $0 == call }
      return (isStored ? [] : ["call \(call) left the store twice"])
        + (isAllowed(call) ? [] : ["call \(call) left the store without a final reply"])
    }
  }

  /// None has left the store before an earlier one of the same key that the replay has kept.
  private func blockedViolations(_ report: StoryReplay, _ stored: [Int]) -> [String] {
    let order = calls.filter(\.isStored).sorted {
      ($0.settled?.position ?? 0) < ($1.settled?.position ?? 0)
    }
    .map(\.number)
    return (report.delivered + report.failed).compactMap { left in
      let earlier = order.prefix { $0 != left }
      let blocking = earlier.first {
        report.kept.contains($0) && calls[$0].request.storeKey == calls[left].request.storeKey
      }
      return blocking.map { "call \(left) left the store before call \($0)" }
    }
  }
}
