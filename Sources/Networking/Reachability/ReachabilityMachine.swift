import Promises
import Synchronization

/// The status, and those who wait for another one.
struct ReachabilityMachine {
  typealias Status = NetworkReachability.Status

  /// A status, numbered so that it is known which one a consumer has seen.
  struct Change: Equatable, Sendable {
    let number: UInt64
    let status: Status
  }

  /// Takes the next change; nil when there is none to come.
  typealias Listener = @Sendable (Change?) -> Void

  /// What is to be done once the lock is open.
  struct Actions {
    var toFulfill: [Resolver<Void>] = []
    var cancel: [Resolver<Void>] = []
    var toNotify: [Listener] = []
    var change: Change?

    func perform() {
      for resolver in toFulfill { resolver.fulfill() }
      for resolver in cancel { resolver.reject(CancellationError()) }
      for listener in toNotify { listener(change) }
    }
  }

  private(set) var current = Change(number: 1, status: .unknown)
  private var isFinished = false
  private var lastID: UInt64 = 0
  private var waiters: [UInt64: Resolver<Void>] = [:]
  private var listeners: [UInt64: Listener] = [:]

  /// How many wait, for tests.
  var waiting: Int { waiters.count + listeners.count }

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

  /// No report will come any more.
  mutating func finish() -> Actions {
    isFinished = true
    return Actions(cancel: takeWaiters(), toNotify: takeListeners())
  }

  /// Has a resolver fulfilled when the network is reachable.
  mutating func wait(_ id: UInt64, _ resolver: Resolver<Void>) -> Actions {
    if isFinished { return Actions(cancel: [resolver]) }
    if current.status.isReachable { return Actions(toFulfill: [resolver]) }
    waiters[id] = resolver
    return Actions()
  }

  /// Has a listener told of the first change after number `seen`.
  mutating func listen(_ id: UInt64, after seen: UInt64, _ listener: @escaping Listener) -> Actions
  {
    if isFinished { return Actions(toNotify: [listener]) }
    if current.number > seen { return Actions(toNotify: [listener], change: current) }
    listeners[id] = listener
    return Actions()
  }

  /// Lets go of somebody who waits no longer.
  mutating func removeWaiter(_ id: UInt64) -> Actions {
    // Handed out even so: what is released with a resolver must not be released inside a lock.
    Actions(
      cancel: waiters.removeValue(forKey: id).map { [$0] } ?? [],
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
    resolver.onCancel { [weak self] in self?.removeWaiter(id) }
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
        if Task.isCancelled { removeWaiter(id) }
      }
    } onCancel: {
      removeWaiter(id)
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
    return { [weak self] in self?.removeWaiter(id) }
  }

  private func removeWaiter(_ id: UInt64) {
    machine.withLock { $0.removeWaiter(id) }.perform()
  }
}

/// Where a ``NetworkReachability`` has its knowledge from: the system or, in tests, the test.
///
/// `MockReachability` in the module `Mocking` is one that a test sets.
public protocol ReachabilityMonitoring: Sendable {
  /// Begins to report the status, the current one first and then whenever it may have changed.
  ///
  /// - Parameter report: takes a status; from any thread, during this call and after it, one at a time.
  ///   A status equal to the last one is ignored. It must not be called inside a lock: handlers of
  ///   promises run in it.
  /// - Returns: what ends the reports and lets go of all that they needed; called once, from any
  ///   thread, also from within `report`, and it must not wait for a report to end.
  func start(
    _ report: @escaping @Sendable (_ status: NetworkReachability.Status) -> Void
  ) -> @Sendable () -> Void
}
