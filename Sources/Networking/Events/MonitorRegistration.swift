/// A handle on a monitor of a client, by which it is removed; dropping it changes nothing.
public struct MonitorRegistration: Sendable {
  private let onRemove: @Sendable () -> Void

  init(onRemove: @escaping @Sendable () -> Void) {
    self.onRemove = onRemove
  }

  /// Tells the monitor of nothing more, and releases it.
  ///
  /// Once this has returned, no call of ``NetworkMonitor/observe(_:)`` begins; one may be under way. What
  /// was kept for it is dropped. A repeated call does nothing.
  public func remove() {
    onRemove()
  }
}
