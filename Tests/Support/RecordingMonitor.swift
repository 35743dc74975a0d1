import Networking

/// Keeps what it is told; a test can wait for the ends of calls.
package final class RecordingMonitor: NetworkMonitor {
  private let log = Log<NetworkEvent>()
  private let ends = Log<NetworkEvent>()

  package init() {}

  /// What it has been told until now.
  package var events: [NetworkEvent] { log.entries }

  package func observe(_ event: NetworkEvent) {
    log.append(event)
    if event.isFinal { ends.append(event) }
  }

  /// What it has been told once so many calls are over.
  package func events(ofCalls count: Int) async -> [NetworkEvent] {
    _ = await ends.entries(count)
    return log.entries
  }

  /// What it has been told once there are so many events.
  package func events(_ count: Int) async -> [NetworkEvent] {
    await log.entries(count)
  }
}

extension [NetworkEvent] {
  /// What happened, in words.
  package var words: [String] { map(\.kind.description) }

  /// The same with attempt and hop, and the time in seconds.
  package var numbered: [String] {
    map { "\($0.attempt).\($0.hop) \($0.elapsed / .seconds(1)) \($0.kind)" }
  }

  /// Those of each call, in the order in which the calls were made.
  package var byCall: [[NetworkEvent]] {
    var calls: [NetworkEvent.CallID] = []
    var events: [NetworkEvent.CallID: [NetworkEvent]] = [:]
    for event in self {
      if events[event.call] == nil { calls.append(event.call) }
      events[event.call, default: []].append(event)
    }
    return calls.compactMap { events[$0] }
  }
}
