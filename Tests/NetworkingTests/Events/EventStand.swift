import Foundation
import Mocking
import Networking
import Promises
import TestSupport

/// A client of mocks on virtual time, and a monitor that keeps what it is told.
struct EventStand {
  let time = TestScheduler()
  let monitor = RecordingMonitor()

  /// A client of routes.
  func client(
    mode: RequestMode = .async, _ configure: (inout NetworkingConfiguration) -> Void = { _ in },
    @RouteBuilder routes: () -> [Route]
  ) -> Networking<Request> {
    client(mode: mode, over: MockTransport(routes: routes(), scheduler: time), configure)
  }

  /// A client of a transport, or of none that answers.
  func client(
    mode: RequestMode = .async, over transport: any Transport = MockTransport(routes: []),
    _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration.plain
    configuration.headers = [:]
    configuration.scheduler = time
    configuration.monitors = [monitor]
    configure(&configuration)
    let client = Networking<Request>(
      mode: mode, transport: transport, configuration: configuration)
    client.setBaseURL(URL(string: "https://api.example.com/"))
    client.callbackContext = .inline
    return client
  }

  /// A whole mocked hop.
  static func hop(
    _ numbers: String, _ status: Int, bytes: Int = 0, from start: Double = 0, to end: Double? = nil
  ) -> [String] {
    let end = end ?? start
    return [
      "\(numbers) \(start) sending", "\(numbers) \(start) served by mock",
      "\(numbers) \(start) request sent", "\(numbers) \(end) head \(status)",
      "\(numbers) \(end) body of \(bytes) bytes",
    ]
  }

  /// What comes before the first hop.
  static let begun = ["0.0 0.0 queued", "0.0 0.0 started"]
}
