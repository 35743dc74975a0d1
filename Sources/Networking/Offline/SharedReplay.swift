import CatenaSystem
import Promises

/// The replay of a client's store that is in progress, which later callers join.
final class SharedReplay: Sendable {
  typealias ProgressHandler = @Sendable (_ progress: OfflineStore.Progress) -> Void

  private struct Running {
    let promise: Promise<OfflineStore.Report>
    /// Returns whether the session of the user of the replay has ended.
    let hasSessionEnded: @Sendable () -> Bool
    let handlers: Handlers
  }

  private final class Handlers: Sendable {
    let list: Mutex<[ProgressHandler]>

    init(_ first: @escaping ProgressHandler) { list = Mutex([first]) }

    func report(_ progress: OfflineStore.Progress) {
      for handler in list.withLock({ $0 }) { handler(progress) }
    }
  }

  private let running = Mutex<Running?>(nil)

  /// The replay in progress if its session has ended, so that nobody joins it.
  var ofEndedSession: Promise<OfflineStore.Report>? {
    guard let current = running.withLock({ $0 }), current.hasSessionEnded() else { return nil }
    return current.promise.isPending ? current.promise : nil
  }

  /// Returns the promise of the replay in progress, or that of a new one.
  ///
  /// Called by one thread at a time.
  ///
  /// - Parameters:
  ///   - progress: A handler that is called after each further outcome.
  ///   - hasSessionEnded: Returns whether the session of the user of a new replay has ended.
  ///   - start: A closure that starts a replay.
  /// - Returns: The promise, which is cancelled when it has lost the consumers of all callers.
  func join(
    _ progress: @escaping ProgressHandler,
    endsWith hasSessionEnded: @escaping @Sendable () -> Bool = { false },
    orStart start: (_ progress: @escaping ProgressHandler) -> Promise<OfflineStore.Report>
  ) -> Promise<OfflineStore.Report> {
    if let current = running.withLock({ $0 }), current.promise.isPending {
      current.handlers.list.withLock { $0.append(progress) }
      return current.promise
    }
    let handlers = Handlers(progress)
    let promise = start { handlers.report($0) }
    let new = Running(promise: promise, hasSessionEnded: hasSessionEnded, handlers: handlers)
    running.withLock { $0 = new }
    // The handlers of the callers are released with the replay.
    return promise.always(on: .inline) { [weak self] _ in
      let ended = self?.running.withLock { running in
        running?.handlers === handlers ? running.take() : nil
      }
      withExtendedLifetime(ended) {}
    }
  }
}
