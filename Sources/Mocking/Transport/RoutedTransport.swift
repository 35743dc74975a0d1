import Networking
import Promises
import Synchronization

/// Responds from routes in memory.
///
/// A ``MockTransport`` and a ``MockProvider`` with routes share it.
final class RoutedTransport: Sendable {
  /// The routes, or the error in them.
  private let registry: Result<StubRegistry, MockServerError>
  private let player: MockPlayer
  var scheduler: any Scheduler { player.scheduler }
  let journal: RequestJournal
  let scenarios: ScenarioStates
  private let requestCount = Atomic(0)

  init(
    _ routes: [Route], _ player: MockPlayer, _ limits: JournalLimits,
    basePath: @escaping @Sendable () -> String? = { nil }
  ) {
    let registry = Result { () throws(MockServerError) in StubRegistry(try RouteTable(routes)) }
    self.registry = registry
    self.player = player
    journal = RequestJournal(limits: limits, routes: routes, basePath: basePath)
    scenarios = (try? registry.get())?.scenarios ?? ScenarioStates()
  }

  /// Responds to a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - fallback: The transport for requests without a route. `nil` makes them fail.
  ///   - receive: The receiver of the events.
  /// - Returns: A handle for the exchange.
  func start(
    _ request: HTTPRequest, fallback: (any Transport)?, _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    do throws(MockServerError) {
      return find(try registry.get(), request, fallback, receive)
    } catch {
      let ticket = record(request)
      return fail(TransportFailure(code: .mockFailed, detail: "\(error)"), ticket, receive)
    }
  }

  private func find(
    _ registry: StubRegistry, _ request: HTTPRequest, _ fallback: (any Transport)?,
    _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    let outcome = registry.table.find(request.method, request.target)
    if let fallback {
      guard case .routes = outcome else { return pass(request, record(request), fallback, receive) }
    }
    do throws(TransportFailure) {
      let isRouted = if case .routes = outcome { true } else { false }
      var received = try request.received(
        outcome.path, number: requestCount.add(1, ordering: .relaxed).oldValue,
        at: player.scheduler.now,
        discardsBody: isRouted ? outcome.discardsBody : !request.body.isKept)
      switch outcome {
      case .unmatched: break
      case .response(let mock, _):
        let ticket = journal.record(.received(received))
        return respond(request, mock, received, ticket, nil, receive)
      case .routes(let candidates, _):
        guard let entry = registry.choose(among: candidates, for: &received) else { break }
        let ticket = journal.record(.received(received), route: entry.number)
        return invoke(entry.route.handler, request, received, ticket, fallback, receive)
      }
      let ticket = journal.record(.received(received))
      if let fallback { return pass(request, ticket, fallback, receive) }
      return fail(
        TransportFailure(code: .mockFailed, detail: registry.unmatched(received)), ticket, receive)
    } catch {
      return fail(error, record(request), receive)
    }
  }

  private func record(_ request: HTTPRequest) -> JournalTicket {
    journal.record(request.source(at: player.scheduler.now))
  }

  private func fail(
    _ failure: TransportFailure, _ ticket: JournalTicket, _ receive: MockPlayer.Receive
  ) -> any TransportHandle {
    ticket.settle(.failure(failure.code))
    return player.fail(failure, receive)
  }

  private func pass(
    _ request: HTTPRequest, _ ticket: JournalTicket, _ fallback: any Transport,
    _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    ticket.settle(.passedThrough)
    return fallback.start(request, receive)
  }

  private func invoke(
    _ handler: Route.Handler, _ request: HTTPRequest, _ received: ReceivedRequest,
    _ ticket: JournalTicket, _ fallback: (any Transport)?, _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    do {
      switch handler {
      case .mock(let mock): return respond(request, mock, received, ticket, fallback, receive)
      case .immediate(let handler):
        return respond(request, try handler(received), received, ticket, fallback, receive)
      case .promised(let handler):
        // Before the handler has returned a response, only this wrapper sees a failure.
        let watching = ticket.watching(receive)
        let promise = try ActivityExecutor.counting(for: player.scheduler) { try handler(received) }
        let exchange = DeferredExchange(promise, on: scheduler, watching) {
          [self] result, idleTime, receive in
          let mock: Mock
          do {
            mock = try result.get()
          } catch {
            mock = .handlerFailed(error)
          }
          return respond(request, mock, received, ticket, fallback, idleFor: idleTime, receive)
        }
        exchange.wait(atMost: request.idleTimeout)
        return exchange
      }
    } catch {
      return respond(request, .handlerFailed(error), received, ticket, fallback, receive)
    }
  }

  private func respond(
    _ request: HTTPRequest, _ mock: Mock, _ received: ReceivedRequest, _ ticket: JournalTicket,
    _ fallback: (any Transport)?, idleFor idleTime: Duration = .zero,
    _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    player.respond(
      request, by: mock, ticket, idleFor: idleTime, received: { received }, receive
    ) {
      if let fallback { return pass(request, ticket, fallback, receive) }
      return fail(
        TransportFailure(code: .mockFailed, detail: Route.fallthroughMessage(received)), ticket,
        receive)
    }
  }
}
