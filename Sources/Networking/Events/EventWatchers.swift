/// Those who watch a client; a call takes along those that there are when it is made.
final class EventWatchers: Sendable {
  let sinks: [any EventSink]
  /// How many bytes a body may have for the most curious of them; 0 is for none.
  let bodyLimit: Int

  /// Adds one to those that there are.
  convenience init(_ others: EventWatchers?, adding sink: any EventSink) {
    self.init((others?.sinks ?? []) + [sink])
  }

  private init(_ sinks: [any EventSink]) {
    self.sinks = sinks
    bodyLimit = sinks.map(\.bodyLimit).max() ?? 0
  }

  /// All but one; nil when that leaves nobody.
  func removing(_ sink: any EventSink) -> EventWatchers? {
    let rest = sinks.filter { $0 !== sink }
    return rest.isEmpty ? nil : EventWatchers(rest)
  }
}
