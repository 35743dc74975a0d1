import CatenaSystem
import Foundation
import Mocking
import Networking
import Promises
import TestSupport

/// A fake server or network whose behavior a test can switch.
final class SwitchableServer: Sendable {
  enum Behavior: Sendable {
    case responds(Int)
    case fails(NetworkError.Code)
    /// Sends no response; requests stay open until they are cancelled.
    case stalls
  }

  private final class State: Sendable {
    let behavior: Mutex<Behavior>

    init(_ behavior: Behavior) {
      self.behavior = Mutex(behavior)
    }
  }

  private let state: State
  let transport: FakeTransport

  init(_ behavior: Behavior = .fails(.notConnectedToInternet)) {
    let state = State(behavior)
    self.state = state
    transport = FakeTransport { _ in
      switch state.behavior.withLock({ $0 }) {
      case .responds(let status): .response(status)
      case .fails(let code): [.failure(TransportFailure(code: code))]
      case .stalls: []
      }
    }
  }

  var behavior: Behavior {
    get { state.behavior.withLock { $0 } }
    set { state.behavior.withLock { $0 = newValue } }
  }

  /// The received requests, in order.
  var requests: [HTTPRequest] { transport.requests }

  /// The paths of the received requests, in order.
  var paths: [String] { requests.map(\.url.path) }
}

/// An API of notes whose write requests are stored offline.
enum NotesAPI: RequestConvertible {
  case add(String)
  case put(Int, key: String = "")
  case list

  static let baseURL: URL? = URL(string: "https://api.example.com/v1/")
  static let headers: HTTPHeaders = ["Accept": "text/plain", "X-Api-Key": "s3cret"]

  var request: Request {
    switch self {
    case .add(let text): .post("notes", parameters: ["text": .string(text)], .storedOffline)
    case .put(let number, let key): .put("notes/\(number)", .store(.offline, key: key))
    case .list: .get("notes")
    }
  }
}

extension NetworkingConfiguration {
  /// Returns a configuration with a temporary offline store and a mocked network.
  static func offline(
    _ network: MockReachability, _ scheduler: some Scheduler
  ) -> NetworkingConfiguration {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.offline = .temporary
    configuration.reachability = NetworkReachability(monitor: network)
    configuration.scheduler = scheduler
    return configuration
  }
}
