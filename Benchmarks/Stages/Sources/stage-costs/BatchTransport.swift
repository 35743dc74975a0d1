import Foundation
import Synchronization

@testable import Networking

/// A transport that responds to all pending requests on demand, asynchronously like a network.
final class BatchTransport: Transport {
  private struct Handle: TransportHandle {
    func cancel() {}
    func suspend() {}
    func resume() {}
  }

  private let waiting = Mutex<[@Sendable (TransportEvent) -> Void]>([])
  private let head = HTTPResponseHead(
    status: 200, headers: ["Content-Type": "application/json", "Content-Length": "9"])
  private let body = Data(#"{"id":7}"#.utf8)

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    waiting.withLock { $0.append(receive) }
    return Handle()
  }

  func respondToAll() {
    let waiting = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for receive in waiting {
      receive(.head(head))
      receive(.body(body))
      receive(.end(TransportMetrics()))
    }
  }
}
