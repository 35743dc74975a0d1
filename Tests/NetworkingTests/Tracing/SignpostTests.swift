import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@testable import NetworkingTracing

/// The signposts of calls.
@Suite(.gated)
struct SignpostTests {
  private struct Direct: ImmediateMonitor {
    let kinds = Log<NetworkEvent.Kind>()

    func observe(_ event: NetworkEvent) { kinds.append(event.kind) }
  }

  @Test func anImmediateMonitorReceivesEachEventAtItsTime() async {
    let client = Networking<Request>(
      baseURL: URL(string: "http://api.test/v1"),
      transport: MockTransport(routes: [Route(.get, "/v1/a", .text("ok").delayed(by: .seconds(60)))]
      ))
    let monitor = Direct()
    client.addMonitor(monitor)
    let call = client.request(.get("a"))
    #expect(monitor.kinds.entries.first == .queued)
    call.cancel()
    #expect(monitor.kinds.entries.last == .cancelled)
  }

  @Test func aCallIsAnIntervalWithItsStepsAndWithoutSecrets() async throws {
    let server = MockTransport(routes: [
      Route(.get, "/v1/a", .sequence(.status(503), .text("ok"))),
      Route(.get, "/v1/b", .failure(.connectionLost)),
    ])
    let events = Log<NetworkEvent>()
    var configuration = NetworkingConfiguration()
    configuration.retry = .immediate(limit: 1)
    configuration.monitors = [SignpostMonitor(subsystem: "com.example.boards")]
    let client = Networking<Request>(
      baseURL: URL(string: "http://api.test/v1"), transport: server, configuration: configuration)
    client.addMonitor { events.append($0) }
    _ = try await client.request(.get("a?token=CaNaRy")).value
    _ = await client.request(.get("b?token=CaNaRy"), .retry(.never)).result
    await client.flush()
    let signposts = events.entries.compactMap { Signpost($0) }
    #expect(
      signposts.map(\.phase) == [.begin, .step, .step, .step, .end, .begin, .step, .end])
    #expect(Set(signposts.map(\.id)).count == 2)
    #expect(signposts[0].text == "GET a?token=***")
    #expect(signposts[1].text == "attempt 1, hop 1: GET http://api.test/v1/a?token=***")
    #expect(signposts[4].text == "200")
    #expect(signposts[7].text.hasPrefix("failed: the connection was lost"))
    #expect(!signposts.contains { $0.text.contains("CaNaRy") })
  }
}
