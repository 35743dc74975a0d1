import CatenaSystem
import Promises

/// A tracker of the connections of a ``MockServer``: their number, the requests in progress, and
/// how the latest ones closed.
///
/// All methods may be called from any thread. Promises are settled after unlocking.
final class ConnectionTracker: Sendable {
  private let state: Mutex<ConnectionTrackerState>

  /// Creates a tracker.
  ///
  /// - Parameter closedLimit: The maximum number of closed connections that are kept.
  init(closedLimit: Int) {
    state = Mutex(ConnectionTrackerState(closedLimit: closedLimit))
  }

  func read<Value: Sendable>(_ body: (ConnectionTrackerState) -> Value) -> Value {
    state.withLock { body($0) }
  }

  /// Adds a connection and returns its index.
  func opened() -> Int { state.withLock { $0.opened() } }

  func closed(_ connection: ClosedConnection) {
    for waiter in state.withLock({ $0.closed(connection) }) { waiter.fulfill(connection) }
  }

  func requestStarted() { state.withLock { $0.requestStarted() } }

  func requestEnded() {
    for waiter in state.withLock({ $0.requestEnded() }) { waiter.fulfill(()) }
  }

  /// Returns a promise that is fulfilled when no request is in progress.
  func becomingIdle() -> Promise<Void> {
    WaiterList.promise { resolver in
      state.withLock { $0.becomingIdle(resolver) }
    } cancel: { [weak self] id in
      let dropped = self?.state.withLock { $0.cancelIdleWaiter(id) }
      withExtendedLifetime(dropped) {}
    }
  }

  func resetPeakConcurrentRequests() { state.withLock { $0.resetPeakConcurrentRequests() } }

  /// Returns a promise of the end of a connection.
  func closing(of connection: Int) -> Promise<ClosedConnection> {
    WaiterList.promise { resolver in
      state.withLock { $0.closing(of: connection, resolver) }
    } cancel: { [weak self] id in
      let dropped = self?.state.withLock { $0.cancel(id, of: connection) }
      withExtendedLifetime(dropped) {}
    }
  }

  /// Rejects all promises that wait for a connection to close, now and in the future.
  func stop() {
    for waiter in state.withLock({ $0.stop() }) { waiter.reject(MockServerError.stopped) }
  }
}

/// The state of a ``ConnectionTracker``.
///
/// Methods return the waiters to settle, so that the caller settles them after unlocking.
struct ConnectionTrackerState {
  typealias Waiters = WaiterList<ClosedConnection>

  private let closedLimit: Int
  private var open: Set<Int> = []
  /// The latest closed connections by index.
  private var closed: [Int: ClosedConnection] = [:]
  /// The indices of `closed`, the oldest first.
  private var closedOrder = FIFO<Int>()
  /// The waiters for the end of a connection, by its index.
  private var waiters: [Int: Waiters] = [:]
  /// The waiters for the end of all requests.
  private var idleWaiters = WaiterList<Void>()
  private var isStopped = false

  /// The number of connections accepted, closed ones included.
  private(set) var connectionCount = 0
  /// The number of requests that have been received completely and whose response is not complete.
  private(set) var concurrentRequests = 0
  private(set) var peakConcurrentRequests = 0

  init(closedLimit: Int) {
    self.closedLimit = max(closedLimit, 1)
  }

  var openCount: Int { open.count }

  // MARK: Requests

  mutating func requestStarted() {
    concurrentRequests += 1
    peakConcurrentRequests = max(peakConcurrentRequests, concurrentRequests)
  }

  /// Returns the waiters for the end of all requests, if this was the last one.
  mutating func requestEnded() -> [Resolver<Void>] {
    concurrentRequests -= 1
    guard concurrentRequests == 0 else { return [] }
    defer { idleWaiters = WaiterList() }
    return idleWaiters.resolvers
  }

  mutating func becomingIdle(_ resolver: Resolver<Void>) -> WaiterList<Void>.Start {
    concurrentRequests == 0 ? .settled(.success(())) : idleWaiters.add(resolver)
  }

  mutating func cancelIdleWaiter(_ id: Int) -> Resolver<Void>? { idleWaiters.remove(id) }

  mutating func resetPeakConcurrentRequests() {
    peakConcurrentRequests = concurrentRequests
  }

  // MARK: Connections

  mutating func opened() -> Int {
    defer { connectionCount += 1 }
    open.insert(connectionCount)
    return connectionCount
  }

  mutating func closed(_ connection: ClosedConnection) -> [Resolver<ClosedConnection>] {
    open.remove(connection.index)
    closed[connection.index] = connection
    closedOrder.append(connection.index)
    if closedOrder.count > closedLimit, let oldest = closedOrder.popFirst() {
      closed[oldest] = nil
    }
    return waiters.removeValue(forKey: connection.index)?.resolvers ?? []
  }

  /// Returns a closed connection, or stores the waiter if the connection is open or has not been
  /// accepted yet.
  mutating func closing(
    of connection: Int, _ resolver: Resolver<ClosedConnection>
  ) -> Waiters.Start {
    if let ended = closed[connection] { return .settled(.success(ended)) }
    if (0..<connectionCount).contains(connection), !open.contains(connection) {
      return .settled(.failure(.forgotten(connection: connection)))
    }
    if isStopped { return .settled(.failure(.stopped)) }
    return waiters[connection, default: Waiters()].add(resolver)
  }

  /// Removes and returns a waiter whose promise has been cancelled.
  mutating func cancel(_ id: Int, of connection: Int) -> Resolver<ClosedConnection>? {
    waiters[connection]?.remove(id)
  }

  mutating func stop() -> [Resolver<ClosedConnection>] {
    isStopped = true
    defer { waiters = [:] }
    return waiters.sorted { $0.key < $1.key }.flatMap(\.value.resolvers)
  }
}
