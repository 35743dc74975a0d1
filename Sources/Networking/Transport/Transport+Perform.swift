import Foundation
import Promises
import Synchronization

extension Transport {
  /// Performs an exchange and gathers its events into a response in memory.
  ///
  /// - Parameter request: what to send.
  /// - Returns: a promise on the inline context, settled on the transport's thread; cancelling it, or the
  ///   departure of its last consumer, cancels the exchange.
  func perform(_ request: HTTPRequest) -> NetworkPromise {
    let (promise, resolver) = NetworkPromise.pending()
    let gathering = Gathering(request, resolver)
    let handle = start(request) { gathering.receive($0) }
    resolver.onCancel { handle.cancel() }
    return promise.on(.inline)
  }
}

/// The events of one exchange, until they make a response.
private final class Gathering: Sendable {
  private struct State {
    var head: HTTPResponseHead?
    var data = Data()
  }

  private let request: HTTPRequest
  private let resolver: Resolver<Response>
  private let state = Mutex(State())

  init(_ request: HTTPRequest, _ resolver: Resolver<Response>) {
    self.request = request
    self.resolver = resolver
  }

  func receive(_ event: TransportEvent) {
    switch event {
    case .sent: break
    case .head(let head): state.withLock { $0.head = head }
    case .body(let bytes):
      // The first piece, which mostly is the only one, is kept as it is.
      state.withLock { state in
        if state.data.isEmpty { state.data = bytes } else { state.data.append(bytes) }
      }
    case .end(let metrics): end(metrics)
    case .failure(let failure): fail(failure)
    }
  }

  private func end(_ metrics: TransportMetrics) {
    let (head, data) = state.withLock { ($0.head, $0.data) }
    guard let head else {
      return resolver.reject(
        NetworkError(TransportFailure(code: .malformedResponse, metrics: metrics), of: request))
    }
    resolver.fulfill(Response(head: head, data: data, request: request, metrics: metrics))
  }

  private func fail(_ failure: TransportFailure) {
    let (head, data) = state.withLock { ($0.head, $0.data) }
    let response = head.map {
      Response(head: $0, data: data, request: request, metrics: failure.metrics)
    }
    resolver.reject(NetworkError(failure, of: request, response: response))
  }
}
