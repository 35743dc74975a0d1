import Synchronization

/// Something under way that a scheduler waits for before it lets time pass.
///
/// It is over with the first call of ``end()``, or when the ticket is released.
public final class ActivityTicket: Sendable {
  private let onEnd: @Sendable () -> Void
  private let isOpen = Atomic(true)

  /// Makes a ticket, for a ``Scheduler`` of your own.
  ///
  /// - Parameter onEnd: called once, when what was under way is over, on the thread that ends it.
  public init(onEnd: @escaping @Sendable () -> Void) {
    self.onEnd = onEnd
  }

  /// Tells that it is over; a repeated call does nothing.
  public func end() {
    if isOpen.exchange(false, ordering: .relaxed) { onEnd() }
  }

  deinit {
    end()
  }
}
