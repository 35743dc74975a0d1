import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// The configuration of clients that are made without one.
@Suite(.gated)
struct DefaultConfigurationTests {
  #if os(Linux) || os(macOS)
    /// Runs in a separate process, because the configuration belongs to the whole process.
    @Test func theDefaultAppliesToClientsThatAreMadeAfterwards() async {
      await #expect(processExitsWith: .success) {
        let transport = FakeTransport { _ in .response(200) }
        let log = Log<String>()
        let monitor = RecordingMonitor()
        let early = Networking<Request>(transport: transport)
        NetworkingConfiguration.default.headers = ["X-Client": "app"]
        NetworkingConfiguration.default.monitors.append(monitor)
        NetworkingConfiguration.default.logging = LoggingConfiguration(
          .info, to: ClosureLogger { log.append($0.category.rawValue) })
        let late = Networking<Request>(transport: transport)
        for client in [early, late] {
          client.callbackContext = .inline
          _ = try await client.request(.get("https://a.example/x")).value
        }
        #expect(await monitor.events(ofCalls: 1).byCall.count == 1)
        #expect(await log.entries(2) == ["request", "response"])
        #expect(early.logLevel == .none && late.logLevel == .info)
        #expect(transport.requests.map { $0.headers["X-Client"] } == [nil, "app"])
        #expect(NetworkingConfiguration().monitors.isEmpty)
      }
    }

    @Test func aChangeThatTheSharedClientIgnoresIsReportedOnce() async {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) {
        NetworkingConfiguration.default.headers = ["X-Client": "early"]
        _ = Networking.shared
        NetworkingConfiguration.default.headers = ["X-Client": "late"]
        NetworkingConfiguration.default.callTimeout = .seconds(1)
        #expect(NetworkingConfiguration.default.headers["X-Client"] == "late")
      }
      let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        .split(separator: "\n").filter { $0.contains("NetworkingConfiguration.default") }
      #expect(lines.count == 1)
      #expect(lines.first?.hasPrefix("warning: ") == true)
    }

    /// The first client of a process may be made in a scope of virtual time.
    @Test func theDefaultHasTheClockOfTheSystemAfterItsFirstUseInVirtualTime() async {
      await #expect(processExitsWith: .success) {
        await withVirtualTime { time in
          _ = NetworkingConfiguration.default
          await time.advance(by: .seconds(86_400))
        }
        #expect(NetworkingConfiguration.default.wallClock() < Date() + 3_600)
      }
    }
  #endif

  @Test func allConfigurationsOfAVirtualTimeHaveOneClock() async {
    let made = NetworkingConfiguration()
    await withVirtualTime { time in
      let early = [made, .default].map(\.wallClock)
      let start = early.map { $0() }
      await time.advance(by: .seconds(86_400))
      let late = [made, .default, NetworkingConfiguration()].map(\.wallClock)
      #expect(Set(start).count == 1)
      #expect(Set((early + late).map { $0() }) == [start[0] + 86_400])
    }
  }
}
