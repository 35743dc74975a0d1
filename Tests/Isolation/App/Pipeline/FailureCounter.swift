import Networking
import Synchronization

final class FailureCounter: NetworkMonitor {
  private let failures = Mutex(0)

  var count: Int { failures.withLock { $0 } }

  func observe(_ event: NetworkEvent) {
    if case .failed = event.kind { failures.withLock { $0 += 1 } }
  }
}

func countedClient(_ counter: FailureCounter) -> Networking<BoardsAPI> {
  var configuration = NetworkingConfiguration()
  configuration.monitors = [counter]
  return Networking(configuration: configuration)
}
