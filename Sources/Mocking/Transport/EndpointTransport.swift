import Networking
import Promises

/// A transport that responds to all attempts of one request with the mock of its endpoint.
final class EndpointTransport: Transport {
  private let endpoint: any RequestConvertible
  /// The mock, or `nil` if there is none.
  private let mock: Mock?
  private let provider: EndpointMocks
  /// The transport for requests without a mock, or `nil` if they fail.
  private let next: (any Transport)?
  /// The clock of the request, which all attempts share.
  private let scheduler: any Scheduler

  init(
    _ endpoint: any RequestConvertible, mock: Mock?, of provider: EndpointMocks,
    on scheduler: any Scheduler, next: (any Transport)?
  ) {
    self.endpoint = endpoint
    self.mock = mock
    self.provider = provider
    self.scheduler = scheduler
    self.next = next
  }

  var needsNetwork: Bool { false }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    if mock == nil, let next { return next.start(request, receive) }
    do {
      try provider.player.validate(request)
    } catch {
      receive(.failure(error))
      return FinishedHandle()
    }
    return request.bufferingStreamBody(on: scheduler, receive, respond)
  }

  private func respond(
    _ request: HTTPRequest, _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    provider.journal.record(request.stored(at: scheduler.now)) { respond(request, $0, receive) }
  }

  private func respond(
    _ request: HTTPRequest, _ reporter: OutcomeReporter, _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    guard let mock else { return fail(reporter, receive) }
    return provider.player.respond(
      request, by: mock, reporter, on: scheduler,
      received: { () throws(TransportFailure) in
        try request.received(
          request.receivedPath, number: reporter.number, at: scheduler.now)
      },
      receive,
      fallThrough: {
        guard let next else { return fail(reporter, receive, " after a sequence falls through") }
        reporter.report(.passedThrough)
        return next.start(request, receive)
      })
  }

  private func fail(
    _ reporter: OutcomeReporter, _ receive: MockPlayer.Receive, _ circumstance: String = ""
  ) -> any TransportHandle {
    let reason =
      "the mock provider at \(provider.file):\(provider.line) has no mock for "
      + endpoint.nameWithoutValues + circumstance
    reporter.report(.failure(.mockFailed))
    return provider.player.fail(TransportFailure(code: .mockFailed, detail: reason), receive)
  }
}

/// The state that all transports of a provider with a closure share.
final class EndpointMocks: Sendable {
  let player: MockPlayer
  let journal: RequestJournal
  /// The source file in which the provider is created, for errors.
  let file: StaticString
  /// The source line on which the provider is created, for errors.
  let line: UInt

  init(_ player: MockPlayer, _ journal: RequestJournal, file: StaticString, line: UInt) {
    self.player = player
    self.journal = journal
    self.file = file
    self.line = line
  }
}

/// A transport for a request whose mock is selected on an actor.
///
/// The selection starts with the transport, and all attempts of the request wait for it.
final class DeferredEndpointTransport<Endpoint: RequestConvertible>: TransportTraits {
  private let endpoint: Endpoint
  private let mock: Promise<Mock?>
  private let provider: EndpointMocks
  private let next: (any Transport)?
  private let scheduler: any Scheduler

  init(
    _ endpoint: Endpoint, _ mocks: IsolatedClosure<Endpoint, Mock?>, of provider: EndpointMocks,
    next: (any Transport)?
  ) {
    self.endpoint = endpoint
    self.provider = provider
    self.next = next
    scheduler = provider.player.scheduler
    mock = mocks.onItsActor(endpoint, awaitedBy: scheduler)
  }

  /// Whether requests without a mock need a network.
  ///
  /// The client checks the selected transport instead.
  var needsNetwork: Bool { next?.needsNetwork ?? false }

  var selection: Promise<any Transport>? {
    attemptSelection()
      .then(on: .inline) { [endpoint, provider, scheduler, next] mock -> Promise<any Transport> in
        if mock == nil, let next { return next.selectedTransport() }
        return .fulfilled(
          EndpointTransport(endpoint, mock: mock, of: provider, on: scheduler, next: next))
      }
      .recover(on: .inline) { error -> any Transport in
        if error.isCancellation { throw error }
        return Self.failingTransport
      }
  }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    let exchange = DeferredExchange(
      attemptSelection(), on: scheduler, receive
    ) { [endpoint, provider, scheduler, next] result, _, receive in
      switch result {
      case .success(let mock):
        return EndpointTransport(endpoint, mock: mock, of: provider, on: scheduler, next: next)
          .start(request, receive)
      case .failure: return Self.failingTransport.start(request, receive)
      }
    }
    exchange.wait(atMost: request.idleTimeout)
    return exchange
  }

  /// Returns a promise of the selection for one attempt only, so that cancelling the attempt does not
  /// cancel the selection.
  private func attemptSelection() -> Promise<Mock?> {
    let (selected, resolver) = Promise<Mock?>.pending(on: .inline)
    mock.always(on: .inline) { resolver.resolve($0) }
    return selected
  }

  /// The transport for requests after a selection that has failed.
  private static var failingTransport: FailingTransport {
    FailingTransport(
      .mockFailed, reason: "the actor of the mock provider did not run its closure")
  }
}
