import Networking
import Promises

/// A transport that answers from ``Route``s, in memory, as a ``MockServer`` would on a socket.
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
/// - **Requests.** The scheme, the host and the port of a URL do not matter; the path finds the route.
///   One without a route fails with the code `mockFailed` and says which, with the routes nearest to it and
///   what they would have it be, unless there is a fallback; one of a wrong method is answered by 405, as a server would.
/// - **Events** are those that a client of a ``MockServer`` gets for the same mock, faults and their codes
///   among them. What happens on the way of a real response besides does not happen here: a content coding
///   is not taken off. An answer without any delay has been given when `start` returns.
/// - **Time** comes from a ``Scheduler``: delays, drawn-out bodies, the progress of a throttled request, and
///   the limit to how long a connection may be silent. One that is turned by hand waits for asynchronous
///   handlers, and for a body that is a stream, as long as they can go on.
/// - **Threads.** Events come where the request is started, or on the scheduler's thread, or where it is
///   resumed or cancelled, one at a time.
///
/// Copies share their account of what has been answered. Two transports share nothing.
public struct MockTransport: Transport, MockBackend {
  private let routed: RoutedTransport
  private let fallback: (any Transport)?

  /// False: requests are not held back for want of a network, those for the fallback neither.
  public var needsNetwork: Bool { false }
  /// What has been asked of it, what went on to the fallback among it.
  public var journal: RequestJournal { routed.journal }
  /// The states of its routes' scenarios.
  public var scenarios: ScenarioStates { routed.scenarios }

  /// Makes a transport.
  ///
  /// - Parameters:
  ///   - routes: what is answered; of several that match the first. A malformed template makes every
  ///     request fail with the code `mockFailed` and its name.
  ///   - delay: how long answers take that name no time of their own.
  ///   - scheduler: whose time that is.
  ///   - fallback: what performs the requests without a route; nil makes them fail.
  ///   - limits: how much of what was asked is remembered.
  public init(
    routes: [Route], delay: MockDelay = .zero, scheduler: any Scheduler = .live,
    fallback: (any Transport)? = nil, journal limits: JournalLimits = JournalLimits()
  ) {
    self.init(
      RoutedTransport(routes, MockPlayer(delay: delay, scheduler: scheduler), limits), fallback)
  }

  init(_ routed: RoutedTransport, _ fallback: (any Transport)?) {
    self.routed = routed
    self.fallback = fallback
  }

  /// Makes a transport of routes listed on the spot.
  ///
  /// - Parameters:
  ///   - delay: how long answers take that name no time of their own.
  ///   - scheduler: whose time that is.
  ///   - fallback: what performs the requests without a route; nil makes them fail.
  ///   - limits: how much of what was asked is remembered.
  ///   - routes: what is answered; of several that match the first. A malformed template makes every
  ///     request fail with the code `mockFailed` and its name.
  public init(
    delay: MockDelay = .zero, scheduler: any Scheduler = .live,
    fallback: (any Transport)? = nil, journal limits: JournalLimits = JournalLimits(),
    @RouteBuilder routes: () -> [Route]
  ) {
    self.init(
      routes: routes(), delay: delay, scheduler: scheduler, fallback: fallback, journal: limits)
  }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: the request; its body is read, unless the route discards it.
  ///   - receive: gets the events.
  /// - Returns: a handle; suspending holds all events back, while time goes on.
  public func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    do {
      try request.validateForSending()
    } catch {
      receive(.failure(error))
      return FinishedExchange()
    }
    return request.bufferingStreamBody(on: routed.scheduler, receive) {
      [routed, fallback] request, receive in
      routed.start(request, fallback: fallback, receive)
    }
  }
}

/// Fails every request by the code `mockFailed`.
struct FailingTransport: Transport {
  let needsNetwork = false
  let reason: String

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    receive(.failure(TransportFailure(code: .mockFailed, detail: reason)))
    return FinishedExchange()
  }
}

/// A handle on an exchange that was over before it could be handed out.
struct FinishedExchange: TransportHandle {
  func cancel() {}
  func suspend() {}
  func resume() {}
}

/// Answers the attempts of one request by the mock that was laid down for it.
final class SingleMockTransport: Transport {
  private let mock: Mock
  private let player: MockPlayer
  private let journal: RequestJournal
  private let real: any Transport

  init(mock: Mock, player: MockPlayer, journal: RequestJournal, real: any Transport) {
    self.mock = mock
    self.player = player
    self.journal = journal
    self.real = real
  }

  var needsNetwork: Bool { false }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    do {
      try request.validateForSending()
    } catch {
      receive(.failure(error))
      return FinishedExchange()
    }
    return request.bufferingStreamBody(on: player.scheduler, receive, answer)
  }

  private func answer(
    _ request: HTTPRequest, _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    let reporter = journal.record(request.stored(at: player.scheduler.now))
    return player.answer(
      request, by: mock, reporter,
      received: { () throws(TransportFailure) in
        try request.received(
          request.receivedPath, number: reporter.number, at: player.scheduler.now)
      },
      receive,
      fallThrough: {
        reporter.report(.passedThrough)
        return real.start(request, receive)
      })
  }
}
