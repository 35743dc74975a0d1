import Promises
import Synchronization

/// The state machine of a reachability monitor: its status, and the waiting promises and listeners.
struct ReachabilityMachine {
  typealias Status = NetworkReachability.Status

  /// A status with its number.
  ///
  /// Consumers compare numbers to find changes they have not seen.
  struct Change: Equatable, Sendable {
    let number: UInt64
    let status: Status
  }

  /// A handler of the next change.
  ///
  /// It receives `nil` if there will be none.
  typealias Listener = @Sendable (Change?) -> Void

  /// The work to perform after the lock is released.
  struct Actions {
    var toFulfill: [Resolver<Void>] = []
    var toCancel: [Resolver<Void>] = []
    var toNotify: [Listener] = []
    var change: Change?

    func perform() {
      for resolver in toFulfill { resolver.fulfill() }
      for resolver in toCancel { resolver.reject(CancellationError()) }
      for listener in toNotify { listener(change) }
    }
  }

  private(set) var current = Change(number: 1, status: .unknown)
  private var isFinished = false
  private var lastID: UInt64 = 0
  private var waiters: [UInt64: Resolver<Void>] = [:]
  private var listeners: [UInt64: Listener] = [:]

  /// The number of waiting promises and listeners, for tests.
  var waiterCount: Int { waiters.count + listeners.count }

  mutating func makeID() -> UInt64 {
    lastID += 1
    return lastID
  }

  mutating func report(_ status: Status) -> Actions {
    guard !isFinished, status != current.status else { return Actions() }
    current = Change(number: current.number + 1, status: status)
    var actions = Actions(toNotify: takeListeners(), change: current)
    if status.isReachable { actions.toFulfill = takeWaiters() }
    return actions
  }

  /// Ends the reports: rejects the waiting promises and notifies the listeners.
  mutating func finish() -> Actions {
    isFinished = true
    return Actions(toCancel: takeWaiters(), toNotify: takeListeners())
  }

  /// Fulfills a resolver when the network is reachable, immediately if it already is.
  mutating func wait(_ id: UInt64, _ resolver: Resolver<Void>) -> Actions {
    if isFinished { return Actions(toCancel: [resolver]) }
    if current.status.isReachable { return Actions(toFulfill: [resolver]) }
    waiters[id] = resolver
    return Actions()
  }

  /// Notifies a listener of the first change after number `seen`.
  mutating func listen(_ id: UInt64, after seen: UInt64, _ listener: @escaping Listener) -> Actions
  {
    if isFinished { return Actions(toNotify: [listener]) }
    if current.number > seen { return Actions(toNotify: [listener], change: current) }
    listeners[id] = listener
    return Actions()
  }

  /// Removes a waiting promise or listener.
  mutating func removeWaiter(_ id: UInt64) -> Actions {
    // The removed values are part of the actions, so that they are released outside the lock.
    Actions(
      toCancel: waiters.removeValue(forKey: id).map { [$0] } ?? [],
      toNotify: listeners.removeValue(forKey: id).map { [$0] } ?? [])
  }

  private mutating func takeWaiters() -> [Resolver<Void>] {
    defer { waiters = [:] }
    return waiters.sorted { $0.key < $1.key }.map(\.value)
  }

  private mutating func takeListeners() -> [Listener] {
    defer { listeners = [:] }
    return listeners.sorted { $0.key < $1.key }.map(\.value)
  }
}

/// The state that a ``NetworkReachability`` shares with its consumers.
///
/// Consumers hold this object, which does not keep the ``NetworkReachability`` alive.
final class ReachabilityState: Sendable {
  private let machine = Mutex(ReachabilityMachine())

  var status: NetworkReachability.Status { machine.withLock { $0.current.status } }

  var change: ReachabilityMachine.Change { machine.withLock { $0.current } }

  /// The number of waiting promises and listeners, for tests.
  var waiterCount: Int { machine.withLock { $0.waiterCount } }

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
    resolver.onCancel { [weak self] in self?.removeWaiter(id) }
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
          machine.listen(id, after: seen) { continuation.resume(returning: $0) }
        }.perform()
        // The cancellation handler may have run before the listener was registered.
        if Task.isCancelled { removeWaiter(id) }
      }
    } onCancel: {
      removeWaiter(id)
    }
  }

  /// Notifies a listener of the first change after number `seen`.
  ///
  /// - Returns: A closure that removes the listener.
  func listen(
    after seen: UInt64, _ listener: @escaping ReachabilityMachine.Listener
  ) -> @Sendable () -> Void {
    let id = machine.withLock { $0.makeID() }
    machine.withLock { $0.listen(id, after: seen, listener) }.perform()
    return { [weak self] in self?.removeWaiter(id) }
  }

  private func removeWaiter(_ id: UInt64) {
    machine.withLock { $0.removeWaiter(id) }.perform()
  }
}

/// A source of the network status for ``NetworkReachability``.
///
/// `MockReachability` in the module `Mocking` is a source that a test controls.
public protocol ReachabilityMonitoring: Sendable {
  /// Starts to report the status: first the current one, then each possible change.
  ///
  /// - Parameter report: The handler of a status. The source may call it from any thread, before
  ///   and after this method returns, but not concurrently. A status equal to the previous one is
  ///   ignored. The source must not hold a lock during the call, because promise handlers may run
  ///   in it.
  /// - Returns: A closure that stops the reports and releases the resources of the source. It is
  ///   called once, from any thread, possibly from within `report`. It must not wait for a running
  ///   report.
  func start(
    _ report: @escaping @Sendable (_ status: NetworkReachability.Status) -> Void
  ) -> @Sendable () -> Void
}
