import Promises

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
  private(set) var mostHandling = 0
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
    mostHandling = max(mostHandling, handling)
  }

  mutating func endedHandling() {
    handling -= 1
  }

  mutating func resetMostHandling() {
    mostHandling = handling
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
