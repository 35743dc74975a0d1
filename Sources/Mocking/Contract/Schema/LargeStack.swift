import Dispatch
import Foundation

/// A thread for computations whose recursion is limited, but needs more than the stack of other threads.
enum LargeStack {
  /// The size of the stack in bytes.
  ///
  /// The system provides memory for the part that is used.
  private static let size = 8 << 20

  /// Runs a closure on a new thread, and waits for it.
  ///
  /// - Parameter body: The closure.
  /// - Returns: The result of the closure.
  static func run<Result>(_ body: () -> Result) -> Result {
    withoutActuallyEscaping(body) { body in
      // `nonisolated(unsafe)` because the access to both is protected by `end`: only the new thread uses
      // them before it is signalled, and only the caller afterwards.
      nonisolated(unsafe) var result: Result?
      nonisolated(unsafe) var work: (() -> Void)? = { result = body() }
      let end = DispatchSemaphore(value: 0)
      let thread = Thread {
        work?()
        // The thread may outlive the call, and the closure must not.
        work = nil
        end.signal()
      }
      thread.stackSize = size
      thread.start()
      end.wait()
      guard let result else { preconditionFailure("The thread has ended without a result") }
      return result
    }
  }
}
