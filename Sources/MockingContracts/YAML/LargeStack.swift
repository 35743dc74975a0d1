import Dispatch
import Foundation

/// A thread for computations whose recursion is limited, but needs more than the stack of other threads.
enum LargeStack {
  /// The size of the stack in bytes.
  ///
  /// The system provides memory for the part that is used.
  private static let size = 8 << 20

  /// Runs a computation on the stack of the caller, and only for a deep input once again on a larger one.
  ///
  /// The threads of an app may have 512 KiB of stack.
  ///
  /// - Parameters:
  ///   - usualDepth: The depth for which the stack of the caller is enough.
  ///   - maximumDepth: The depth for which the larger stack is enough.
  ///   - body: The computation. It gets the limit for its depth, and sets `isTooDeep` if its input is
  ///     deeper.
  /// - Returns: The result of the last run.
  static func run<Result>(
    usualDepth: Int, maximumDepth: Int, _ body: (_ limit: Int, _ isTooDeep: inout Bool) -> Result
  ) -> Result {
    var isTooDeep = false
    let result = body(usualDepth, &isTooDeep)
    guard isTooDeep else { return result }
    return onThread {
      var isTooDeep = false
      return body(maximumDepth, &isTooDeep)
    }
  }

  /// Runs a closure on a new thread, and waits for it.
  private static func onThread<Result>(_ body: () -> Result) -> Result {
    withoutActuallyEscaping(body) { body in
      // `nonisolated(unsafe)` because the access is protected by `end`: only the new thread uses it before
      // it is signalled, and only the caller afterwards.
      nonisolated(unsafe) var result: Result?
      // `nonisolated(unsafe)` because the access is protected by `end`: only the new thread uses it before
      // it is signalled, and only the caller afterwards.
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
