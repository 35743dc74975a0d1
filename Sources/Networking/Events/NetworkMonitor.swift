/// An observer of the events of a client's calls.
///
/// ```swift
/// struct SlowCalls: NetworkMonitor {
///   func observe(_ event: NetworkEvent) {
///     guard case .finished(_, let metrics) = event.kind else { return }
///     if metrics.total > .seconds(1) { report(event) }
///   }
/// }
///
/// networking.addMonitor(SlowCalls())
/// ```
///
/// A monitor neither changes nor delays calls. To change requests, use an interceptor.
///
/// A type that conforms is not isolated to an actor. To update a view model or another object of the
/// main actor, add a closure with `networking.addMonitor { event in … }`.
public protocol NetworkMonitor: Sendable {
  /// Handles an event.
  ///
  /// The events of a client arrive one at a time, on a serial queue that belongs to this monitor,
  /// in the order in which they occurred. If the monitor is added to several clients, their events
  /// may arrive concurrently. A slow monitor does not delay calls: events are queued for it in
  /// memory, without limit.
  ///
  /// The events of several calls are delivered together, within some 5 ms. The end of a call is
  /// delivered at once, unless there was a delivery within this time. ``Networking/flush()``
  /// waits for the delivery.
  ///
  /// With a `TestScheduler`, virtual time does not advance until the method returns.
  ///
  /// - Parameter event: The event. ``NetworkEvent`` documents the order of events.
  func observe(_ event: NetworkEvent)
}

/// A monitor that receives each event on the thread and at the time of the event, such as one that takes times.
///
/// It must be thread-safe and return soon.
package protocol ImmediateMonitor: NetworkMonitor {}
