import Promises
import Synchronization

/// Tells somebody how a transfer gets on, in a context of theirs.
///
/// One report at a time is on its way there, and takes along what is newest when it arrives, so that a
/// context that is slow sees fewer reports, not a queue of them.
final class ProgressReporter: ProgressReporting {
  private struct State {
    var progress = TransferProgress()
    var isScheduled = false
  }

  private let context: ExecutionContext
  private let report: @Sendable (TransferProgress) -> Void
  private let state = Mutex(State())

  init(
    on context: ExecutionContext, _ report: @escaping @Sendable (TransferProgress) -> Void
  ) {
    self.context = context
    self.report = report
  }

  func begin() {
    state.withLock { $0.progress = TransferProgress() }
  }

  func change(_ change: (inout TransferProgress) -> Void) {
    let isFirst = state.withLock { state in
      change(&state.progress)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard isFirst else { return }
    context.run {
      self.report(
        self.state.withLock { state in
          state.isScheduled = false
          return state.progress
        })
    }
  }

  /// The bytes of a response's body in all, as far as its head tells.
  static func total(_ head: HTTPResponseHead) -> Int64? {
    guard !head.headers.contains("Content-Encoding") else { return nil }
    return head.headers["Content-Length"].flatMap { Int64($0) }
  }
}

/// Somebody who is told how a transfer gets on.
protocol ProgressReporting: AnyObject, Sendable {
  /// Starts from nothing again, without a report of it.
  func begin()

  /// Takes in what has happened.
  func change(_ change: (inout TransferProgress) -> Void)
}
