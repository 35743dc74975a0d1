public import Foundation
import Networking
public import Promises

/// An HTTP/1.1 server for clients in any language, on the loopback address unless another one is set.
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
///   that is too large a 413, 414 or 431; the server then closes the connection. See
///   ``MockServerLimits``. If no ``Route``
///   matches the path, the response is a 404 that lists the nearest routes and their differences
///   from the request. If no route for the path has the method, it is a 405 with `Allow`.
/// - **Order.** Mocks that have been added with `enqueue(_:)` are the responses to the next
///   requests, regardless of the routes. After they have been used, the routes respond.
/// - **Responses** have a `Date` field from the system clock, unless the mock sets one.
/// - **Connections** stay open between requests. Pipelined requests receive their responses in
///   order. Only clients on this machine can connect, unless `host` is another address.
/// - **Browsers.** Pages of other origins can read the responses that a ``CORSPolicy`` allows. The
///   default is ``CORSPolicy/off``.
/// - **Methods.** A route for GET also responds to HEAD. The response to OPTIONS lists the methods of
///   the path. See ``Route``.
/// - **Threads.** One thread of the server serves all connections and runs synchronous handlers.
/// - **Disconnects.** If a client closes its connection or its sending side while a handler runs or
///   a response waits for its delay, the server cancels the handler and closes the connection.
/// - **TLS.** With ``MockTLS``, the server speaks HTTPS with a certificate of a ``MockAuthority``.
/// - **Time** comes from a ``Scheduler``. ``MockBackend/takeRequest()`` returns a request after the delays of a
///   synchronous response have been scheduled, so that a test can then advance the time.
/// - **Lifetime.** The server runs until ``stop()`` is called or the object is released.
public final class MockServer: MockBackend {
  let core: ServerCore

  let address: ListeningAddress

  /// The port that the server listens on.
  public var port: Int { address.port }

  /// The root URL, such as `http://127.0.0.1:41873`, without a trailing slash.
  ///
  /// If the server listens on all addresses, the URL has the loopback address.
  public let url: URL

  /// Starts a server with a list of routes.
  ///
  /// When the initializer returns, clients can connect.
  ///
  /// - Parameters:
  ///   - port: The port to listen on. 0 lets the system choose a free one.
  ///   - host: The address to listen on: `127.0.0.1` or `localhost`, `::1`, `0.0.0.0` for all IPv4
  ///     addresses, `::` for all addresses, or another IP address of this machine. Other machines can
  ///     connect unless it is a loopback address.
  ///   - limits: The limits for requests, connections and the journal.
  ///   - scheduler: The scheduler for delays.
  ///   - cors: The web pages that may read the responses.
  ///   - seed: The seed of the random numbers for weighted responses, faults and delays. With the same
  ///     seed, requests in the same order draw the same numbers. `nil` uses a random seed.
  ///   - connectionFault: Returns the fault for a new connection by its index, or `nil` for none.
  ///     Called once for each connection, on the server's thread.
  ///   - onExchange: Called at the end of each exchange, on the server's thread, and must not
  ///     block.
  ///   - tls: The TLS settings. `nil` serves without TLS.
  ///   - routes: The routes. The first one that matches responds.
  /// - Throws: ``MockServerError/cannotListen(port:reason:)`` if the port is not available;
  ///   ``MockServerError/invalidTemplate(_:reason:)`` or
  ///   ``MockServerError/invalidPattern(_:reason:)`` if a route is malformed;
  ///   ``MockServerError/tlsFailed(reason:)`` if the TLS settings cannot be used.
  public convenience init(
    port: Int = 0, host: String = "127.0.0.1", limits: MockServerLimits = MockServerLimits(),
    scheduler: any Scheduler = .live, cors: CORSPolicy = .off, seed: UInt64? = 0,
    connectionFault: @escaping @Sendable (_ connection: Int) -> MockFault? = { _ in nil },
    onExchange: (@Sendable (_ exchange: ServedExchange) -> Void)? = nil, tls: MockTLS? = nil,
    @RouteBuilder routes: () -> [Route]
  ) throws(MockServerError) {
    try self.init(
      routes: routes(), port: port, host: host, limits: limits, scheduler: scheduler, cors: cors,
      seed: seed, connectionFault: connectionFault, onExchange: onExchange, tls: tls)
  }

