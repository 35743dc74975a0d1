import CoreMetrics
import Foundation
import MetricsTestKit
import Mocking
import Testing

@testable import CatenaMetrics

struct MetricsMonitorTests {
  private enum OperationKey: RequestAttributeKey {
    static let defaultValue = "none"
  }

  /// A client over mocks with a monitor, in virtual time.
  private struct Fixture {
    let metrics = TestMetrics()
    let client: Networking<Request>

    init(
      _ time: TestScheduler, mode: RequestMode = .async,
      _ configuration: NetworkingConfiguration = .init(),
      dimensions: MetricsMonitor.Dimensions? = nil, @RouteBuilder routes: () -> [Route]
    ) {
      var configuration = configuration
      configuration.monitors = [MetricsMonitor(factory: metrics, dimensions: dimensions)]
      client = Networking<Request>(
        baseURL: URL(string: "https://api.example.com/v1"), mode: mode,
        transport: MockTransport(scheduler: time, routes: routes), configuration: configuration)
      client.callbackContext = .inline
    }

    /// The values of a timer in milliseconds, in all dimensions.
    func milliseconds(_ label: String) -> [Int64] {
      metrics.timers(label: label).flatMap(\.values).map { $0 / 1_000_000 }
    }
  }

  private static let server = [
    ("server.address", "api.example.com"), ("server.port", "443"), ("url.scheme", "https"),
  ]

  @Test func hopHasADurationByMethodServerAndStatus() async throws {
    try await withVirtualTime { time in
      let fixture = Fixture(time) {
        Route(.get, "/boards", .text("ok").delayed(by: .milliseconds(250)))
      }
      let response = fixture.client.request(.get("boards"))
      await time.run()
      #expect(try await response.value.status == 200)
      await fixture.client.flush()
      let timer = try fixture.metrics.expectTimer(
        "http.client.request.duration",
        [("http.request.method", "GET")] + Self.server
          + [("network.protocol.version", "1.1"), ("http.response.status_code", "200")])
      #expect(timer.values == [250_000_000])
      let size = try fixture.metrics.expectRecorder(
        "http.client.response.body.size", [("http.request.method", "GET")] + Self.server)
      #expect(size.values == [2])
    }
  }

  @Test func callHasADurationWithItsRetries() async throws {
    try await withVirtualTime { time in
      var configuration = NetworkingConfiguration()
      configuration.retry = .exponential(initial: .seconds(1), jitter: .none, limit: 1)
      let fixture = Fixture(time, configuration) {
        Route(.get, "/boards", .sequence([.failure(.connectionLost), .text("ok")]))
      }
      let response = fixture.client.request(.get("boards"))
      await time.run()
      _ = try await response.value
      await fixture.client.flush()
      let call = try fixture.metrics.expectTimer(
        "catena.client.call.duration",
        [("http.request.method", "GET"), ("http.response.status_code", "200")])
      #expect(call.values == [1_000_000_000])
      let retries = try fixture.metrics.expectCounter(
        "catena.client.retries", [("error.type", "connectionLost")])
      #expect(retries.totalValue == 1)
      let failed = try fixture.metrics.expectTimer(
        "http.client.request.duration",
        [("http.request.method", "GET")] + Self.server + [("error.type", "connectionLost")])
      #expect(failed.values == [0])
    }
  }

  @Test func queueHasALengthAndAWait() async throws {
    try await withVirtualTime { time in
      let fixture = Fixture(time, mode: .sync) {
        Route(.get, "/boards", .text("ok").delayed(by: .milliseconds(100)))
      }
      for _ in 1...3 { fixture.client.request(.get("boards")) }
      await fixture.client.flush()
      let length = try fixture.metrics.expectMeter("catena.client.queue.length", [])
      let active = try fixture.metrics.expectMeter("http.client.active_requests", Self.server)
      #expect(length.lastValue == 2)
      #expect(active.lastValue == 1)
      await time.run()
      await fixture.client.flush()
      #expect(length.lastValue == 0)
      #expect(active.lastValue == 0)
      #expect(fixture.milliseconds("catena.client.queue.duration") == [0, 100, 200])
    }
  }

  @Test(arguments: [(404, "404"), (503, "503")])
  func statusOfAnErrorIsItsType(status: Int, type: String) async throws {
    try await withVirtualTime { time in
      let fixture = Fixture(time) { Route(.get, "/boards", .status(status)) }
      _ = try await fixture.client.request(.get("boards")).value
      await fixture.client.flush()
      let timer = try #require(fixture.metrics.timers(label: "http.client.request.duration").first)
      #expect(timer.dimensions.contains { $0 == ("error.type", type) })
    }
  }

  @Test func cancelledCallLeavesNoActiveRequest() async throws {
    try await withVirtualTime { time in
      let fixture = Fixture(time) { Route(.get, "/boards", .text("ok").delayed(by: .seconds(9))) }
      let response = fixture.client.request(.get("boards"))
      await time.advance(by: .seconds(1))
      response.cancel()
      await fixture.client.flush()
      let active = try fixture.metrics.expectMeter("http.client.active_requests", Self.server)
      #expect(active.lastValue == 0)
      let call = try fixture.metrics.expectTimer(
        "catena.client.call.duration",
        [("http.request.method", "GET"), ("error.type", "cancelled")])
      #expect(call.values == [1_000_000_000])
    }
  }

