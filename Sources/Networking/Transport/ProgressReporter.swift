import Promises
import Synchronization

/// A progress receiver that passes the progress to a closure in the caller's execution context.
///
/// At most one report is scheduled at a time. It reads the latest progress when it runs, so a slow
/// context gets fewer reports and no backlog.
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

  /// Returns the total number of bytes of a response body, or `nil` if the head does not state it.
  static func total(_ head: HTTPResponseHead) -> Int64? {
    guard !head.headers.contains("Content-Encoding") else { return nil }
    return head.headers["Content-Length"].flatMap { Int64($0) }
  }
}

/// A receiver of progress changes.
protocol ProgressReporting: AnyObject, Sendable {
  /// Resets the progress to zero without a report.
  func begin()

  /// Applies a change to the progress and reports it.
  func change(_ change: (inout TransferProgress) -> Void)
}
