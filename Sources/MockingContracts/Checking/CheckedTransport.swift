import CatenaSystem
import Foundation
import Networking

/// A transport whose exchanges are checked by a monitor.
struct CheckedTransport: Transport {
  private let transport: any Transport
  private let monitor: ContractMonitor

  init(_ transport: any Transport, _ monitor: ContractMonitor) {
    self.transport = transport
    self.monitor = monitor
  }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    let collected = CollectedResponse()
    return transport.start(request) { [monitor] event in
      if let response = collected.add(event) {
        monitor.check { CheckedExchange(request, response.head, response.body) }
      }
      receive(event)
    }
  }
}

/// The parts of a response that have arrived.
private final class CollectedResponse: Sendable {
  private struct State {
    var head: HTTPResponseHead?
    /// `nil` if it is too large.
    var body: Data? = Data()
  }

  private let state = Mutex(State())

  /// Adds an event.
  ///
  /// - Returns: The response at its end. `nil` before it, and after a failure.
  func add(_ event: TransportEvent) -> (head: HTTPResponseHead, body: Data?)? {
    state.withLock { state in
      switch event {
      case .head(let head): state.head = head
      case .body(let data):
        if let count = state.body?.count, count + data.count <= CheckedExchange.bodyLimit {
          state.body?.append(data)
        } else {
          state.body = nil
        }
      case .end: return state.head.map { ($0, state.body) }
      default: break
      }
      return nil
    }
  }
}
