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
/// - **Requests** are read strictly: what is malformed is answered by 400, and what is too large by
///   413, 414 or 431, and the connection closed. One for which there is no ``Route`` is answered by 404
///   with the routes nearest to it and what they would have it be, and one of a wrong method by 405 with `Allow`.
/// - **Order.** What `enqueue(_:)` has laid down goes to the requests that come next, whatever
///   they are; then the routes answer.
/// - **Answers** carry a `Date`, of the system's clock, unless they name one themselves.
/// - **Connections** stay open between requests; requests sent ahead are answered in order. Nobody off
///   this machine can connect.
/// - **Threads.** One thread of the server's own serves all connections, and runs the handlers that
///   answer at once.
/// - **Leaving.** A client that closes its connection, or its sending side, while a handler is at work or
///   a response waits for its time, is taken to be gone: the handler is cancelled, the connection closed.
/// - **Time** comes from a ``Scheduler``. A request is recorded after the waits of its answer have been
///   scheduled, so a test that has seen the request may advance the time.
/// - **Lifetime.** The server runs until ``stop()``, or until it is released.
public final class MockServer: MockBackend {
  let core: ServerCore

  /// The port listened on.
  public let port: Int

  /// The server's root, `http://127.0.0.1:` and the port, without a slash behind it.
  public let url: URL

  /// Starts a server; when this returns, clients can connect.
  ///
  /// - Parameters:
  ///   - port: the port to listen on; 0 has the system choose a free one.
  ///   - limits: what the server takes from clients.
  ///   - scheduler: where delays take their time from.
  ///   - connectionFault: what happens to a connection as soon as it is accepted, by its index; nil lets
  ///     it be. Called once a connection, on the server's thread.
  ///   - onExchange: is told of each request once its exchange has ended, on the server's thread, so it
  ///     must not block.
  ///   - routes: what is answered; of several that match the first.
  /// - Throws: ``MockServerError/cannotListen(port:reason:)``,
  ///   ``MockServerError/invalidTemplate(_:reason:)``, ``MockServerError/invalidPattern(_:reason:)``.
  public convenience init(
    port: Int = 0, limits: MockServerLimits = MockServerLimits(),
    scheduler: any Scheduler = .live,
    connectionFault: @escaping @Sendable (_ connection: Int) -> MockFault? = { _ in nil },
    onExchange: (@Sendable (_ exchange: ServedExchange) -> Void)? = nil,
    @RouteBuilder routes: () -> [Route]
  ) throws(MockServerError) {
    try self.init(
      routes: routes(), port: port, limits: limits, scheduler: scheduler,
      connectionFault: connectionFault, onExchange: onExchange)
  }

  /// Starts a server of routes that others may serve too, such as a ``MockTransport``.
  ///
  /// - Parameters:
  ///   - routes: what is answered; of several that match the first.
  ///   - port: the port to listen on; 0 has the system choose a free one.
  ///   - limits: what the server takes from clients.
  ///   - scheduler: where delays take their time from.
  ///   - connectionFault: what happens to a connection as soon as it is accepted, by its index; nil lets
  ///     it be. Called once a connection, on the server's thread.
  ///   - onExchange: is told of each request once its exchange has ended, on the server's thread, so it
  ///     must not block.
  /// - Throws: ``MockServerError/cannotListen(port:reason:)``,
  ///   ``MockServerError/invalidTemplate(_:reason:)``, ``MockServerError/invalidPattern(_:reason:)``.
  public init(
    routes: [Route], port: Int = 0, limits: MockServerLimits = MockServerLimits(),
    scheduler: any Scheduler = .live,
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
          RouteSet(routes: routes, registry: registry), limits: limits, scheduler: scheduler,
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

  /// Stops listening and closes every connection; repeated calls do nothing.
  ///
  /// Returns when that is done: the port is free, handlers under way have been cancelled, and whoever
  /// waits for a request or the end of a connection has been told.
  public func stop() {
    core.stop()
  }
}

/// What a ``MockServer`` takes from a client, and how much of it the server remembers.
public struct MockServerLimits: Sendable, Hashable {
  /// The bytes of a request line; one longer is answered by 414.
  ///
  /// 16 KiB unless set.
  public var requestLineBytes = 16 * 1024
  /// The bytes of a head as a whole, request line included, and of trailers; more are answered by 431.
  ///
  /// 64 KiB unless set.
  public var headBytes = 64 * 1024
  /// The number of header fields; more are answered by 431.
  ///
  /// 200 unless set.
  public var headerCount = 200
  /// The bytes of a body, decoded; more are answered by 413, unless the route discards bodies.
  ///
  /// 1 GiB unless set.
  public var bodyBytes = 1024 * 1024 * 1024
  /// How many requests are remembered, and how many connections that have closed; the oldest are forgotten
  /// first.
  ///
  /// 100,000 unless set.
  public var recordedRequests = 100_000
  /// How many bytes of bodies are remembered in all, before the oldest requests are forgotten.
  ///
  /// The last request is always remembered. 512 MiB unless set.
  public var recordedBodyBytes = 512 * 1024 * 1024

  /// How many connections are open at once; nil is as many as the system allows.
  ///
  /// Further ones are made by the system and wait, unanswered, until one that is open closes; then
  /// they are accepted in the order in which they came. At least one is. Nil unless set.
  public var connections: Int?

  /// Makes limits that are generous to a test and bounded all the same.
  public init() {}
}

/// What a ``MockServer`` answers from; replaced as a whole, with the accounts of its sequences, its scenarios
/// and how often its routes have answered.
struct RouteSet: Sendable {
  let routes: [Route]
  let registry: StubRegistry
  let mockResolver = MockResolver()
  /// Which number the first of the routes has in the journal.
  var firstRoute = 0
}
