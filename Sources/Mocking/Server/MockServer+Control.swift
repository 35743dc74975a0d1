import Promises
import Synchronization

extension MockServer {
  // MARK: A queue

  /// Answers the next requests, whatever they are, before any route is asked.
  ///
  /// ```swift
  /// server.enqueue(.status(503), .json(["id": 1]).delayed(by: .seconds(2)))
  /// ```
  ///
  /// Each answer goes to one request, in the order in which the requests are complete; requests refused
  /// as malformed take none. Once the queue is empty the routes answer again. A request without a
  /// route is then answered by 500, with how many answers there were. May be called from any thread, also
  /// while requests are under way, and again: what comes later goes behind.
  ///
  /// - Parameter mocks: the answers in order.
  public func enqueue(_ mocks: Mock...) { core.queue.append(mocks) }

  /// Answers the next requests from a list, as ``enqueue(_:)-swift.method`` does.
  ///
  /// - Parameter mocks: the answers in order.
  public func enqueue(_ mocks: [Mock]) { core.queue.append(mocks) }

  /// How many enqueued answers nobody has had.
  ///
  /// A test that wants all of them used asks this at its end.
  public var enqueuedCount: Int { core.queue.count }

  // MARK: Routes

  /// Answers from other routes from now on.
  ///
  /// A request whose head has come before is still answered from the old ones. Sequences and scenarios begin
  /// anew, and of unused stubs only the new ones are told; the queue, the connections and the record of
  /// what was asked stay. May be called from any thread.
  ///
  /// - Parameter routes: what is answered; of several that match the first.
  /// - Throws: ``MockServerError/invalidTemplate(_:reason:)``, ``MockServerError/invalidPattern(_:reason:)``; the routes are as they were then.
  public func replaceRoutes(with routes: [Route]) throws(MockServerError) {
    core.replace(RouteSet(routes: routes, registry: StubRegistry(try RouteTable(routes))))
  }

  // MARK: Connections

  /// Refuses connections from now on, as a server does that is down.
  ///
  /// The system gives the port to nobody who asks for any free one, and connections that are open go on.
  /// Those that clients have made and the server has not accepted yet are reset. Repeated calls do nothing, nor does one after
  /// ``stop()``. When this returns, the next client is refused.
  public func refuseConnections() { core.refuseConnections(on: port) }

  /// Takes connections in again, after ``refuseConnections()``; when this returns, clients can connect.
  ///
  /// Where connections are taken in already it does nothing.
  ///
  /// - Throws: ``MockServerError/cannotListen(port:reason:)`` when another server listens on the port by
  ///   now; ``MockServerError/stopped``.
  public func acceptConnections() throws(MockServerError) {
    try core.acceptConnections(on: port)
  }
}

extension MockServer {
  /// The requests received, each with what answered it and what came of it.
  ///
  /// It remembers as much as ``MockServerLimits/recordedRequests`` and ``MockServerLimits/recordedBodyBytes``
  /// say. A request is in it before it is answered; one that was refused as malformed is not.
  public var journal: RequestJournal { core.requestJournal }

  /// The states of the routes' scenarios.
  public var scenarios: ScenarioStates { core.routeSet.registry.scenarios }

  // MARK: Requests

  /// The requests received, in order; the oldest are forgotten as ``MockServerLimits`` say.
  ///
  /// A request is among them from when it is complete and its handler has begun (an asynchronous one) or
  /// returned (any other), which is before the first byte of its answer is sent. One that was refused
  /// as malformed is not among them.
  public var requests: [ReceivedRequest] { core.journal.read { $0.requests } }

  /// How many requests have been received, those forgotten included.
  public var requestCount: Int { core.journal.read { $0.requestCount } }

  /// Takes the next request that has not been taken, as soon as there is one.
  ///
  /// - Returns: a promise of the request. Several are served in the order of the calls; cancelling one
  ///   gives its place up. It rejects with ``MockServerError/stopped`` once the server has been stopped
  ///   and all requests have been taken.
  public func takeRequest() -> Promise<ReceivedRequest> { core.journal.takeRequest() }

  /// Takes the next request that has not been taken, if it comes in time.
  ///
  /// - Parameter timeout: how long to wait, on the server's ``Scheduler``; nothing takes what is there.
  /// - Returns: a promise as of ``takeRequest()``; it rejects with `PromiseError.timedOut` once the time has
  ///   passed, and then leaves the request that comes later to others.
  public func takeRequest(timeout: Duration) -> Promise<ReceivedRequest> {
    // What has been received is here in time, however short that is.
    func take(_ scheduler: some Scheduler) -> Promise<ReceivedRequest> {
      takeRequest().timeout(max(timeout, .nanoseconds(1)), scheduler: scheduler)
    }
    return take(core.scheduler)
  }

  /// How many requests are being handled at this moment: complete, and not answered in full.
  public var concurrentRequests: Int { core.journal.read { $0.handling } }

  /// The most requests that were being handled at once.
  public var peakConcurrentRequests: Int { core.journal.read { $0.peakHandling } }

  /// Begins ``mostConcurrentRequests`` anew.
  public func resetPeakConcurrentRequests() { core.journal.resetPeakHandling() }

  // MARK: Connections

  /// How many connections are open.
  public var openConnections: Int { core.journal.read { $0.openConnections } }

  /// How many connections have been accepted, those closed included.
  public var connectionCount: Int { core.journal.read { $0.connectionCount } }

  /// Waits for a connection to close.
  ///
  /// ```swift
  /// let request = try await server.takeRequest().value
  /// call.cancel()
  /// #expect(try await server.closing(of: request.connection).value.wasAborted)
  /// ```
  ///
  /// - Parameter connection: its index, of ``ReceivedRequest/connection``; one that is not open yet is
  ///   waited for.
  /// - Returns: a promise of how it ended, fulfilled at once if it has. It rejects with
  ///   ``MockServerError/forgotten(connection:)`` if that was more connections ago than
  ///   ``MockServerLimits/recordedRequests``, and with ``MockServerError/stopped`` if the server stops without that connection ever having been.
  public func closing(of connection: Int) -> Promise<ClosedConnection> {
    core.journal.closing(of: connection)
  }
}

/// The answers of a ``MockServer`` that go to whatever request comes next.
final class ResponseQueue: Sendable {
  private struct State {
    var waiting = FIFO<Mock>()
    var servedCount = 0
  }

  private let state = Mutex(State())

  func append(_ mocks: [Mock]) {
    state.withLock { $0.waiting.append(contentsOf: mocks) }
  }

  /// Takes the next answer away.
  func next() -> Mock? {
    state.withLock { state in
      guard let mock = state.waiting.popFirst() else { return nil }
      state.servedCount += 1
      return mock
    }
  }

  /// How many answers nobody has had.
  var count: Int { state.withLock { $0.waiting.count } }

  /// What is answered instead of a 404 where there was a queue, which is empty now.
  func exhausted(_ request: ReceivedRequest) -> Mock? {
    let servedCount = state.withLock { $0.servedCount }
    guard servedCount > 0 else { return nil }
    let answers =
      servedCount == 1 ? "the one enqueued answer has" : "the \(servedCount) enqueued answers have"
    return .unavailable(
      "no answer is left for \(request.method) \(request.path.text): \(answers) been given, "
        + "and there is no route for it")
  }
}
