import Promises
import Synchronization

/// The ``JournalMachine`` behind a lock; settles promises outside it.
final class Journal: Sendable {
  private let machine: Mutex<JournalMachine>

  init(limits: MockServerLimits) {
    machine = Mutex(JournalMachine(limits: limits))
  }

  func read<Value>(_ body: (JournalMachine) -> Value) -> Value where Value: Sendable {
    machine.withLock { body($0) }
  }

  // MARK: From the server

  func opened() -> Int { machine.withLock { $0.opened() } }

  func closed(_ connection: ClosedConnection) {
    for waiter in machine.withLock({ $0.closed(connection) }) { waiter.fulfill(connection) }
  }

  func beganHandling() { machine.withLock { $0.beganHandling() } }

  func endedHandling() { machine.withLock { $0.endedHandling() } }

  func record(_ request: ReceivedRequest) {
    let (waiter, gone) = machine.withLock { $0.record(request) }
    waiter?.fulfill(request)
    withExtendedLifetime(gone) {}
  }

  func stop() {
    let waiters = machine.withLock { $0.stop() }
    for waiter in waiters.requests { waiter.reject(MockServerError.stopped) }
    for waiter in waiters.closings { waiter.reject(MockServerError.stopped) }
  }

  // MARK: From those who watch

  func resetPeakHandling() { machine.withLock { $0.resetPeakHandling() } }

  func takeRequest() -> Promise<ReceivedRequest> {
    wait { machine, resolver in machine.take(resolver) }
  }

  func closing(of connection: Int) -> Promise<ClosedConnection> {
    wait { machine, resolver in machine.awaitClosing(of: connection, resolver) }
  }

  private func wait<Value>(
    _ ask: (inout JournalMachine, Resolver<Value>) -> JournalMachine.Waiting<Value>
  ) -> Promise<Value> {
    let (promise, resolver) = Promise<Value>.pending()
    switch machine.withLock({ ask(&$0, resolver) }) {
    case .over(let result): resolver.resolve(result)
    case .waits(let id):
      resolver.onCancel { [weak self] in
        let gone = self?.machine.withLock { $0.cancel(id) }
        withExtendedLifetime(gone) {}
      }
    }
    return promise
  }
}

/// What a server remembers of its connections and requests, and who waits for more of them.
///
/// Methods return what waits for the event; the caller settles that after unlocking.
struct JournalMachine {
  typealias RequestWaiter = Resolver<ReceivedRequest>
  typealias ClosingWaiter = Resolver<ClosedConnection>

  /// The requests remembered, behind those forgotten that still take a place.
  private var recorded: [ReceivedRequest?] = []
  private var forgotten = 0
  private var recordedBodyBytes = 0
  private var toTake = RequestQueue()
  private var requestWaiters: [(id: Int, resolver: RequestWaiter)] = []
  /// How connections ended, the last of those that have, by index.
  private var closings: [Int: ClosedConnection] = [:]
  /// The indices of those, the oldest first, behind those forgotten.
  private var closed: ArraySlice<Int> = []
  private var open: Set<Int> = []
  private var closingWaiters: [(id: Int, connection: Int, resolver: ClosingWaiter)] = []
  private var lastWaiter = 0
  private let limits: MockServerLimits

  private(set) var requestCount = 0
  private(set) var connectionCount = 0
  private(set) var handling = 0
  private(set) var peakHandling = 0
  private(set) var isStopped = false

  init(limits: MockServerLimits) {
    self.limits = limits
  }

  var requests: [ReceivedRequest] { recorded[forgotten...].compactMap { $0 } }
  var openConnections: Int { open.count }

  // MARK: Connections

  mutating func opened() -> Int {
    defer { connectionCount += 1 }
    open.insert(connectionCount)
    return connectionCount
  }

  mutating func closed(_ connection: ClosedConnection) -> [ClosingWaiter] {
    open.remove(connection.index)
    closings[connection.index] = connection
    closed.append(connection.index)
    if closed.count > max(limits.recordedRequests, 1), let oldest = closed.popFirst() {
      closings[oldest] = nil
    }
    let due = closingWaiters.filter { $0.connection == connection.index }.map(\.resolver)
    closingWaiters.removeAll { $0.connection == connection.index }
    return due
  }

  /// How a connection ended, if it has; else the waiter is kept.
  mutating func awaitClosing(of connection: Int, _ resolver: ClosingWaiter) -> Waiting<
    ClosedConnection
  > {
    if let closing = closings[connection] { return .over(.success(closing)) }
    if (0..<connectionCount).contains(connection), !open.contains(connection) {
      return .over(.failure(.forgotten(connection: connection)))
    }
    if isStopped { return .over(.failure(.stopped)) }
    lastWaiter += 1
    closingWaiters.append((lastWaiter, connection, resolver))
    return .waits(id: lastWaiter)
  }

