import Promises
import Synchronization
import TestSupport

@testable import Networking

/// A transport that answers when a test says so, the oldest request first.
final class GatedTransport: Transport {
  private struct State {
    var tokens: [String] = []
    var waiting: [@Sendable (TransportEvent) -> Void] = []
  }

  private let state = Mutex(State())
  let cancelled = Counter()

  /// The `Authorization` fields of what was sent, in order.
  var tokens: [String] { state.withLock { $0.tokens } }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    state.withLock { state in
      state.tokens.append(request.headers["Authorization"] ?? "none")
      state.waiting.append(receive)
    }
    return Handle(cancelled: cancelled)
  }

  /// Answers the oldest request that has no answer.
  func answer(_ status: Int) {
    let receive = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    for event in [TransportEvent].response(status) { receive?(event) }
  }

  private struct Handle: TransportHandle {
    let cancelled: Counter

    func cancel() { cancelled.add() }
    func suspend() {}
    func resume() {}
  }
}
