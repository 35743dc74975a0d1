import Mocking
import Synchronization

/// Counts how many mocked requests are under way at once, where a server would count them.
///
/// It stands between the client and the provider, and looks on.
final class Gauge: TransportProvider {
  private struct Counts {
    var now = 0
    var most = 0
  }

  private let provider: MockProvider<BoardsAPI>
  private let counts = Mutex(Counts())

  init(_ provider: MockProvider<BoardsAPI>) {
    self.provider = provider
  }

  /// The most at once since ``beginCounting()``.
  var mostAtOnce: Int { counts.withLock { $0.most } }

  func beginCounting() { counts.withLock { $0 = Counts() } }

  func transport(for endpoint: BoardsAPI, real: any Transport) -> (any Transport)? {
    provider.transport(for: endpoint, real: real).map {
      GaugedTransport(transport: $0, gauge: self)
    }
  }

  private func began() {
    counts.withLock { counts in
      counts.now += 1
      counts.most = max(counts.most, counts.now)
    }
  }

  private func ended() { counts.withLock { $0.now -= 1 } }

  private struct GaugedTransport: Transport {
    let transport: any Transport
    let gauge: Gauge

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportHandle {
      gauge.began()
      return transport.start(request) { event in
        switch event {
        case .end, .failure: gauge.ended()
        case .connected, .servedLocally, .sent, .head, .body: break
        }
        receive(event)
      }
    }
  }
}
