/// A handle that removes a monitor from a client.
///
/// ```swift
/// let registration = networking.addMonitor(timings)
/// registration.remove()
/// ```
///
/// Releasing the handle has no effect.
public struct MonitorRegistration: Sendable {
  private let onRemove: @Sendable () -> Void

  init(onRemove: @escaping @Sendable () -> Void) {
    self.onRemove = onRemove
  }

  /// Stops the delivery of events to the monitor and releases the monitor.
  ///
  /// Pending events are discarded. At most one call of ``NetworkMonitor/observe(_:)`` may still be
  /// running, or be about to start, on the monitor's queue when this method returns. No other call
  /// follows it. This method does not wait for that call, so it may be called from within
  /// `observe`, and under a lock that `observe` takes. Repeated calls have no effect.
  public func remove() {
    onRemove()
  }
}
