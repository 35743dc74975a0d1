import Promises
import Synchronization

extension MockServer {
  // MARK: Enqueued mocks

  /// Adds mocks for the next requests.
  ///
  /// They take precedence over the routes.
  ///
  /// ```swift
  /// server.enqueue(.status(503), .json(["id": 1]).delayed(by: .seconds(2)))
  /// ```
  ///
  /// Each mock serves one request, in the order in which the requests are complete. Malformed
  /// requests use none. When the queue is empty the routes respond again; a request without a route
  /// then gets a 500 that contains the number of mocks used. May be called from any thread and
  /// repeatedly; later mocks are appended.
  ///
  /// - Parameter mocks: The mocks in order.
  public func enqueue(_ mocks: Mock...) { core.queue.append(mocks) }

  /// Adds a list of mocks for the next requests, like `enqueue(_:)`.
  ///
  /// - Parameter mocks: The mocks in order.
  public func enqueue(_ mocks: [Mock]) { core.queue.append(mocks) }

  /// The number of enqueued mocks that have not been used.
  ///
  /// A test can check at its end that it is 0.
  public var enqueuedCount: Int { core.queue.count }

  // MARK: Routes

  /// Replaces the routes.
  ///
  /// A request whose head has already arrived still gets its response from the old routes.
  /// Sequences and scenarios start anew, and `verifyNoUnusedStubs()` checks only the new routes.
  /// The queue, the connections and the journal stay. May be called from any thread.
  ///
  /// - Parameter routes: The routes. The first one that matches responds.
  /// - Throws: ``MockServerError/invalidTemplate(_:reason:)`` or
  ///   ``MockServerError/invalidPattern(_:reason:)`` if a route is malformed. The old routes stay
  ///   then.
  public func replaceRoutes(with routes: [Route]) throws(MockServerError) {
    core.replace(ActiveRoutes(routes: routes, registry: StubRegistry(try RouteTable(routes))))
  }

  // MARK: Accepting connections

  /// Refuses new connections, like a server that is down.
  ///
  /// Open connections stay open. Connections that the server has not accepted yet are reset. The
  /// system does not give the port to another process that requests any free port. Repeated calls
  /// do nothing, and neither does a call after ``stop()``. When this method returns, the next
  /// client is refused.
  public func refuseConnections() { core.refuseConnections(on: port) }

  /// Accepts connections again after ``refuseConnections()``.
  ///
  /// When this method returns, clients can connect. Does nothing if connections are accepted
  /// already.
  ///
  /// - Throws: ``MockServerError/cannotListen(port:reason:)`` if another server listens on the
  ///   port; ``MockServerError/stopped`` if the server has been stopped.
  public func acceptConnections() throws(MockServerError) {
    try core.acceptConnections(on: port)
  }
}

extension MockServer {
  // MARK: Requests

  /// The received requests, each with its stub and its outcome.
  ///
  /// A request is recorded when it is complete, before its handler runs. Requests that are rejected
  /// as malformed or too large are not recorded. ``MockServerLimits/journal`` limits its size.
  public var journal: RequestJournal { core.journal }

  /// The states of the routes' scenarios.
  public var scenarios: ScenarioStates { core.activeRoutes.registry.scenarios }

  /// Takes the next request that has not been taken, as soon as there is one.
  ///
  /// A request can be taken when its asynchronous handler has started, or when its synchronous
  /// handler has returned and the delays of the response have been scheduled. That is before the
  /// first byte of the response is sent. Requests that the ``journal`` has discarded are skipped.
  ///
  /// - Returns: A promise of the request. Several promises get requests in the order of the calls.
  ///   A cancelled promise leaves its request to the next one. Rejects with
  ///   ``MockServerError/stopped`` when the server has been stopped and all requests have been
  ///   taken.
  public func takeRequest() -> Promise<ReceivedRequest> { journal.takeRequest() }

  /// Takes the next request that has not been taken, if it arrives in time.
  ///
  /// - Parameter timeout: The time limit, on the server's ``Scheduler``. With zero, only a request
  ///   that has already arrived is taken.
  /// - Returns: A promise like that of ``takeRequest()``. Rejects with `PromiseError.timedOut`
  ///   after the time limit, and leaves later requests to other calls.
  public func takeRequest(timeout: Duration) -> Promise<ReceivedRequest> {
    // A timeout of zero would reject even if a request is available.
    func take(_ scheduler: some Scheduler) -> Promise<ReceivedRequest> {
      takeRequest().timeout(max(timeout, .nanoseconds(1)), scheduler: scheduler)
    }
    return take(core.scheduler)
  }

  /// The number of requests in progress: complete, but without a complete response.
  public var concurrentRequests: Int { core.tracker.read { $0.concurrentRequests } }

  /// The largest number of requests that were in progress at the same time.
  public var peakConcurrentRequests: Int { core.tracker.read { $0.peakConcurrentRequests } }

  /// Sets ``peakConcurrentRequests`` to the current number.
  public func resetPeakConcurrentRequests() { core.tracker.resetPeakConcurrentRequests() }

  // MARK: Connections

  /// The number of open connections.
  public var openConnections: Int { core.tracker.read { $0.openCount } }

  /// The number of accepted connections, including closed ones.
  public var connectionCount: Int { core.tracker.read { $0.connectionCount } }

  /// Waits for a connection to close.
  ///
  /// ```swift
  /// let request = try await server.takeRequest().value
  /// call.cancel()
  /// #expect(try await server.closing(of: request.connection).value.wasAborted)
  /// ```
  ///
  /// - Parameter connection: The index of the connection, as in ``ReceivedRequest/connection``. It
  ///   may be a connection that has not been accepted yet.
  /// - Returns: A promise of the closed connection, already fulfilled if it has closed. Rejects
  ///   with ``MockServerError/forgotten(connection:)`` if more connections have closed since than
  ///   ``MockServerLimits/journal`` allows requests, and with ``MockServerError/stopped`` if the
  ///   server stops before it accepts the connection.
  public func closing(of connection: Int) -> Promise<ClosedConnection> {
    core.tracker.closing(of: connection)
  }
}

/// The enqueued mocks of a ``MockServer``.
final class MockQueue: Sendable {
  private struct State {
    var mocks: ArraySlice<Mock> = []
    var usedCount = 0
  }

  private let state = Mutex(State())

  func append(_ mocks: [Mock]) {
    state.withLock { $0.mocks += mocks }
  }

  /// Removes and returns the next mock.
  func next() -> Mock? {
    state.withLock { state in
      guard let mock = state.mocks.popFirst() else { return nil }
      state.usedCount += 1
      return mock
    }
  }

  /// The number of mocks that have not been used.
  var count: Int { state.withLock { $0.mocks.count } }

  /// Returns the response to a request without a route after all mocks have been used.
  ///
  /// `nil` if none have been used.
  func exhausted(_ request: ReceivedRequest) -> Mock? {
    let used = state.withLock { $0.usedCount }
    guard used > 0 else { return nil }
    let mocks = used == 1 ? "the enqueued mock has" : "all \(used) enqueued mocks have"
    return .unavailable(
      "no response for \(request.method) \(request.path.text): \(mocks) been used, "
        + "and no route matches")
  }
}
