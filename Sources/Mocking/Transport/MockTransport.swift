public import Networking
public import Promises

/// A transport that responds from ``Route``s in memory, as a ``MockServer`` does on a socket.
///
/// ```swift
/// let backend: [Route] = [
///   Route(.get, "/boards/{id}") { request in .json(["id": request.path["id"]]) },
///   Route(.get, "/broken") { _ in .fault(.reset, at: .body(afterBytes: 512)) },
/// ]
/// let networking = Networking<BoardsAPI>(transport: MockTransport(routes: backend))
/// let server = try MockServer(routes: backend)        // the same for clients in any language
/// ```
///
/// - **Requests.** The method and the path of the URL select the route; the scheme, the host and
///   the port are ignored. If no route matches the path, the request fails with the code
///   `mockFailed` and a report of the nearest routes and their differences. If no route for the
///   path has the method, the response is a 405, as from a server. With a fallback, both kinds of
///   requests are passed to the fallback instead.
/// - **Events.** A client receives the same events as from a ``MockServer`` with the same mock,
///   including faults and their codes. Content codings are not decoded. A response without a delay
///   has been delivered completely when `start` returns.
/// - **Time.** The ``Scheduler`` controls delays, paced bodies, the upload progress of a throttled
///   request, and the idle timeout of the connection. Virtual time does not advance while an
///   asynchronous handler or a stream body can make progress.
/// - **Threads.** Events are delivered one at a time: on the thread that starts the request, on the
///   scheduler's thread, or on a thread that resumes or cancels the request.
///
/// Copies share their use counts and their journal. Two transports share no state.
public struct MockTransport: Transport, MockBackend {
  private let routed: RoutedTransport
  private let fallback: (any Transport)?
  /// The clock of the request for which the transport was made; `nil` for a transport of a client.
  private let scheduler: (any Scheduler)?

  /// Always `false`: no request waits for a network, not even one for the fallback.
  public var needsNetwork: Bool { false }
  /// The received requests, including those passed to the fallback.
  public var journal: RequestJournal { routed.journal }
  /// The scenario states of the routes.
  public var scenarios: ScenarioStates { routed.scenarios }
  /// The routes, which can be changed at any time.
  public var routes: MockRoutes { routed.routes }
  /// The sender of the webhooks of the responses, with the records of their deliveries.
  public var webhooks: WebhookSender { routed.webhooks }

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - routes: The routes. If several routes with the same priority match, the first one
  ///     responds. A malformed template makes every request fail with the code `mockFailed` and a
  ///     message that contains the template.
  ///   - delay: The default delay, for mocks that do not set one.
  ///   - scheduler: The clock for delays. `nil` is the virtual time of the scope in which a request is
  ///     started, or else of the scope in which the transport is created, or else the system clock.
  ///   - seed: The seed of the random numbers for weighted responses, faults and delays. With the same
  ///     seed, requests in the same order draw the same numbers. `nil` uses a random seed.
  ///   - fallback: The transport for requests without a route. `nil` makes them fail.
  ///   - limits: The limits of the journal.
  public init(
    routes: [Route], delay: MockDelay = .zero, scheduler: (any Scheduler)? = nil,
    seed: UInt64? = 0, fallback: (any Transport)? = nil,
    journal limits: JournalLimits = JournalLimits()
  ) {
    self.init(
      RoutedTransport(
        routes, MockPlayer(delay: delay, scheduler: scheduler, seed: seed), limits), fallback)
  }

  init(
    _ routed: RoutedTransport, _ fallback: (any Transport)?, on scheduler: (any Scheduler)? = nil
  ) {
    self.routed = routed
    self.fallback = fallback
    self.scheduler = scheduler
  }

  /// Creates a transport with a list of routes in a result builder.
  ///
  /// - Parameters:
  ///   - delay: The default delay, for mocks that do not set one.
  ///   - scheduler: The clock for delays. `nil` is the virtual time of the scope in which a request is
  ///     started, or else of the scope in which the transport is created, or else the system clock.
  ///   - seed: The seed of the random numbers for weighted responses, faults and delays. With the same
  ///     seed, requests in the same order draw the same numbers. `nil` uses a random seed.
  ///   - fallback: The transport for requests without a route. `nil` makes them fail.
  ///   - limits: The limits of the journal.
  ///   - routes: The routes. If several routes with the same priority match, the first one
  ///     responds. A malformed template makes every request fail with the code `mockFailed` and a
  ///     message that contains the template.
  public init(
    delay: MockDelay = .zero, scheduler: (any Scheduler)? = nil, seed: UInt64? = 0,
    fallback: (any Transport)? = nil, journal limits: JournalLimits = JournalLimits(),
    @RouteBuilder routes: () -> [Route]
  ) {
    self.init(
      routes: routes(), delay: delay, scheduler: scheduler, seed: seed, fallback: fallback,
      journal: limits)
  }

  /// Responds to a request.
  ///
  /// - Parameters:
  ///   - request: The request. Its body is read, unless the route discards it.
  ///   - receive: The receiver of the events.
  /// - Returns: A handle. While it is suspended, no events are delivered, but time continues.
  public func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    do {
      try routed.player.validate(request)
    } catch {
      receive(.failure(error))
      return FinishedHandle()
    }
    let scheduler = scheduler ?? routed.scheduler
    return request.bufferingStreamBody(on: scheduler, receive) {
      [routed, fallback] request, receive in
      routed.start(request, on: scheduler, fallback: fallback, receive)
    }
  }
}

extension MockTransport: MockSource {
  /// Returns the routes of the transport.
  ///
  /// - Returns: The mocks. Requests without a route are passed to the fallback, or to the next mocks
  ///   and to the outer scope if there is no fallback.
  public func makeMocks() -> ScopedMocks {
    makeMocks { [fallback] next in fallback ?? next }
  }

  /// Returns the routes of the transport with another fallback.
  ///
  /// - Parameter fallback: Returns the fallback. It receives the transport of the next mocks and the
  ///   outer scope, which is `nil` if requests without a mock fail.
  /// - Returns: The mocks.
  package func makeMocks(
    over fallback: @escaping @Sendable (_ next: (any Transport)?) -> (any Transport)?
  ) -> ScopedMocks {
    let provider = AnyTransportProvider(scheduler: routed.scheduler) { [routed] next in
      MockTransport(routed, fallback(next), on: routed.scheduler)
    }
    return ScopedMocks(backend: self, provider: provider)
  }
}

extension MockTransport: BrieflyDescribed {
  /// The numbers of routes and received requests: `MockTransport(routes: 3, requests: 2)`.
  public var description: String { "MockTransport(\(routes.summary), requests: \(requestCount))" }
}
