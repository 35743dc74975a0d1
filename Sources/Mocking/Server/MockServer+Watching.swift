import Promises

extension MockServer {
  /// The requests received, each with what answered it and what came of it.
  ///
  /// It remembers as much as ``MockServerLimits/recordedRequests`` and ``MockServerLimits/recordedBodyBytes``
  /// say. A request is in it before it is answered; one that was refused as malformed is not.
  public var journal: RequestJournal { core.requestJournal }

  /// The states of the routes' scenarios.
  public var scenarios: ScenarioStates { core.backend.book.scenarios }

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
  public var mostConcurrentRequests: Int { core.journal.read { $0.mostHandling } }

  /// Begins ``mostConcurrentRequests`` anew.
  public func resetMostConcurrentRequests() { core.journal.resetMostHandling() }

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
