import Foundation
import Networking
import Synchronization

extension Tape {
  /// What was recorded in answer to a request, by its method, path and query; a 404 that names the
  /// nearest one where it was not.
  func mock(for request: ReceivedRequest) -> Mock {
    guard let url = URL(string: "http://127.0.0.1" + request.target) else {
      return .text("the target is no URL\n", status: 400)
    }
    // What is replayed comes before `start` returns.
    let events = Mutex<[TransportEvent]>([])
    _ = start(HTTPRequest(method: request.method, url: url)) { event in
      events.withLock { $0.append(event) }
    }
    return Mock(to: request.method, events.withLock { $0 }) { failure in
      failure.code == .mockFailed
        ? .text("\(failure.detail)\n", status: 404) : .failure(failure.code)
    }
  }
}
