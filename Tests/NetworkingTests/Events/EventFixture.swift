import Foundation
import Mocking
import Networking
import Promises
import TestSupport

/// A factory of mocked clients in virtual time, with a recording monitor.
struct EventFixture {
  let time = TestScheduler()
  let monitor = RecordingMonitor()

  /// Returns a client of mock routes.
  func client(
    mode: RequestMode = .async, _ configure: (inout NetworkingConfiguration) -> Void = { _ in },
    @RouteBuilder routes: () -> [Route]
  ) -> Networking<Request> {
    client(mode: mode, over: MockTransport(routes: routes(), scheduler: time), configure)
  }

  /// Returns a client of a transport.
  ///
  /// By default no request has a route.
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
    client.baseURL = URL(string: "https://api.example.com/")
    client.callbackContext = .inline
    return client
  }

  /// Returns the events of a complete mocked hop.
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

  /// The events before the first hop.
  static let begun = ["0.0 0.0 queued", "0.0 0.0 started"]
}