  @Test func redirectIsTwoHopsOfOneCall() async throws {
    try await withVirtualTime { time in
      let fixture = Fixture(time) {
        Route(.get, "/old", .redirect(to: "/v1/new").delayed(by: .milliseconds(10)))
        Route(.get, "/new", .text("ok").delayed(by: .milliseconds(20)))
      }
      let response = fixture.client.request(.get("old"))
      await time.run()
      _ = try await response.value
      await fixture.client.flush()
      #expect(fixture.milliseconds("http.client.request.duration").sorted() == [10, 20])
      #expect(fixture.milliseconds("catena.client.call.duration") == [30])
    }
  }

  @Test func cachedResponseIsAHitWithoutAHop() async throws {
    try await withVirtualTime { time in
      var configuration = NetworkingConfiguration()
      configuration.caching.storage = .cache(HTTPCache())
      configuration.caching.includesMocks = true
      let fixture = Fixture(time, configuration) {
        Route(.get, "/boards", .text("ok").header("Cache-Control", "max-age=60"))
      }
      for _ in 1...2 {
        _ = try await fixture.client.request(.get("boards")).value
        await fixture.client.flush()
      }
      let hits = try fixture.metrics.expectCounter(
        "catena.client.cache.hits", [("source", "cache")])
      #expect(hits.totalValue == 1)
      #expect(fixture.milliseconds("http.client.request.duration").count == 1)
    }
  }

  @Test func attributesOfARequestAreDimensions() async throws {
    try await withVirtualTime { time in
      let fixture = Fixture(
        time, dimensions: { [("operation", $0.attributes[OperationKey.self])] },
        routes: { Route(.get, "/boards", .text("ok")) })
      _ = try await fixture.client.request(
        .get("boards"), .attribute(OperationKey.self, "listBoards")
      ).value
      await fixture.client.flush()
      _ = try fixture.metrics.expectTimer(
        "catena.client.call.duration",
        [
          ("http.request.method", "GET"), ("operation", "listBoards"),
          ("http.response.status_code", "200"),
        ])
    }
  }

  @Test func callThatHasEndedIsForgotten() {
    var measurements = CallMeasurements()
    let (first, second) = (NetworkEvent.CallID(), NetworkEvent.CallID())
    for call in [first, second] { _ = measurements.measure(NetworkEvent(.queued, call: call), []) }
    #expect(measurements.activeCalls == 2)
    _ = measurements.measure(NetworkEvent(.cancelled, call: first), [])
    #expect(measurements.activeCalls == 1)
  }

  @Test func connectionTimeIsThatOfItsHop() throws {
    var measurements = CallMeasurements()
    let call = NetworkEvent.CallID()
    var recorded: [CallMeasurement] = []
    for (kind, time) in [
      (NetworkEvent.Kind.sending(headers: [:], bodySize: 0), 500), (.resolved, 510),
      (.connected(.init(isReused: false)), 530), (.secured, 560), (.body(bytes: 0), 700),
    ] {
      recorded += measurements.measure(
        NetworkEvent(kind, call: call, elapsed: .milliseconds(time)), [])
    }
    let duration = try #require(recorded.first { $0.label == "catena.client.connection.duration" })
    #expect("\(duration.value)" == "\(CallMeasurement.Value.duration(.milliseconds(60)))")
  }

  @Test func unknownMethodsAreOneValue() async throws {
    try await withVirtualTime { time in
      let fixture = Fixture(time) { Route(nil, "/boards", .text("ok")) }
      _ = try await fixture.client.request(Request(HTTPMethod(rawValue: "BREW"), "boards")).value
      await fixture.client.flush()
      let timer = try #require(fixture.metrics.timers(label: "catena.client.call.duration").first)
      #expect(timer.dimensions.contains { $0 == ("http.request.method", "_OTHER") })
    }
  }

  @Test func connectionsOfAServerAreNewAndReused() async throws {
    let metrics = TestMetrics()
    let server = try MockServer { Route(.get, "/boards", .text("ok")) }
    var configuration = NetworkingConfiguration()
    configuration.monitors = [MetricsMonitor(factory: metrics)]
    let client = Networking<Request>(baseURL: server.url, configuration: configuration)
    for _ in 1...3 { _ = try await client.request(.get("boards")).value }
    await client.flush()
    let uses = metrics.counters(label: "catena.client.connections")
    let totals = uses.map { counter in
      (counter.dimensions.first { $0.0 == "reused" }?.1 ?? "", counter.totalValue)
    }
    #expect(totals.first { $0.0 == "false" }?.1 == 1)
    #expect(totals.first { $0.0 == "true" }?.1 == 2)
    #expect(metrics.timers(label: "catena.client.connection.duration").first?.values.count == 1)
  }
}
