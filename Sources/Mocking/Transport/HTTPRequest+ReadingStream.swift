import Foundation
import Networking
import Promises

extension HTTPRequest {
  /// Starts an exchange of this request, with a body that is a stream read into memory before.
  ///
  /// - Parameters:
  ///   - scheduler: waits for the stream while it can go on.
  ///   - receive: gets the events.
  ///   - start: starts the exchange of the request with its body.
  /// - Returns: a handle on all of it; cancelling it ends the reading.
  func readingStream(
    on scheduler: any Scheduler = .live, _ receive: @escaping MockPlayer.Receive,
    _ start: @escaping @Sendable (HTTPRequest, @escaping MockPlayer.Receive) -> any TransportHandle
  ) -> any TransportHandle {
    guard case .stream = body else { return start(self, receive) }
    let body = ActivityExecutor.counting(for: scheduler) {
      Promise { try await withBodyInMemory() }
    }
    let exchange = AwaitedExchange(body, on: scheduler, receive) {
      result, _, receive in
      switch result {
      case .success(let request): return start(request, receive)
      case .failure(let error):
        receive(
          .failure(
            error as? TransportFailure
              ?? TransportFailure(code: .encodingFailed, detail: "The body cannot be read")))
        return FinishedExchange()
      }
    }
    exchange.wait(atMost: nil)
    return exchange
  }

  private func withBodyInMemory() async throws -> HTTPRequest {
    let reader = try BodyReader(body)
    var data = Data()
    while let bytes = try await reader.next(upTo: 1 << 20) { data += bytes }
    var request = self
    request.body = .data(data)
    return request
  }
}
