import CatenaSystem
import Promises

/// The state machine of a reachability monitor: its status, and the callers that wait for another one.
struct ReachabilityMachine {
  typealias Status = NetworkReachability.Status

  /// A status with its number.
  ///
  /// Consumers compare numbers to find changes they have not seen.
  struct Change: Equatable, Sendable {
    let number: UInt64
    let status: Status
  }

  /// A handler of one change.
  ///
  /// It receives `nil` if there will be none.
  typealias Listener = @Sendable (Change?) -> Void

  /// A listener, and the condition for the change that it waits for.
  private struct Waiter {
    let isAwaited: @Sendable (Change) -> Bool
    let listener: Listener
  }

  /// The work to perform after the lock is released.
  struct Actions {
    var toNotify: [Listener] = []
    var change: Change?

    func perform() { for listener in toNotify { listener(change) } }
  }

  private(set) var current = Change(number: 1, status: .unknown)
  private var isFinished = false
  private var lastID: UInt64 = 0
  private var waiters: [UInt64: Waiter] = [:]

  /// The number of waiting listeners, for tests.
  var waiterCount: Int { waiters.count }

  mutating func makeID() -> UInt64 {
    lastID += 1
    return lastID
  }

  mutating func report(_ status: Status) -> Actions {
    guard !isFinished, status != current.status else { return Actions() }
    current = Change(number: current.number + 1, status: status)
    return Actions(toNotify: takeListeners { [current] in $0.isAwaited(current) }, change: current)
  }

  /// Ends the reports, and notifies all listeners.
  mutating func finish() -> Actions {
    isFinished = true
    return Actions(toNotify: takeListeners { _ in true })
  }

  /// Notifies a listener of the first change that meets a condition, which may be the current one.
  mutating func listen(
    _ id: UInt64, for isAwaited: @escaping @Sendable (Change) -> Bool,
    _ listener: @escaping Listener
  ) -> Actions {
    if isFinished { return Actions(toNotify: [listener]) }
    if isAwaited(current) { return Actions(toNotify: [listener], change: current) }
    waiters[id] = Waiter(isAwaited: isAwaited, listener: listener)
    return Actions()
  }

  /// Removes a listener.
  mutating func removeWaiter(_ id: UInt64) -> Actions {
    // The removed listener is part of the actions, so that it is released outside the lock.
    Actions(toNotify: waiters.removeValue(forKey: id).map { [$0.listener] } ?? [])
  }

  private mutating func takeListeners(where isTaken: (Waiter) -> Bool) -> [Listener] {
    let taken = waiters.filter { isTaken($0.value) }
    for id in taken.keys { waiters[id] = nil }
    return taken.sortedByPositions { $0.key < $1.key }.map(\.value.listener)
  }
}

/// The state that a ``NetworkReachability`` shares with its consumers.
///
/// Consumers hold this object, which does not keep the ``NetworkReachability`` alive.
final class ReachabilityState: Sendable {
  private let machine = Mutex(ReachabilityMachine())

  var status: NetworkReachability.Status { machine.withLock { $0.current.status } }

  var change: ReachabilityMachine.Change { machine.withLock { $0.current } }

  /// The number of waiting listeners, for tests.
  var waiterCount: Int { machine.withLock { $0.waiterCount } }

  func report(_ status: NetworkReachability.Status) {
    machine.withLock { $0.report(status) }.perform()
  }

  func finish() { machine.withLock { $0.finish() }.perform() }

  func whenReachable(at site: (file: StaticString, line: UInt)) -> Promise<Void> {
    let (promise, resolver) = Promise<Void>.pending(file: site.file, line: site.line)
    let stop = listen(for: \.status.isReachable) { change in
      if change == nil { resolver.reject(CancellationError()) } else { resolver.fulfill() }
    }
    resolver.onCancel(stop)
    return promise
  }

  /// Returns the first change after number `seen`.
  ///
  /// `nil` if there will be none, or if the task is cancelled.
  func change(
    after seen: UInt64, isolation: isolated (any Actor)?
  ) async -> ReachabilityMachine.Change? {
    let id = machine.withLock { $0.makeID() }
    return await withTaskCancellationHandler {
      await TaskContinuation.wait(isolation: isolation) { continuation in
        machine.withLock { machine in
          machine.listen(id, for: { $0.number > seen }) { continuation.resume(returning: $0) }
        }.perform()
        // The cancellation handler may have run before the listener was registered.
        if Task.isCancelled { removeWaiter(id) }
      }
    } onCancel: {
      removeWaiter(id)
    }
  }

  /// Notifies a listener of the first change that meets a condition, which may be the current one.
  ///
  /// - Returns: A closure that removes the listener.
  func listen(
    for isAwaited: @escaping @Sendable (ReachabilityMachine.Change) -> Bool,
    _ listener: @escaping ReachabilityMachine.Listener
  ) -> @Sendable () -> Void {
    let id = machine.withLock { $0.makeID() }
    machine.withLock { $0.listen(id, for: isAwaited, listener) }.perform()
    return { [weak self] in self?.removeWaiter(id) }
  }

  private func removeWaiter(_ id: UInt64) { machine.withLock { $0.removeWaiter(id) }.perform() }
}
