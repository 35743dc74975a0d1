import Networking
import Promises

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
/// Mocked requests pass through the queue and the stages of the client like all other requests.
/// Events, time and threads are those of a ``MockTransport``; for example, a response that is
/// delayed beyond the client's `idleTimeout` times out. Copies of a provider share their use counts
/// and their journal. Two providers share no state, so tests with separate providers can run in
/// parallel.
///
/// The ``journal`` contains the received requests; the methods of ``MockBackend`` verify them.
public struct MockProvider<Endpoint: RequestConvertible>: TransportProvider, MockBackend {
  /// The clock for delays.
  ///
  /// Clients of this provider use the same clock.
  public let scheduler: any Scheduler
  /// The received requests.
  ///
  /// A provider with a closure records only the requests that have a mock.
  public let journal: RequestJournal
  /// The scenario states of the routes.
  public let scenarios: ScenarioStates
  private let choose: @Sendable (Endpoint, any Transport) -> (any Transport)?
  private let chooseForStored: @Sendable (Request, any Transport) -> (any Transport)?

  /// Creates a provider with a closure.
  ///
  /// - Parameters:
  ///   - delay: The default delay, for mocks that do not set one.
  ///   - scheduler: The clock for delays.
  ///   - limits: The limits of the journal.
  ///   - resolve: A closure that returns the mock for an endpoint, or `nil` to send the request to
  ///     the real network. It runs once for each request, on the thread that makes the request, and
  ///     must not block.
  public init(
    delay: MockDelay = .zero, scheduler: any Scheduler = .live,
    journal limits: JournalLimits = JournalLimits(),
    _ resolve: @escaping @Sendable (_ endpoint: Endpoint) -> Mock?
  ) {
    self.scheduler = scheduler
    let player = MockPlayer(delay: delay, scheduler: scheduler)
    let journal = RequestJournal(limits: limits, basePath: Self.basePath)
    self.journal = journal
    scenarios = ScenarioStates()
    let choose = { @Sendable (endpoint: Endpoint, real: any Transport) -> (any Transport)? in
      resolve(endpoint).map {
        SingleMockTransport(mock: $0, player: player, journal: journal, real: real)
      }
    }
    self.choose = choose
    chooseForStored = { request, real in
      if let endpoint = request as? Endpoint { return choose(endpoint, real) }
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
  ///   - scheduler: The clock for delays.
  ///   - fallsThrough: Whether requests without a route are sent to the real network. Otherwise
  ///     they fail with the code `mockFailed` and a list of the nearest routes.
  ///   - limits: The limits of the journal.
  public init(
    routes: [Route], delay: MockDelay = .zero, scheduler: any Scheduler = .live,
    fallsThrough: Bool = false, journal limits: JournalLimits = JournalLimits()
  ) {
    self.scheduler = scheduler
    let routed = RoutedTransport(
      routes, MockPlayer(delay: delay, scheduler: scheduler), limits, basePath: Self.basePath)
    journal = routed.journal
    scenarios = routed.scenarios
    choose = { _, real in MockTransport(routed, fallsThrough ? real : nil) }
    chooseForStored = { _, real in MockTransport(routed, fallsThrough ? real : nil) }
  }

  /// The path of the base URL, which relative patterns extend.
  private static func basePath() -> String? {
    Endpoint.baseURL?.path(percentEncoded: true)
  }

  /// Returns the transport for the mock of an endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint of the request.
  ///   - real: The transport that sequences fall through to.
  /// - Returns: A transport for this request and all of its attempts. `nil` uses the client's
  ///   transport.
  public func transport(for endpoint: Endpoint, real: any Transport) -> (any Transport)? {
    choose(endpoint, real)
  }

  /// Returns the transport for a request that was stored in an earlier run, or by another client.
  ///
  /// The endpoint of a stored request is unknown. If the provider has a closure, the transport
  /// therefore fails with the code `mockFailed`, and the request stays in the store. This does not
  /// apply to a provider whose endpoint type is `Request`.
  ///
  /// - Parameters:
  ///   - request: The stored request.
  ///   - real: The transport for sequences that fall through and for requests without a route.
  /// - Returns: A transport for this request. `nil` uses the client's transport.
  public func transport(forStored request: Request, real: any Transport) -> (any Transport)? {
    chooseForStored(request, real)
  }
}
