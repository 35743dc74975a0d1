import Dispatch
import Foundation

/// Work that the system should not suspend the program in, until the object is released.
///
/// Only iOS, tvOS, watchOS and visionOS suspend programs. The object does nothing elsewhere.
final class ExpiringActivity: Sendable {
  #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    private let end = DispatchSemaphore(value: 0)

    /// Begins an activity.
    ///
    /// - Parameters:
    ///   - reason: The reason, for the system's logs.
    ///   - onExpiry: A closure that ends the work, on any thread: the system suspends the program next, or
    ///     does not grant time.
    init(_ reason: String, onExpiry: @escaping @Sendable () -> Void) {
      // The activity lasts as long as the closure. The system calls it once more at the end of the time.
      ProcessInfo.processInfo.performExpiringActivity(withReason: reason) {
        @Sendable [end] isExpired in
        guard isExpired else { return end.wait() }
        onExpiry()
        end.signal()
      }
    }

    deinit {
      end.signal()
    }
  #else
    init(_ reason: String, onExpiry: @escaping @Sendable () -> Void) {}
  #endif
}
