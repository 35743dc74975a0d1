/// A handle on a monitor of a client, by which it is removed; dropping it changes nothing.
public struct MonitorRegistration: Sendable {
  private let onRemove: @Sendable () -> Void

  init(onRemove: @escaping @Sendable () -> Void) {
    self.onRemove = onRemove
  }

  /// Tells the monitor of nothing more, and releases it.
  ///
  /// What was kept for it is dropped. One call of ``NetworkMonitor/observe(_:)`` at the most, decided on before, may be
  /// under way on the monitor's queue when this returns, be it still before its first line; none follows it. This does not
  /// wait for it, so that a monitor may be removed from within `observe`, and under a lock that `observe` takes.
  /// A repeated call does nothing.
  public func remove() {
    onRemove()
  }
}
