import Networking
import Promises
import Synchronization

/// Answers from routes, in memory; what a ``MockTransport`` and a ``MockProvider`` of routes share.
final class RoutedTransport: Sendable {
  /// The routes, or why there are none.
  private let table: Result<RouteTable, MockServerError>
  private let player: MockPlayer
  private let requestCount = Atomic(0)

  init(_ routes: [Route], _ player: MockPlayer) {
    table = Result { () throws(MockServerError) in try RouteTable(routes) }
    self.player = player
  }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - fallback: what answers those without a route; nil makes them fail.
  ///   - receive: gets the events.
  /// - Returns: a handle.
  func start(
    _ request: HTTPRequest, fallback: (any Transport)?, _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    do {
      let outcome = try table.get().find(request.method, request.target)
      if let fallback {
        guard case .route = outcome else { return fallback.start(request, receive) }
      }
      let number = requestCount.add(1, ordering: .relaxed).oldValue
      switch outcome {
      case .unmatched(_, let path):
        throw TransportFailure(
          code: .mockFailed, detail: "no route for \(request.method) \(path.text)")
      case .answer(let mock, let path):
        return answer(request, mock, try received(request, path, number), fallback, receive)
      case .route(let route, let path):
        let received = try received(request, path, number, discardsBody: route.discardsBody)
        return ask(route.handler, request, received, fallback, receive)
      }
    } catch let failure as TransportFailure {
      return player.fail(failure, receive)
    } catch {
      return player.fail(TransportFailure(code: .mockFailed, detail: "\(error)"), receive)
    }
  }

  private func received(
    _ request: HTTPRequest, _ path: ReceivedPath, _ number: Int, discardsBody: Bool = false
  ) throws(TransportFailure) -> ReceivedRequest {
    try request.received(
      path, number: number, at: player.scheduler.now, discardsBody: discardsBody)
  }

  private func ask(
    _ handler: Route.Handler, _ request: HTTPRequest, _ received: ReceivedRequest,
    _ fallback: (any Transport)?, _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    do {
      switch handler {
      case .immediate(let handler):
        return answer(request, try handler(received), received, fallback, receive)
      case .promised(let handler):
        let exchange = AwaitedExchange(try handler(received), receive) { [self] result, receive in
          let mock: Mock
          do {
            mock = try result.get()
          } catch {
            mock = .handlerFailed(error)
          }
          return answer(request, mock, received, fallback, receive)
        }
        exchange.wait(atMost: request.idleTimeout, player.scheduler)
        return exchange
      }
    } catch {
      return answer(request, .handlerFailed(error), received, fallback, receive)
    }
  }

  private func answer(
    _ request: HTTPRequest, _ mock: Mock, _ received: ReceivedRequest,
    _ fallback: (any Transport)?, _ receive: @escaping MockPlayer.Receive
  ) -> any TransportHandle {
    player.answer(request, by: mock, received: { received }, receive) {
      if let fallback { return fallback.start(request, receive) }
      return player.fail(
        TransportFailure(code: .mockFailed, detail: Route.fallenThrough(received)), receive)
    }
  }
}
