import Synchronization

/// Tells the last of a number of events, from whatever threads they come.
final class Countdown: Sendable {
  private let remaining: Atomic<Int>

  init(_ count: Int) {
    remaining = Atomic(count)
  }

  /// Counts one event; true for the last.
  func isLast() -> Bool {
    remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}
