import Networking
import Synchronization
import TestSupport

/// A server, or the way to it, in the mood that a test has set.
final class MoodyServer: Sendable {
  enum Mood: Sendable {
    case answers(Int)
    case fails(NetworkError.Code)
    /// Nothing comes until the request is cancelled.
    case isSilent
  }

  private final class State: Sendable {
    let mood: Mutex<Mood>

    init(_ mood: Mood) {
      self.mood = Mutex(mood)
    }
  }

  private let state: State
  let transport: FakeTransport

  init(_ mood: Mood = .fails(.notConnectedToInternet)) {
    let state = State(mood)
    self.state = state
    transport = FakeTransport { _ in
      switch state.mood.withLock({ $0 }) {
      case .answers(let status): .response(status)
      case .fails(let code): [.failure(TransportFailure(code: code))]
      case .isSilent: []
      }
    }
  }

  var mood: Mood {
    get { state.mood.withLock { $0 } }
    set { state.mood.withLock { $0 = newValue } }
  }

  /// What was asked for, in order.
  var requests: [HTTPRequest] { transport.requests }

  /// The paths of what was asked for, in order.
  var paths: [String] { requests.map(\.url.path) }
}
