import CatenaSystem

/// An activity that a scheduler waits for before it advances its time.
///
/// The activity ends at the first call of ``end()`` or when the token is released.
public final class ActivityToken: Sendable {
  private let onEnd: @Sendable () -> Void
  private let isOpen = Atomic(true)

  /// Creates a token, for a custom ``Scheduler``.
  ///
  /// - Parameter onEnd: The closure to call when the activity ends. It runs once, on the thread
  ///   that ends the activity.
  public init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

  /// Ends the activity.
  ///
  /// Repeated calls have no effect.
  public func end() {
    if isOpen.exchange(false, ordering: .relaxed) { onEnd() }
  }

  deinit {
    end()
  }
}
