import Networking
import Promises

/// Stands in for a backend, endpoint by endpoint.
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
/// Mocked requests ride the client's queue and pass its stages like all others; what they go through is
/// what ``MockTransport`` says: an answer delayed beyond the client's `idleTimeout` times out, as a real
/// one would. Copies of a provider share their account of what has been answered. Two
/// providers share nothing, so tests with one each may run side by side.
///
/// What has been asked stands in the ``journal``, and is verified by what ``MockBackend`` offers.
public struct MockProvider<Endpoint: RequestConvertible>: TransportProvider, MockBackend {
  /// Whose time the delays take, and with them a client of this provider.
  public let scheduler: any Scheduler
  /// What has been asked of it; of a provider made of a function, what that had an answer for.
  public let journal: RequestJournal
  /// The states of its routes' scenarios.
  public let scenarios: ScenarioStates
  private let choose: @Sendable (Endpoint, any Transport) -> (any Transport)?
  private let chooseForStored: @Sendable (Request, any Transport) -> (any Transport)?

  /// Makes a provider of a function.
  ///
  /// - Parameters:
  ///   - delay: how long answers take that name no time of their own.
  ///   - scheduler: whose time that is.
  ///   - limits: how much of what was asked is remembered.
  ///   - resolve: the answer for an endpoint, or nil for the real network. It is asked where the request
  ///     is made, once for each, and must not block.
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
        reason: "the endpoint of a request kept earlier is not known; routes look at none")
    }
  }

  /// Makes a provider of routes, which look at a request's method and path and at no endpoint.
  ///
  /// - Parameters:
  ///   - routes: what is answered; of several that match the first. A malformed template makes every
  ///     request fail with the code `mockFailed` and its name.
  ///   - delay: how long answers take that name no time of their own.
  ///   - scheduler: whose time that is.
  ///   - fallsThrough: whether requests without a route go to the real network; otherwise they fail with
  ///     the code `mockFailed` and name the routes nearest to them.
  ///   - limits: how much of what was asked is remembered.
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

  /// The path that relative patterns start from.
  private static func basePath() -> String? {
    Endpoint.baseURL?.path(percentEncoded: true)
  }

  /// The transport that gives the endpoint's answer; nil where there is none.
  ///
  /// - Parameters:
  ///   - endpoint: what was asked for.
  ///   - real: what a sequence falls through to.
  /// - Returns: a transport for this one request with all its attempts, or nil for the client's own.
  public func transport(for endpoint: Endpoint, real: any Transport) -> (any Transport)? {
    choose(endpoint, real)
  }

  /// The transport that gives the answer to a request that was kept in an earlier run, or by another
  /// client.
  ///
  /// Of a provider made of a function it fails with the code `mockFailed`, and the request stays in the
  /// store, unless requests themselves are its endpoints: a request alone does not tell what endpoint it
  /// was.
  ///
  /// - Parameters:
  ///   - request: what was kept.
  ///   - real: what a sequence, or a request without a route, falls through to.
  /// - Returns: a transport for this one request, or nil for the client's own.
  public func transport(forStored request: Request, real: any Transport) -> (any Transport)? {
    chooseForStored(request, real)
  }
}
