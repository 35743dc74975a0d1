/// Is told what happens to a client's calls.
///
/// ```swift
/// struct SlowCalls: NetworkMonitor {
///   func observe(_ event: NetworkEvent) {
///     if case .finished(_, let metrics) = event.kind, metrics.total > .seconds(1) { report(event) }
///   }
/// }
///
/// networking.addMonitor(SlowCalls())
/// ```
///
/// It only looks on: it changes nothing about a call and holds none up. To change requests there are
/// interceptors.
public protocol NetworkMonitor: Sendable {
  /// Takes note of an event.
  ///
  /// The events of a client come one at a time, on a serial queue of this monitor's own, in the order in which
  /// they happened; those of two clients that it was added to may come at once. It may take its time: the
  /// calls do not wait, and what happens meanwhile is kept for it, without limit.
  ///
  /// With a `TestScheduler` virtual time does wait until it has returned.
  ///
  /// - Parameter event: what happened; ``NetworkEvent`` says in what order they come.
  func observe(_ event: NetworkEvent)
}
