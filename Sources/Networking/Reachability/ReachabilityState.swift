import Promises
import Synchronization

/// What a reachability shares with its consumers, who do not keep it alive.
final class ReachabilityState: Sendable {
  private let machine = Mutex(ReachabilityMachine())

  var status: NetworkReachability.Status { machine.withLock { $0.current.status } }

  var change: ReachabilityMachine.Change { machine.withLock { $0.current } }

  /// How many wait, for tests.
  var waiting: Int { machine.withLock { $0.waiting } }

  func report(_ status: NetworkReachability.Status) {
    machine.withLock { $0.report(status) }.perform()
  }

  func finish() {
    machine.withLock { $0.finish() }.perform()
  }

  func whenReachable(at site: (file: StaticString, line: UInt)) -> Promise<Void> {
    let (promise, resolver) = Promise<Void>.pending(file: site.file, line: site.line)
    let id = machine.withLock { $0.makeID() }
    machine.withLock { $0.wait(id, resolver) }.perform()
    resolver.onCancel { [weak self] in self?.leave(id) }
    return promise
  }

  /// The first change after number `seen`; nil when there is none to come, or the task is cancelled.
  func change(
    after seen: UInt64, isolation: isolated (any Actor)?
  ) async -> ReachabilityMachine.Change? {
    let id = machine.withLock { $0.makeID() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        machine.withLock { machine in
          machine.listen(id, after: seen) { continuation.resume(returning: $0) }
        }.perform()
        // The handler below may have come too early to find the listener.
        if Task.isCancelled { leave(id) }
      }
    } onCancel: {
      leave(id)
    }
  }

  /// Has a listener told of the first change after number `seen`.
  ///
  /// - Returns: what lets go of the listener.
  func listen(
    after seen: UInt64, _ listener: @escaping ReachabilityMachine.Listener
  ) -> @Sendable () -> Void {
    let id = machine.withLock { $0.makeID() }
    machine.withLock { $0.listen(id, after: seen, listener) }.perform()
    return { [weak self] in self?.leave(id) }
  }

  private func leave(_ id: UInt64) {
    machine.withLock { $0.leave(id) }.perform()
  }
}
