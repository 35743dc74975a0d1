import Foundation
public import Networking
public import Promises

/// A provider that maps endpoints to mocked responses.
///
/// ```swift
/// let provider = MockProvider<BoardsAPI>(delay: .milliseconds(200)) { endpoint in
///   switch endpoint {
///   case .boards: .file("boards.json")
///   case .board(let id) where id > 100: .status(404)
///   case .board(let id): .json(["id": .int(id), "title": "Balsa Fish"])
///   default: nil                              // the real network
///   }
/// }
/// let networking = Networking<BoardsAPI>(mockProvider: provider)
/// ```
///
/// - Warning: If the closure returns `nil`, the client sends the request to the real network. Pass
///   `strict: true` to make such requests fail instead, for example in tests. This is the default for
///   providers with routes and in `withMocks`.
///
/// Mocked requests pass through the queue and the stages of the client like all other requests. They
/// are sent even while the network is unreachable. Requests for which the closure returns `nil` follow
/// the policy `whenUnreachable` of the client.
/// Events, time and threads are those of a ``MockTransport``; for example, a response that is
/// delayed beyond the client's `idleTimeout` times out. Copies of a provider share their use counts
/// and their journal. Two providers share no state, so tests with separate providers can run in
/// parallel.
///
/// The ``journal`` contains the received requests; the methods of ``MockBackend`` verify them.
public struct MockProvider<Endpoint: RequestConvertible>: TransportProvider, MockBackend {
  /// The clock for delays.
  ///
  /// Clients of this provider use the same clock. Without a scheduler of its own, the provider uses
  /// the virtual time of the scope in which the caller runs, or else of the scope in which the
  /// provider was created, or else the system clock.
  public var scheduler: any Scheduler { player.scheduler }
  /// The received requests.
  ///
  /// A provider with a closure records the requests that have a mock, and those that fail because
  /// they have none.
  public let journal: RequestJournal
  /// The scenario states of the routes.
  public let scenarios: ScenarioStates
  /// The routes, which can be changed at any time.
  ///
  /// A provider with a closure has none, and none can be added.
  public let routes: MockRoutes
  /// The sender of the webhooks of the responses, with the records of their deliveries.
  public var webhooks: WebhookSender { player.webhooks }
  /// Whether requests without a mock fail; `nil` for the default.
  private let strict: Bool?
  private let player: MockPlayer
  /// Whether a client sends requests without a mock to the network.
  private let sendsUnmocked: Bool
  /// Returns the transport for an endpoint.
  ///
  /// Requests without a mock are passed to `next`, or fail if it is `nil`.
  private let choose: @Sendable (_ endpoint: Endpoint, _ next: (any Transport)?) -> (any Transport)?
  private let chooseForStored:
    @Sendable (_ request: Request, _ next: (any Transport)?) -> (any Transport)?

  /// Creates a provider with a closure.
  ///
  /// - Parameters:
  ///   - delay: The default delay, for mocks that do not set one.
  ///   - scheduler: The clock for delays. `nil` is the virtual time of the scope in which a request is
  ///     made, or else of the scope in which the provider is created, or else the system clock.
  ///   - seed: The seed of the random numbers for weighted responses, faults and delays. With the same
  ///     seed, requests in the same order draw the same numbers. `nil` uses a random seed.
  ///   - strict: Whether a request fails if the closure returns `nil`, or if a sequence falls
  ///     through. The error has the code `mockFailed`, and names the endpoint without its values, the
  ///     request and the source location of the provider. `false` sends the request to the real
  ///     network. `nil` is `false` for the provider of a client; in `withMocks`, the other mocks and
  ///     the ``UnmatchedRequestPolicy`` of the scope then decide.
  ///   - limits: The limits of the journal.
  ///   - file: The source file, for errors.
  ///   - line: The source line, for errors.
  ///   - resolve: A closure that returns the mock for an endpoint, or `nil` if there is none. It runs
  ///     once for each request, when the request is made, and must not block. It runs on the thread
  ///     that makes the request, or on its actor if it is written in the code of an actor. Virtual time
  ///     does not advance until it has run.
  public init(
    delay: MockDelay = .zero, scheduler: (any Scheduler)? = nil, seed: UInt64? = 0,
    strict: Bool? = nil, journal limits: JournalLimits = JournalLimits(),
    file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ resolve:
      @escaping @Sendable @isolated(any) (_ endpoint: Endpoint) -> Mock?
  ) {
    let player = MockPlayer(delay: delay, scheduler: scheduler, seed: seed)
    self.player = player
    self.strict = strict
    sendsUnmocked = strict != true
    journal = RequestJournal(limits: limits)
    scenarios = ScenarioStates()
    scenarios.onReset { [resolver = player.mockResolver] in resolver.restartSequences() }
    self.routes = MockRoutes { () throws(MockServerError) in throw .noRoutes }
    let mocks = EndpointMocks(player, journal, file: file, line: line)
    let resolve = IsolatedClosure(resolve)
    let choose = { @Sendable (endpoint: Endpoint, next: (any Transport)?) -> (any Transport)? in
      guard resolve.isCallable else {
        return DeferredEndpointTransport(endpoint, resolve, of: mocks, next: next)
      }
      // `try?` ignores no error, because the closure does not throw.
      let mock = (try? resolve(endpoint)) ?? nil
      guard mock != nil || strict == true else { return nil }
      return EndpointTransport(
        endpoint, mock: mock, of: mocks, on: player.scheduler, next: next)
    }
    self.choose = choose
    chooseForStored = { request, next in
      if let endpoint = request as? Endpoint { return choose(endpoint, next) }
      return FailingTransport(
        .mockFailed,
        reason: "the endpoint of a stored request is unknown; use a provider with routes")
    }
  }

