import Promises

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
    core.replace(Backend(routes: routes, book: StubBook(try RouteTable(routes))))
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
