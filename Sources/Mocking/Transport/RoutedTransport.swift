import Networking
import Promises
import Synchronization

/// The implementation of ``MockTransport`` and of a ``MockProvider`` with routes.
final class RoutedTransport: Sendable {
  /// The routes, or the error in a malformed route.
  private let registry: Result<StubRegistry, MockServerError>
  private let player: MockPlayer
  var scheduler: any Scheduler { player.scheduler }
  var webhooks: WebhookSender { player.webhooks }
  let journal: RequestJournal
  let scenarios: ScenarioStates
  var routes: MockRoutes {
    MockRoutes { [registry] () throws(MockServerError) in try registry.get() }
  }
  private let requestCount = Atomic(0)

  init(
    _ routes: [Route], _ player: MockPlayer, _ limits: JournalLimits,
    basePath: @escaping @Sendable () -> String? = { nil }
  ) {
    let adjustments = player.mockResolver.adjustments
    let registry = Result { () throws(MockServerError) in
      StubRegistry(try RouteTable(routes), adjustments: adjustments)
    }
    self.registry = registry
    self.player = player
    journal = RequestJournal(limits: limits, registry: try? registry.get(), basePath: basePath)
    scenarios = (try? registry.get())?.scenarios ?? ScenarioStates()
    scenarios.onReset { [resolver = player.mockResolver] in resolver.restartSequences() }
  }

  /// Responds to a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - scheduler: The clock for the request.
  ///   - fallback: The transport for requests without a route. `nil` makes them fail.
  ///   - receive: The receiver of the events.
  /// - Returns: A handle for the exchange.
  func start(
    _ request: HTTPRequest, on scheduler: any Scheduler, fallback: (any Transport)?,
    _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    do throws(MockServerError) {
      return start(request, try registry.get(), scheduler, fallback, receive)
    } catch {
      let failure = TransportFailure(code: .mockFailed, detail: "\(error)")
      return journal.record(request.stored(at: scheduler.now)) { fail(failure, $0, receive) }
    }
  }

  private func start(
    _ request: HTTPRequest, _ registry: StubRegistry, _ scheduler: any Scheduler,
    _ fallback: (any Transport)?, _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    let outcome = registry.find(request.method, request.target)
    if let fallback {
      guard case .routes = outcome else {
        return journal.record(request.stored(at: scheduler.now)) {
          pass(request, $0, fallback, receive)
        }
      }
    }
    do throws(TransportFailure) {
      let isRouted = if case .routes = outcome { true } else { false }
      var received = try request.received(
        outcome.path, number: requestCount.add(1, ordering: .relaxed).oldValue,
        at: scheduler.now,
        discardsBody: isRouted ? outcome.discardsBody : !request.body.isRecorded)
      switch outcome {
      case .unmatched: break
      case .response(let mock, _):
        return journal.record(.received(received)) {
          respond(request, mock, received, $0, scheduler, nil, receive)
        }
      case .routes(let candidates, _):
        guard
          let entry = registry.choose(
            among: candidates, for: &received, values: { player.values(on: scheduler) })
        else { break }
        return journal.record(.received(received), route: entry) { [received] reporter in
          invoke(entry.route, request, received, reporter, scheduler, fallback, receive)
        }
      }
      return journal.record(.received(received)) { [received] reporter in
        if let fallback { return pass(request, reporter, fallback, receive) }
        if let mock = registry.disallowedResponse(to: received) {
          return respond(request, mock, received, reporter, scheduler, nil, receive)
        }
        let failure = TransportFailure(code: .mockFailed, detail: registry.unmatched(received))
        return fail(failure, reporter, receive)
      }
    } catch {
      return journal.record(request.stored(at: scheduler.now)) { fail(error, $0, receive) }
    }
  }

  private func fail(
    _ failure: TransportFailure, _ reporter: OutcomeReporter, _ receive: MockPlayer.Receive
  ) -> any TransportHandle {
    reporter.report(.failure(failure.code))
    return player.fail(failure, receive)
  }

  private func pass(
    _ request: HTTPRequest, _ reporter: OutcomeReporter, _ fallback: any Transport,
    _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    reporter.report(.passedThrough)
    return fallback.start(request, receive)
  }

  private func invoke(
    _ route: Route, _ request: HTTPRequest, _ received: ReceivedRequest,
    _ reporter: OutcomeReporter, _ scheduler: any Scheduler, _ fallback: (any Transport)?,
    _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    do {
      switch try route.responder.handler(received, awaitedBy: scheduler) {
      case .mock(let mock):
        return respond(request, mock, received, reporter, scheduler, fallback, receive)
      case .promise(let promise):
        // Reports a failure that occurs before the handler returns a mock, such as a timeout.
        let reportingReceive = reporter.reportingOutcome(to: receive)
        let mock =
          route.responder.server == nil
          ? promise : promise.withRelayedBodyInMemory(awaitedBy: scheduler)
        let exchange = DeferredExchange(mock, on: scheduler, reportingReceive) {
          [self] result, idleTime, receive in
          let mock: Mock
          do {
            mock = try result.get()
          } catch {
            mock = .handlerFailed(error)
          }
          return respond(
            request, mock, received, reporter, scheduler, fallback, idleFor: idleTime, receive)
        }
        exchange.wait(atMost: request.idleTimeout)
        return exchange
      }
    } catch {
      return respond(
        request, .handlerFailed(error), received, reporter, scheduler, fallback, receive)
    }
  }

  private func respond(
    _ request: HTTPRequest, _ mock: Mock, _ received: ReceivedRequest, _ reporter: OutcomeReporter,
    _ scheduler: any Scheduler, _ fallback: (any Transport)?, idleFor idleTime: Duration = .zero,
    _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    player.respond(
      request, by: mock, reporter, on: scheduler, idleFor: idleTime, received: { received }, receive
    ) {
      if let fallback { return pass(request, reporter, fallback, receive) }
      return fail(
        TransportFailure(code: .mockFailed, detail: Route.fallthroughMessage(received)), reporter,
        receive)
    }
  }
}