  /// Creates a provider with routes.
  ///
  /// Routes match requests by method and path, not by endpoint.
  ///
  /// - Parameters:
  ///   - routes: The routes. If several routes with the same priority match, the first one
  ///     responds. A malformed template makes every request fail with the code `mockFailed` and a
  ///     message that contains the template.
  ///   - delay: The default delay, for mocks that do not set one.
  ///   - scheduler: The clock for delays. `nil` is the virtual time of the scope in which a request is
  ///     made, or else of the scope in which the provider is created, or else the system clock.
  ///   - seed: The seed of the random numbers for weighted responses, faults and delays. With the same
  ///     seed, requests in the same order draw the same numbers. `nil` uses a random seed.
  ///   - strict: Whether a request without a route fails. The error has the code `mockFailed`, and a
  ///     list of the nearest routes. `false` sends the request to the real network. `nil` is `true`
  ///     for the provider of a client; in `withMocks`, the other mocks and the
  ///     ``UnmatchedRequestPolicy`` of the scope then decide.
  ///   - limits: The limits of the journal.
  public init(
    routes: [Route], delay: MockDelay = .zero, scheduler: (any Scheduler)? = nil,
    seed: UInt64? = 0, strict: Bool? = nil, journal limits: JournalLimits = JournalLimits()
  ) {
    let player = MockPlayer(delay: delay, scheduler: scheduler, seed: seed)
    self.player = player
    self.strict = strict
    sendsUnmocked = strict == false
    let routed = RoutedTransport(routes, player, limits)
    journal = routed.journal
    scenarios = routed.scenarios
    self.routes = routed.routes
    choose = { _, next in MockTransport(routed, next, on: player.scheduler) }
    chooseForStored = { _, next in MockTransport(routed, next, on: player.scheduler) }
  }

  /// Returns the transport for the mock of an endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint of the request.
  ///   - real: The transport for requests without a mock, unless the provider is strict.
  /// - Returns: A transport for this request and all of its attempts. `nil` uses the client's
  ///   transport.
  public func transport(for endpoint: Endpoint, real: any Transport) -> (any Transport)? {
    choose(endpoint, sendsUnmocked ? real : nil)
  }

  /// Returns the transport for a request that was stored in an earlier run, or by another client.
  ///
  /// The endpoint of a stored request is unknown. If the provider has a closure, the transport
  /// therefore fails with the code `mockFailed`, and the request stays in the store. This does not
  /// apply to a provider whose endpoint type is `Request`.
  ///
  /// - Parameters:
  ///   - request: The stored request.
  ///   - real: The transport for requests without a mock, unless the provider is strict.
  /// - Returns: A transport for this request. `nil` uses the client's transport.
  public func transport(forStored request: Request, real: any Transport) -> (any Transport)? {
    chooseForStored(request, sendsUnmocked ? real : nil)
  }
}

extension MockProvider {
  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable,
    message: "a verification names the method and the path: 'verify(.get, \"boards\")'"
  )
  public func verify(_ endpoint: Endpoint, _ count: RequestCount = .exactly(1))
    throws(VerificationFailure)
  {}
}

extension MockProvider where Endpoint == Request {
  /// Is unavailable: the message has the declaration to use.
  @available(
    *, unavailable, message: "name the type of the endpoints: 'MockProvider<BoardsAPI> { ... }'"
  )
  public init(_ resolve: (_ endpoint: Never) -> Mock?) { self.init(routes: []) }
}

extension MockProvider: MockSource {
  /// Returns the mocks of the provider.
  ///
  /// - Returns: The mocks. Requests without a mock are passed to the next mocks and to the outer scope,
  ///   unless the provider is strict.
  public func makeMocks() -> ScopedMocks {
    let provider = AnyTransportProvider(
      for: Endpoint.self, scheduler: scheduler, passesUnmatched: strict == false
    ) { endpoint, next in
      choose(endpoint, strict == true ? nil : next)
    }
    return ScopedMocks(backend: self, provider: provider)
  }
}

extension MockProvider: BrieflyDescribed {
  /// The type and the numbers of routes and received requests: `MockProvider<BoardsAPI>(closure, requests: 2)`.
  public var description: String { "\(Self.self)(\(routes.summary), requests: \(requestCount))" }
}
