import CatenaSystem
import Networking
import Promises

/// The implementation of ``MockTransport`` and of a ``MockProvider`` with routes.
final class RoutedTransport: Sendable {
  /// The routes, or the error in a malformed route.
  private let registry: Result<StubRegistry, MockServerError>
  let player: MockPlayer
  var scheduler: any Scheduler { player.scheduler }
  var webhooks: WebhookSender { player.webhooks }
  let journal: RequestJournal
  let scenarios: ScenarioStates
  var routes: MockRoutes {
    MockRoutes { [registry] () throws(MockServerError) in try registry.get() }
  }
  private let requestCount = Atomic(0)

  init(_ routes: [Route], _ player: MockPlayer, _ limits: JournalLimits) {
    let adjustments = player.mockResolver.adjustments
    let registry = Result { () throws(MockServerError) in
      StubRegistry(try RouteTable(routes), adjustments: adjustments)
    }
    self.registry = registry
    self.player = player
    journal = RequestJournal(limits: limits, registry: try? registry.get())
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
    let exchange = RoutedExchange(
      request: request, player: player, scheduler: scheduler, fallback: fallback, receive: receive)
    do throws(MockServerError) {
      return start(exchange, try registry.get())
    } catch {
      let failure = TransportFailure(code: .mockFailed, detail: "\(error)")
      return journal.record(request.stored(at: scheduler.now)) { exchange.fail(failure, $0) }
    }
  }

  private func start(
    _ exchange: RoutedExchange, _ registry: StubRegistry
  ) -> any TransportHandle {
    let (request, scheduler) = (exchange.request, exchange.scheduler)
    let outcome = registry.find(
      request.method, request.target, below: request.options.basePath)
    let isRouted = if case .routes = outcome { true } else { false }
    if exchange.fallback != nil, !isRouted {
      return journal.record(request.stored(at: scheduler.now)) { exchange.pass($0, orFail: "") }
    }
    do throws(TransportFailure) {
      var received = try request.received(
        outcome.path, number: requestCount.add(1, ordering: .relaxed).oldValue,
        at: scheduler.now,
        discardsBody: isRouted ? outcome.discardsBody : !request.body.isRecorded)
      switch outcome {
      case .unmatched: break
      case .response(let mock, _):
        return journal.record(.storing(received)) { exchange.respond(mock, to: received, $0) }
      case .routes(let candidates, _):
        guard
          let entry = registry.choose(
            among: candidates, for: &received, values: { player.values(on: scheduler) })
        else { break }
        return journal.record(.storing(received), route: entry) { [received] reporter in
          exchange.invoke(entry.route.responder, received, reporter)
        }
      }
      return journal.record(.storing(received)) { [received] reporter in
        if exchange.fallback == nil, let mock = registry.disallowedResponse(to: received) {
          return exchange.respond(mock, to: received, reporter)
        }
        return exchange.pass(reporter, orFail: registry.unmatched(received))
      }
    } catch {
      return journal.record(request.stored(at: scheduler.now)) { exchange.fail(error, $0) }
    }
  }
}

/// An exchange of a ``RoutedTransport``.
private struct RoutedExchange: Sendable {
  let request: HTTPRequest
  let player: MockPlayer
  let scheduler: any Scheduler
  /// The transport for a request without a route.
  ///
  /// `nil` makes it fail.
  let fallback: (any Transport)?
  var receive: MockPlayer.Receive

  func fail(_ failure: TransportFailure, _ reporter: OutcomeReporter) -> any TransportHandle {
    reporter.report(.failure(failure.code))
    return player.fail(failure, receive)
  }

  /// Passes the request to the fallback, or fails if there is none.
  func pass(
    _ reporter: OutcomeReporter, orFail detail: @autoclosure () -> String
  ) -> any TransportHandle {
    guard let fallback else {
      return fail(TransportFailure(code: .mockFailed, detail: detail()), reporter)
    }
    reporter.report(.passedThrough)
    return fallback.start(request, receive)
  }

  /// Responds with the mock of the handler of a route.
  func invoke(
    _ responder: RouteResponder, _ received: ReceivedRequest, _ reporter: OutcomeReporter
  ) -> any TransportHandle {
    do {
      switch try responder.handler(received, awaitedBy: scheduler) {
      case .mock(let mock): return respond(mock, to: received, reporter)
      case .promise(let promise):
        let mock =
          responder.server == nil ? promise : promise.withRelayedBodyInMemory(awaitedBy: scheduler)
        // Reports a failure that occurs before the handler returns a mock, such as a timeout.
        let exchange = DeferredExchange(
          mock, on: scheduler, reporter.reportingOutcome(to: receive)
        ) { result, idleTime, receive in
          var exchange = self
          exchange.receive = receive
          let mock: Mock
          do {
            mock = try result.get()
          } catch {
            mock = .handlerFailed(error)
          }
          return exchange.respond(mock, to: received, reporter, idleFor: idleTime)
        }
        exchange.wait(atMost: request.idleTimeout)
        return exchange
      }
    } catch {
      return respond(.handlerFailed(error), to: received, reporter)
    }
  }

  /// Responds with a mock.
  ///
  /// - Parameters:
  ///   - mock: The mock.
  ///   - received: The request.
  ///   - reporter: The reporter of the outcome to the journal.
  ///   - idleTime: The time that the client has already waited for the response.
  /// - Returns: A handle for the exchange.
  func respond(
    _ mock: Mock, to received: ReceivedRequest, _ reporter: OutcomeReporter,
    idleFor idleTime: Duration = .zero
  ) -> any TransportHandle {
    player.respond(
      request, by: mock, reporter, on: scheduler, idleFor: idleTime, received: { received }, receive
    ) {
      pass(reporter, orFail: Route.fallthroughMessage(received))
    }
  }
}