  // MARK: Requests

  mutating func beganHandling() {
    handling += 1
    peakHandling = max(peakHandling, handling)
  }

  mutating func endedHandling() {
    handling -= 1
  }

  mutating func resetPeakHandling() {
    peakHandling = handling
  }

  /// Takes a request in; returns who gets it, and those before that want none any more.
  mutating func record(
    _ request: ReceivedRequest
  ) -> (waiter: RequestWaiter?, gone: [RequestWaiter]) {
    requestCount += 1
    recorded.append(request)
    recordedBodyBytes += request.body.count
    while recorded.count - forgotten > 1,
      recorded.count - forgotten > limits.recordedRequests
        || recordedBodyBytes > limits.recordedBodyBytes
    {
      recordedBodyBytes -= recorded[forgotten]?.body.count ?? 0
      recorded[forgotten] = nil
      forgotten += 1
    }
    if forgotten > 1_000, forgotten > recorded.count / 2 {
      recorded.removeSubrange(..<forgotten)
      forgotten = 0
    }
    var gone: [RequestWaiter] = []
    while !requestWaiters.isEmpty {
      let waiter = requestWaiters.removeFirst().resolver
      if !waiter.isSettled { return (waiter, gone) }
      gone.append(waiter)
    }
    toTake.append(requestCount - 1)
    return (nil, gone)
  }

  /// The next request nobody has taken, if there is one; else the waiter is kept.
  mutating func take(_ resolver: RequestWaiter) -> Waiting<ReceivedRequest> {
    while let number = toTake.next() {
      let index = number - (requestCount - recorded.count)
      if index >= 0, let request = recorded[index] { return .over(.success(request)) }
    }
    if isStopped { return .over(.failure(.stopped)) }
    lastWaiter += 1
    requestWaiters.append((lastWaiter, resolver))
    return .waits(id: lastWaiter)
  }

  // MARK: Waiters

  enum Waiting<Value: Sendable> {
    case over(Result<Value, MockServerError>)
    case waits(id: Int)
  }

  /// Forgets a waiter that has been cancelled; returns it, to be released after unlocking.
  mutating func cancel(_ id: Int) -> [any Sendable] {
    let gone: [any Sendable] =
      requestWaiters.filter { $0.id == id }.map(\.resolver)
      + closingWaiters.filter { $0.id == id }.map(\.resolver)
    requestWaiters.removeAll { $0.id == id }
    closingWaiters.removeAll { $0.id == id }
    return gone
  }

  mutating func stop() -> (requests: [RequestWaiter], closings: [ClosingWaiter]) {
    isStopped = true
    defer { (requestWaiters, closingWaiters) = ([], []) }
    return (requestWaiters.map(\.resolver), closingWaiters.map(\.resolver))
  }
}

/// The numbers of the requests that nobody has taken: always a run of them, so its ends suffice.
private struct RequestQueue {
  private var first = 0
  private var end = 0

  mutating func append(_ number: Int) {
    if first == end { first = number }
    end = number + 1
  }

  mutating func next() -> Int? {
    guard first < end else { return nil }
    defer { first += 1 }
    return first
  }
}

/// How one of a ``MockServer``'s connections came to its end.
public struct ClosedConnection: Sendable, Hashable {
  /// Who closed a connection.
  public enum Side: Sendable, Hashable {
    /// The client closed or reset it, or it broke.
    case client
    /// The server did: as HTTP has it, by a fault, or because it was stopped.
    case server
  }

  /// Which of the server's connections it was, counted from 0 in the order accepted.
  public let index: Int
  /// How many responses were sent on it in full.
  public let completedExchanges: Int
  /// Who closed it.
  public let closedBy: Side
  /// Whether a request had come, in part or whole, whose response was not complete.
  public let wasInsideExchange: Bool

  /// Whether the client left before it had its answer.
  public var wasAborted: Bool { closedBy == .client && wasInsideExchange }
}

/// What came of a request that a ``MockServer`` has received.
public struct ServedExchange: Sendable, Hashable {
  /// How an exchange ended.
  public enum Ending: String, Sendable, Hashable {
    /// The response was sent in full.
    case complete
    /// The server closed the connection before: by a fault, or because it was stopped.
    case closed
    /// The server reset the connection, by a fault.
    case reset
    /// The response stays away for good, by a fault.
    case stalled
    /// The client left before it had its answer.
    case aborted
  }

  /// The request; nil for one that was refused as malformed or too large.
  public let request: ReceivedRequest?
  /// The status sent; nil when not one byte of the answer was.
  public let status: Int?
  /// How many bytes were sent behind the head: the body, in its framing.
  public let bodyByteCount: Int
  /// The time from when the request was complete, on the server's ``Scheduler``.
  public let duration: Duration
  /// How it ended.
  public let ending: Ending
}
