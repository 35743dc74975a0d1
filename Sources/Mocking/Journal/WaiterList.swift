import Promises

/// A list of the resolvers of promises that wait for an event, in the order of the calls.
///
/// Removed resolvers are returned, so that the caller settles or releases them after unlocking.
struct WaiterList<Value: Sendable> {
  /// The result of starting to wait: an available result, or the ID of a stored waiter.
  enum Start {
    case settled(Result<Value, MockServerError>)
    case waiting(id: Int)
  }

  private var waiters = FIFO<(id: Int, resolver: Resolver<Value>)>()
  private var lastID = 0

  mutating func add(_ resolver: Resolver<Value>) -> Start {
    lastID += 1
    waiters.append((lastID, resolver))
    return .waiting(id: lastID)
  }

  mutating func remove(_ id: Int) -> Resolver<Value>? {
    waiters.removeFirst { $0.id == id }?.resolver
  }

  mutating func removeFirst() -> Resolver<Value>? {
    waiters.popFirst()?.resolver
  }

  var isEmpty: Bool { waiters.isEmpty }

  var resolvers: [Resolver<Value>] { waiters.map(\.resolver) }

  /// Returns a promise of a value that may not be available yet.
  ///
  /// - Parameters:
  ///   - start: Returns the value, or stores the resolver. Called once, before this method returns.
  ///   - cancel: Removes the waiter with this ID. Called when the promise is cancelled.
  /// - Returns: The promise.
  static func promise(
    _ start: (Resolver<Value>) -> Start, cancel: @escaping @Sendable (_ id: Int) -> Void
  ) -> Promise<Value> {
    let (promise, resolver) = Promise<Value>.pending()
    switch start(resolver) {
    case .settled(let result): resolver.resolve(result)
    case .waiting(let id): resolver.onCancel { cancel(id) }
    }
    return promise
  }
}

/// A queue of the recorded requests that have not been taken, and of the callers that wait for one.
struct TakeQueue {
  typealias Waiters = WaiterList<ReceivedRequest>
  typealias Offer = (waiter: Resolver<ReceivedRequest>?, dropped: [Resolver<ReceivedRequest>])

  /// The numbers of the requests that can be taken, in the order of the offers.
  private var available = FIFO<Int>()
  private var waiters = Waiters()
  private var isStopped = false

  /// Makes a recorded request available.
  ///
  /// - Parameters:
  ///   - number: The number of the request.
  ///   - oldest: The number of the oldest request that the journal keeps. Older ones are removed.
  /// - Returns: The waiter that receives the request, if there is one, and the waiters dropped
  ///   because their promises are already settled.
  mutating func offer(_ number: Int, oldest: Int) -> Offer {
    var dropped: [Resolver<ReceivedRequest>] = []
    while let waiter = waiters.removeFirst() {
      if !waiter.isSettled { return (waiter, dropped) }
      dropped.append(waiter)
    }
    available.append(number)
    while let first = available.first, first < oldest { _ = available.popFirst() }
    return (nil, dropped)
  }

  /// Returns the number of the next request that has not been taken, and marks it as taken.
  mutating func next() -> Int? { available.popFirst() }

  /// Stores a waiter for the next request, unless the queue is stopped.
  mutating func wait(_ resolver: Resolver<ReceivedRequest>) -> Waiters.Start {
    isStopped ? .settled(.failure(.stopped)) : waiters.add(resolver)
  }

  /// Whether a caller waits.
  var isAwaited: Bool { !waiters.isEmpty }

  mutating func cancel(_ id: Int) -> Resolver<ReceivedRequest>? {
    waiters.remove(id)
  }

  /// Removes the available requests; the waiters stay.
  mutating func reset() {
    available = FIFO()
  }

  /// Rejects further waiters; returns the current ones.
  mutating func stop() -> [Resolver<ReceivedRequest>] {
    isStopped = true
    defer { waiters = Waiters() }
    return waiters.resolvers
  }
}