  /// Starts a server with routes that other backends may share, such as a ``MockTransport``.
  ///
  /// - Parameters:
  ///   - routes: The routes. The first one that matches responds.
  ///   - port: The port to listen on. 0 lets the system choose a free one.
  ///   - host: The address to listen on: `127.0.0.1` or `localhost`, `::1`, `0.0.0.0` for all IPv4
  ///     addresses, `::` for all addresses, or another IP address of this machine. Other machines can
  ///     connect unless it is a loopback address.
  ///   - limits: The limits for requests, connections and the journal.
  ///   - scheduler: The scheduler for delays.
  ///   - cors: The web pages that may read the responses.
  ///   - seed: The seed of the random numbers for weighted responses, faults and delays. With the same
  ///     seed, requests in the same order draw the same numbers. `nil` uses a random seed.
  ///   - connectionFault: Returns the fault for a new connection by its index, or `nil` for none.
  ///     Called once for each connection, on the server's thread.
  ///   - onExchange: Called at the end of each exchange, on the server's thread, and must not
  ///     block.
  ///   - tls: The TLS settings. `nil` serves without TLS.
  /// - Throws: ``MockServerError/cannotListen(port:reason:)`` if the port is not available;
  ///   ``MockServerError/invalidTemplate(_:reason:)`` or
  ///   ``MockServerError/invalidPattern(_:reason:)`` if a route is malformed;
  ///   ``MockServerError/tlsFailed(reason:)`` if the TLS settings cannot be used.
  public init(
    routes: [Route], port: Int = 0, host: String = "127.0.0.1",
    limits: MockServerLimits = MockServerLimits(), scheduler: any Scheduler = .live,
    cors: CORSPolicy = .off, seed: UInt64? = 0,
    connectionFault: @escaping @Sendable (_ connection: Int) -> MockFault? = { _ in nil },
    onExchange: (@Sendable (_ exchange: ServedExchange) -> Void)? = nil, tls: MockTLS? = nil
  ) throws(MockServerError) {
    let listener = try tls.map { tls throws(MockServerError) in try TLSListener(tls) }
    let adjustments = ResponseAdjustments()
    let registry = StubRegistry(try RouteTable(routes), adjustments: adjustments)
    guard (0...65_535).contains(port) else {
      throw .cannotListen(port: port, reason: "a port is a number from 0 to 65535")
    }
    guard let wanted = ListeningAddress(host, port: port) else {
      throw .cannotListen(
        port: port,
        reason: "\"\(host)\" is not an IP address; use localhost, ::1, 0.0.0.0 or ::")
    }
    do throws(SocketError) {
      let (socket, address) = try Socket.listening(on: wanted)
      guard let url = address.url(scheme: tls == nil ? "http" : "https") else {
        socket.close()
        throw SocketError(number: EINVAL)
      }
      do throws(SocketError) {
        core = try ServerCore(
          ActiveRoutes(
            registry: registry,
            mockResolver: MockResolver(
              random: SeededRandom(seed: seed), adjustments: adjustments)),
          limits: limits, scheduler: scheduler, cors: cors,
          connectionFault: connectionFault, onExchange: onExchange, tls: listener)
      } catch {
        socket.close()
        throw error
      }
      self.address = address
      self.url = url
      core.start(socket)
    } catch {
      throw .cannotListen(port: port, reason: error.description)
    }
  }

  deinit {
    core.stop()
  }

  /// The latest TLS handshakes, the oldest first, also those that have failed.
  ///
  /// Empty without TLS.
  public var handshakes: [MockHandshake] { core.tls?.handshakes ?? [] }

  /// Stops listening and closes all connections.
  ///
  /// When this method returns, the port is free, running handlers have been cancelled, and pending
  /// promises of ``MockBackend/takeRequest()`` and ``closing(ofConnection:)`` have been rejected. Repeated calls are
  /// no-ops.
  public func stop() {
    core.stop()
  }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "the server runs as soon as it is created; remove 'start()'")
  @discardableResult
  public func start() -> MockServer { self }

  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable,
    message:
      "routes follow: 'MockServer(port: 8080) { ... }', or 'MockServer(routes: [], port: 8080)'"
  )
  public convenience init(port: Int) throws(MockServerError) { try self.init(routes: []) }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, renamed: "url")
  public var baseURL: URL { url }
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

extension MockServer: BrieflyDescribed {
  /// The URL, and the numbers of routes and received requests.
  public var description: String {
    "MockServer(\(url.absoluteString), \(routes.summary), requests: \(requestCount))"
  }
}
