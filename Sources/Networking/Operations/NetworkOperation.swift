import Foundation
import Promises
import Synchronization

/// One request in the queue: under way from its start until its promise has settled.
///
/// A request that was cancelled before its turn is never started; cancelling the operation cancels the
/// promise.
final class NetworkOperation: Operation, @unchecked Sendable {
  // `@unchecked` because `phase` is protected by its own lock and the rest does not change.
  private enum Phase {
    case waiting
    case executing
    case finished
  }

  private let phase = Mutex(Phase.waiting)
  private let promise: NetworkPromise
  private let resolver: Resolver<Response>
  private let begin: @Sendable () -> NetworkPromise
  private let activity: QueueActivity?

  /// Makes an operation.
  ///
  /// - Parameters:
  ///   - pending: the promise that the caller has, and its resolver.
  ///   - activity: is told of what the operation does; nil for nobody.
  ///   - begin: starts the request.
  init(
    _ pending: (promise: NetworkPromise, resolver: Resolver<Response>),
    activity: QueueActivity? = nil, _ begin: @escaping @Sendable () -> NetworkPromise
  ) {
    promise = pending.promise
    resolver = pending.resolver
    self.begin = begin
    self.activity = activity
    super.init()
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { phase.withLock { $0 == .executing } }
  override var isFinished: Bool { phase.withLock { $0 == .finished } }

  override func start() {
    activity?.note { $0.start() }
    defer { activity?.note { $0.begin() } }
    guard !isCancelled, !resolver.isSettled else {
      promise.cancel()
      return finish()
    }
    willChangeValue(forKey: "isExecuting")
    phase.withLock { $0 = .executing }
    didChangeValue(forKey: "isExecuting")
    let promise = begin()
    promise.always(on: .inline) { _ in self.finish() }
    resolver.resolve(promise)
  }

  override func cancel() {
    super.cancel()
    promise.cancel()
  }

  private func finish() {
    activity?.note { $0.finish() }
    willChangeValue(forKey: "isExecuting")
    willChangeValue(forKey: "isFinished")
    phase.withLock { $0 = .finished }
    didChangeValue(forKey: "isFinished")
    didChangeValue(forKey: "isExecuting")
  }
}
