import Foundation
import Promises

/// An HTTP/1.1 server on the loopback address, for clients in any language.
///
/// ```swift
/// let server = try MockServer {
///   Route(.get, "/boards/{id}") { request in .json(["id": request.path["id"]]) }
///   Route(.get, "/slow") { _ in .text("...").dribbled(pieces: 10, over: .seconds(5)) }
///   Route(.get, "/broken") { _ in .fault(.reset, at: .body(afterBytes: 512)) }
/// }
/// defer { server.stop() }
/// print(server.url)                                // http://127.0.0.1:41873
/// ```
///
/// - **Requests** are parsed strictly. The response to a malformed request is a 400, and to one
///   that is too large a 413, 414 or 431; the server then closes the connection. If no ``Route``
///   matches the path, the response is a 404 that lists the nearest routes and their differences
///   from the request. If no route for the path has the method, it is a 405 with `Allow`.
/// - **Order.** Mocks that have been added with `enqueue(_:)` are the responses to the next
///   requests, regardless of the routes. After they have been used, the routes respond.
/// - **Responses** have a `Date` field from the system clock, unless the mock sets one.
/// - **Connections** stay open between requests. Pipelined requests receive their responses in
///   order. Only clients on this machine can connect.
/// - **Threads.** One thread of the server serves all connections and runs synchronous handlers.
/// - **Disconnects.** If a client closes its connection or its sending side while a handler runs or
///   a response waits for its delay, the server cancels the handler and closes the connection.
/// - **Time** comes from a ``Scheduler``. ``takeRequest()`` returns a request after the delays of a
///   synchronous response have been scheduled, so that a test can then advance the time.
/// - **Lifetime.** The server runs until ``stop()`` is called or the object is released.
public final class MockServer: MockBackend {
  let core: ServerCore

  /// The port that the server listens on.
  public let port: Int

  /// The root URL, `http://127.0.0.1:` and the port, without a trailing slash.
  public let url: URL

  /// Starts a server with a list of routes.
  ///
  /// When the initializer returns, clients can connect.
  ///
  /// - Parameters:
  ///   - port: The port to listen on. 0 lets the system choose a free one.
  ///   - limits: The limits for requests, connections and the journal.
  ///   - scheduler: The scheduler for delays.
  ///   - seed: The seed of the random numbers for weighted responses, faults and delays. With the same
  ///     seed, requests in the same order draw the same numbers. `nil` uses a random seed.
  ///   - connectionFault: Returns the fault for a new connection by its index, or `nil` for none.
  ///     Called once for each connection, on the server's thread.
  ///   - onExchange: Called at the end of each exchange, on the server's thread, and must not
  ///     block.
  ///   - routes: The routes. The first one that matches responds.
  /// - Throws: ``MockServerError/cannotListen(port:reason:)`` if the port is not available;
  ///   ``MockServerError/invalidTemplate(_:reason:)`` or
  ///   ``MockServerError/invalidPattern(_:reason:)`` if a route is malformed.
  public convenience init(
    port: Int = 0, limits: MockServerLimits = MockServerLimits(),
    scheduler: any Scheduler = .live, seed: UInt64? = 0,
    connectionFault: @escaping @Sendable (_ connection: Int) -> MockFault? = { _ in nil },
    onExchange: (@Sendable (_ exchange: ServedExchange) -> Void)? = nil,
    @RouteBuilder routes: () -> [Route]
  ) throws(MockServerError) {
    try self.init(
      routes: routes(), port: port, limits: limits, scheduler: scheduler, seed: seed,
      connectionFault: connectionFault, onExchange: onExchange)
  }

  /// Starts a server with routes that other backends may share, such as a ``MockTransport``.
  ///
  /// - Parameters:
  ///   - routes: The routes. The first one that matches responds.
  ///   - port: The port to listen on. 0 lets the system choose a free one.
  ///   - limits: The limits for requests, connections and the journal.
  ///   - scheduler: The scheduler for delays.
  ///   - seed: The seed of the random numbers for weighted responses, faults and delays. With the same
  ///     seed, requests in the same order draw the same numbers. `nil` uses a random seed.
  ///   - connectionFault: Returns the fault for a new connection by its index, or `nil` for none.
  ///     Called once for each connection, on the server's thread.
  ///   - onExchange: Called at the end of each exchange, on the server's thread, and must not
  ///     block.
  /// - Throws: ``MockServerError/cannotListen(port:reason:)`` if the port is not available;
  ///   ``MockServerError/invalidTemplate(_:reason:)`` or
  ///   ``MockServerError/invalidPattern(_:reason:)`` if a route is malformed.
  public init(
    routes: [Route], port: Int = 0, limits: MockServerLimits = MockServerLimits(),
    scheduler: any Scheduler = .live, seed: UInt64? = 0,
    connectionFault: @escaping @Sendable (_ connection: Int) -> MockFault? = { _ in nil },
    onExchange: (@Sendable (_ exchange: ServedExchange) -> Void)? = nil
  ) throws(MockServerError) {
    let registry = StubRegistry(try RouteTable(routes))
    do throws(SocketError) {
      let (socket, boundPort) = try Socket.listening(on: port)
      guard let url = URL(string: "http://127.0.0.1:\(boundPort)") else {
        socket.close()
        throw SocketError(number: EINVAL)
      }
      do throws(SocketError) {
        core = try ServerCore(
          ActiveRoutes(
            registry: registry, mockResolver: MockResolver(random: SeededRandom(seed: seed))),
          limits: limits, scheduler: scheduler,
          connectionFault: connectionFault, onExchange: onExchange)
      } catch {
        socket.close()
        throw error
      }
      self.port = boundPort
      self.url = url
      core.start(socket)
    } catch {
      throw .cannotListen(port: port, reason: error.description)
    }
  }

  deinit {
    core.stop()
  }

  /// Stops listening and closes all connections.
  ///
  /// When this method returns, the port is free, running handlers have been cancelled, and pending
  /// promises of ``takeRequest()`` and ``closing(of:)`` have been rejected. Repeated calls are
  /// no-ops.
  public func stop() {
    core.stop()
  }
}

/// The current routes of a ``MockServer``, with the state of their sequences and scenarios.
///
/// The server replaces the whole value, so that new routes start with new state.
struct ActiveRoutes: Sendable {
  let registry: StubRegistry
  let mockResolver: MockResolver

  init(registry: StubRegistry, mockResolver: MockResolver) {
    self.registry = registry
    self.mockResolver = mockResolver
    registry.scenarios.onReset { mockResolver.restartSequences() }
  }
}
