import CatenaSystem
public import Promises

extension MockServer {
  // MARK: Enqueued mocks

  /// Adds mocks for the next requests, which take precedence over the routes.
  ///
  /// ```swift
  /// server.enqueue(.status(503), .json(["id": 1]).delayed(by: .seconds(2)))
  /// ```
  ///
  /// Each mock serves one request, in the order in which the requests have been received
  /// completely. Malformed requests use no mock. When the queue is empty, the routes respond again;
  /// the response to a request without a route is then a 500 with the number of mocks used. May be
  /// called from any thread. Repeated calls append to the queue.
  ///
  /// - Parameter mocks: The mocks in order.
  public func enqueue(_ mocks: Mock...) { core.queue.append(mocks) }

  /// Adds a list of mocks for the next requests, like `enqueue(_:)`.
  ///
  /// - Parameter mocks: The mocks in order.
  public func enqueue(_ mocks: [Mock]) { core.queue.append(mocks) }

  /// The number of enqueued mocks that have not been used.
  ///
  /// At its end, a test can check that the number is 0.
  public var enqueuedCount: Int { core.queue.count }

  // MARK: Routes

  /// Replaces all routes.
  ///
  /// To change single routes, use ``routes``.
  ///
  /// The old routes still respond to a request whose head has already been received. Sequences and
  /// scenarios restart, variables are removed, and `verifyNoUnusedStubs()` checks only the new routes. The enqueued mocks,
  /// the connections and the journal are kept. May be called from any thread.
  ///
  /// - Parameter routes: The routes. The first one that matches responds.
  /// - Throws: ``MockServerError/invalidTemplate(_:reason:)`` or
  ///   ``MockServerError/invalidPattern(_:reason:)`` if a route is malformed, and
  ///   ``MockServerError/reservedPath(_:)`` for a route below the path of the admin API, if it is
  ///   served. The old routes are then kept.
  public func replaceRoutes(with routes: [Route]) throws(MockServerError) {
    try core.replacement(by: routes)()
  }

  /// Replaces all routes, after another action that may fail.
  ///
  /// - Parameters:
  ///   - routes: The routes.
  ///   - commit: An action that runs if no route is malformed.
  /// - Throws: The errors of ``replaceRoutes(with:)``, and that of the action. The old routes are then
  ///   kept.
  package func replaceRoutes(
    with routes: [Route], committing commit: () throws -> Void
  ) throws {
    let replace = try core.replacement(by: routes)
    try commit()
    replace()
  }

  /// The routes, which can be changed one by one.
  public var routes: MockRoutes {
    MockRoutes(check: core.checkReservedPath, registry: { [core] in core.activeRoutes.registry })
  }

  // MARK: Accepting connections

  /// Refuses new connections, like a server that is down.
  ///
  /// Open connections stay open. Connections that the server has not accepted yet are reset. The
  /// port remains reserved: the system does not assign it to a process that requests any free port.
  /// Repeated calls and calls after ``stop()`` are no-ops. When this method returns, the next
  /// connection is refused.
  public func refuseConnections() { core.refuseConnections(on: address) }

  /// Accepts connections again after ``refuseConnections()``.
  ///
  /// When this method returns, clients can connect. A no-op if connections are already accepted.
  ///
  /// - Throws: ``MockServerError/cannotListen(port:reason:)`` if another server listens on the
  ///   port; ``MockServerError/stopped`` if the server has been stopped.
  public func acceptConnections() throws(MockServerError) {
    try core.acceptConnections(on: address)
  }

  // MARK: Stopping

  /// Stops the server after the responses in progress.
  ///
  /// New connections are refused from now on. When no request is in progress, or after the limit,
  /// the server stops as with ``stop()``. It does not wait for streams without an end.
  ///
  /// - Parameter limit: The time limit, on the server's ``Scheduler``.
  /// - Returns: A promise that is fulfilled when the server has stopped, with the number of requests
  ///   that were still in progress. Cancelling it does not start the server again, and leaves the
  ///   server running for open connections.
  public func stop(draining limit: Duration) -> Promise<Int> {
    func becomingIdle(_ scheduler: some Scheduler) -> Promise<Void> {
      core.tracker.becomingIdle().timeout(max(limit, .nanoseconds(1)), scheduler: scheduler)
    }
    refuseConnections()
    return becomingIdle(core.scheduler).recover(on: .background) { _ in }
      .map(on: .background) { [self] in
        defer { stop() }
        return concurrentRequests
      }
  }
}

