import CatenaSystem
import Networking

/// The events of a response that is received completely.
final class WholeResponse: Sendable {
  enum Result {
    case complete([TransportEvent])
    case tooLarge
  }

  private let limit: Int
  private let state = Mutex((events: [TransportEvent](), byteCount: 0))

  init(limit: Int) { self.limit = limit }

  /// Adds an event, and returns the result when it is known.
  func add(_ event: TransportEvent) -> Result? {
    state.withLock { state in
      guard state.byteCount <= limit else { return nil }
      state.events.append(event)
      switch event {
      case .body(let data):
        state.byteCount += data.count
        guard state.byteCount > limit else { return nil }
        state.events = []
        return .tooLarge
      case .end, .failure: return .complete(state.events)
      default: return nil
      }
    }
  }
}
