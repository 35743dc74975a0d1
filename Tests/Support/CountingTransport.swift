import Networking
import Synchronization

/// A transport that counts what is left of the exchanges of another.
package final class CountingTransport: Transport {
  private struct Handle: Sendable {
    // `nonisolated(unsafe)` because the runtime makes weak references safe, and nobody sets it again.
    nonisolated(unsafe) weak var exchange: AnyObject?
  }

  private let transport: any Transport
  private let receivers = LiveCount()
  private let handles = Mutex<[Handle]>([])
  /// The targets of the requests that were answered by a head, in order.
  package let heads = Log<String>()

  package init(_ transport: any Transport) {
    self.transport = transport
  }

  /// How many exchanges, or closures that take their events, are alive.
  package var alive: Int {
    receivers.alive + handles.withLock { $0.count { $0.exchange != nil } }
  }

  package func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    let token = receivers.token()
    let path = request.url.path
    let handle = transport.start(request) { [heads] event in
      withExtendedLifetime(token) { receive(event) }
      if case .head = event { heads.append(path) }
    }
    handles.withLock { $0.append(Handle(exchange: handle as AnyObject)) }
    return handle
  }
}
