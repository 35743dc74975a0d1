import CatenaSystem
import Promises

/// A progress receiver that passes the progress to a closure of the caller.
///
/// At most one report is scheduled at a time. It reads the latest progress when it runs, so a slow
/// context gets fewer reports and no backlog. A change to the same progress is not reported. The
/// response to an upload is not reported either, because the handler would receive the end of the
/// upload again for each part of the response.
final class ProgressReporter: ProgressReceiver {
  private struct State: ~Copyable {
    var progress = TransferProgress()
    var isScheduled = false
  }

  private let context: ExecutionContext
  /// Whether changes of the received bytes are reported.
  private let reportsResponse: Bool
  private let report: IsolatedClosure<TransferProgress, Void>
  private let state = Mutex(State())

  /// Makes a receiver for a closure.
  ///
  /// - Parameters:
  ///   - context: The context of a closure that is not isolated to an actor.
  ///   - scheduler: The client's scheduler, which waits for the closure.
  ///   - reportsResponse: Whether changes of the received bytes are reported.
  ///   - report: The closure.
  init(
    on context: ExecutionContext, scheduler: any Scheduler = .live, reportsResponse: Bool = true,
    _ report: @escaping @Sendable @isolated(any) (TransferProgress) -> Void
  ) {
    self.reportsResponse = reportsResponse
    self.report = IsolatedClosure(report)
    self.context = scheduler.context(for: self.report.context ?? context)
  }

  func begin() { state.withLock { $0.progress = TransferProgress() } }

  func change(_ change: (inout TransferProgress) -> Void) {
    let isScheduled = state.withLock { state in
      let previous = state.progress
      change(&state.progress)
      let isChanged =
        reportsResponse ? state.progress != previous : state.progress.sent != previous.sent
      guard isChanged, !state.isScheduled else { return false }
      state.isScheduled = true
      return true
    }
    guard isScheduled else { return }
    context.run {
      // `try?` ignores no error, because the closure does not throw.
      try? self.report(
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
package protocol ProgressReceiver: AnyObject, Sendable {
  /// Resets the progress to zero without a report.
  func begin()

  /// Applies a change to the progress and reports it.
  func change(_ change: (inout TransferProgress) -> Void)
}