extension MockServer {
  // MARK: Requests

  /// The received requests, each with its stub and its outcome.
  ///
  /// A request is recorded when it has been received completely, before its handler runs. Requests
  /// that are rejected as malformed or too large are not recorded. ``MockServerLimits/journal``
  /// limits the size of the journal.
  public var journal: RequestJournal { core.journal }

  /// The states of the routes' scenarios.
  public var scenarios: ScenarioStates { core.activeRoutes.registry.scenarios }

  /// The sender of the webhooks of the responses, with the records of their deliveries.
  ///
  /// ``MockServer/stop()`` cancels the webhooks that have not been delivered.
  public var webhooks: WebhookSender { core.webhooks }

  /// Takes the next request that has not been taken, within a time limit.
  ///
  /// - Parameter timeout: The time limit, on the server's ``Scheduler``. With zero, only a request
  ///   that is already available is taken.
  /// - Returns: A promise like that of ``MockBackend/takeRequest()``. After the time limit it is rejected with
  ///   `PromiseError.timedOut`, and takes no request.
  public func takeRequest(timeout: Duration) -> Promise<ReceivedRequest> {
    // With a timeout of zero, the promise would be rejected even if a request is available.
    func take(_ scheduler: some Scheduler) -> Promise<ReceivedRequest> {
      takeRequest().timeout(max(timeout, .nanoseconds(1)), scheduler: scheduler)
    }
    return take(core.scheduler)
  }

  /// The number of requests that have been received completely and whose response is not complete.
  ///
  /// A stream without an end counts only until its head is sent.
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

  /// Waits for the connection of a request to close.
  ///
  /// ```swift
  /// let request = try await server.takeRequest().value
  /// call.cancel()
  /// #expect(try await server.closing(of: request).value.wasAborted)
  /// ```
  ///
  /// - Parameter request: A request to this server.
  /// - Returns: A promise of the closed connection, like that of ``closing(ofConnection:)``.
  public func closing(of request: ReceivedRequest) -> Promise<ClosedConnection> {
    closing(ofConnection: request.connection)
  }

  /// Waits for a connection to close.
  ///
  /// - Parameter connection: The index of the connection, as in ``ReceivedRequest/connection``. It
  ///   may be a connection that has not been accepted yet.
  /// - Returns: A promise of the closed connection. It is already fulfilled if the connection has
  ///   closed. It is rejected with ``MockServerError/forgotten(connection:)`` if the number of
  ///   connections that have closed since then exceeds the maximum number of requests in
  ///   ``MockServerLimits/journal``, and with ``MockServerError/stopped`` if the server stops
  ///   before it accepts the connection.
  public func closing(ofConnection connection: Int) -> Promise<ClosedConnection> {
    core.tracker.closing(of: connection)
  }
}

/// The enqueued mocks of a ``MockServer``.
final class MockQueue: Sendable {
  private struct State {
    var mocks = FIFO<Mock>()
    var usedCount = 0
  }

  private let state = Mutex(State())

  func append(_ mocks: [Mock]) {
    state.withLock { state in mocks.forEach { state.mocks.append($0) } }
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

  /// Returns the response to a request without a route after all mocks have been used, or `nil` if
  /// no mock has been used.
  func responseIfExhausted(to request: ReceivedRequest) -> Mock? {
    let used = state.withLock { $0.usedCount }
    guard used > 0 else { return nil }
    let mocks = used == 1 ? "the enqueued mock has" : "all \(used) enqueued mocks have"
    return .unavailable(
      "no response for \(request.method) \(request.path.text): \(mocks) been used, "
        + "and no route matches")
  }
}
