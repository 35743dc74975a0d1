import Dispatch
import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@testable import NetworkingTracing

/// The traces of single calls, which a client with tracing records.
@Suite(.gated)
struct SampledTracingTests {
  @Test func theSameSeedMakesTheSameDecisions() async throws {
    func decisions(_ share: Double, seed: UInt64) async throws -> [Bool] {
      let world = TracedClient(share: share, seed: seed)
      for _ in 1...60 { _ = try await world.client.request(.get("a")).value }
      await world.tracing.flush()
      #expect(world.traces.entries.count == world.parents.count { $0?.isSampled == true })
      return world.parents.map { $0?.isSampled == true }
    }
    let half = try await decisions(0.5, seed: 7)
    #expect(try await decisions(0.5, seed: 7) == half)
    #expect(try await decisions(0.5, seed: 8) != half)
    #expect((15...45).contains(half.count { $0 }))
    #expect(try await decisions(1, seed: 7).allSatisfy { $0 })
    #expect(try await decisions(0, seed: 7).allSatisfy { !$0 })
    #expect(try await decisions(.nan, seed: 7).allSatisfy { !$0 })
  }

  @Test func theLowerHalfOfTheIdentifierDecides() throws {
    var generator = SeededGenerator(seed: 3)
    var cases: [JSON] = []
    for share in [0, 0.001, 0.1, 0.25, 1 / 3, 0.5, 0.999, 1] as [Double] {
      let rule = SamplingRule(share)
      for _ in 0..<200 {
        let id = TraceID(high: generator.next(), low: generator.next())
        cases.append([
          "share": .double(share), "id": .string("\(id)"), "sampled": .bool(rule.includes(id)),
        ])
      }
      let lowest = TraceID(high: .max, low: 0)
      #expect(rule.includes(lowest) == (share > 0))
      #expect(rule.includes(TraceID(high: 1, low: .max)) == (share == 1))
    }
    #expect(!SamplingRule(-1).includes(TraceID(high: 1, low: 0)))
    #expect(SamplingRule(2).includes(TraceID(high: 1, low: .max)))
    // The comparison `tracing` of Tests/Differential makes the same decisions.
    if let folder = ProcessInfo.processInfo.environment["CATENA_TRACES"] {
      try JSON.array(cases).data()
        .write(to: URL(fileURLWithPath: folder).appendingPathComponent("sampling.json"))
    }
  }

  @Test func aTraceHasTheNameOfTheEndpoint() async throws {
    let world = TracedClient()
    let id = "7/8"
    _ = try await world.client.request(.get("boards/\(id)/cards?page=\(1)")).value
    _ = try await world.client.request(.get(RequestPath(raw: "boards/9"))).value
    await world.tracing.flush()
    let names = world.traces.entries.map(\.name)
    #expect(names == ["GET /v1/boards/{}/cards", "GET boards/9"])
    #expect(world.traces.entries.map { $0.hops[0].template } == ["/v1/boards/{}/cards", nil])
    #expect(world.traces.entries[0].spans[0].name == "GET boards/7%2F8/cards?page=1")
  }

  @Test func theEndingOfATraceIsThatOfItsCall() async throws {
    try await withVirtualTime { time in
      try await time.run {
        let world = TracedClient([
          Route(.get, "/v1/ok", .text("ok").delayed(by: .milliseconds(30))),
          Route(.get, "/v1/lost", .failure(.connectionLost)),
          Route(.get, "/v1/slow", .text("ok").delayed(by: .seconds(60))),
        ])
        _ = try await world.client.request(.get("ok")).value
        _ = await world.client.request(.get("lost")).result
        let slow = world.client.request(.get("slow"))
        _ = world.client.request(.get("slow"), .timeout(.seconds(1)))
        try await time.sleep(for: .seconds(2))
        slow.cancel()
        await world.tracing.flush()
        let records = world.traces.entries
        #expect(records.map(\.ending).prefix(2) == [.finished, .failed("connectionLost")])
        #expect(records.dropFirst(2).map(\.ending) == [.failed("timedOut.call"), .cancelled])
        #expect(records.map(\.elapsed) == [.milliseconds(30), .zero, .seconds(1), .seconds(2)])
        #expect(records[1].hops.map(\.errorType) == ["connectionLost"])
        #expect(records[0].summary == "30 ms: 100 % server")
      }
    }
  }

  @Test func callsInHandlersAreTracesOfTheirOwn() async throws {
    let world = TracedClient()
    // The steps of promises are kept from the first trace of a process on.
    await Trace("other").run {}
    let client = world.client
    _ = try await client.request(.get("a")).then(on: .inline) { _ in client.request(.get("b")) }
      .then(on: .inline) { _ in client.request(.get("c")) }.value
    await world.tracing.flush()
    #expect(world.traces.entries.map { $0.spans.count } == [1, 1, 1])
    #expect(Set(world.traces.entries.map(\.id)).count == 3)
    #expect(Set(world.parents.map { $0?.traceID }) == Set(world.traces.entries.map(\.id)))
  }

  @Test func aSlowReceiverDelaysNoCallAndLosesCountedTraces() async throws {
    let (began, gate) = (Log<Void>(), DispatchSemaphore(value: 0))
    let world = TracedClient(
      pendingLimit: 2,
      onTrace: { _ in
        began.append(())
        gate.wait()
      })
    _ = try await world.client.request(.get("a")).value
    _ = await began.entries(1)
    for _ in 1...5 { _ = try await world.client.request(.get("a")).value }
    #expect(world.tracing.droppedCount == 3)
    for _ in 1...3 { gate.signal() }
    await world.tracing.flush()
    #expect(world.traces.entries.count == 3)
    #expect(world.tracing.droppedCount == 3)
  }

  @MainActor @Test func aClosureInTheCodeOfAnActorRunsThere() async throws {
    var names: [String] = []
    let tracing = CallTracing.sampled(1) { record in
      MainActor.assertIsolated()
      names.append(record.name)
    }
    var configuration = NetworkingConfiguration()
    configuration.tracing = tracing
    let client = Networking<Request>(
      baseURL: URL(string: "http://api.test"),
      transport: MockTransport(routes: [Route(nil, "/{path*}", .text("ok"))]),
      configuration: configuration)
    _ = try await client.request(.get("a")).value
    await tracing.flush()
    #expect(names == ["GET /a"])
  }

  /// A bridge to another tracing system, whose current span is a value of the task.
  private struct Bridge: TraceReceiver {
    @TaskLocal static var span: TraceParent?
    let records = Log<TraceRecord>()

    var parent: TraceParent? { Self.span }
    func receive(_ record: TraceRecord) { records.append(record) }
  }

  @Test func aCallContinuesTheSpanOfAnotherTracingSystem() async throws {
    let bridge = Bridge()
    let server = MockTransport(routes: [Route(nil, "/{path*}", .text("ok"))])
    var configuration = NetworkingConfiguration()
    let tracing = CallTracing.sampled(0, to: bridge)
    configuration.tracing = tracing
    configuration.retry = .immediate(limit: 1)
    let client = Networking<Request>(
      baseURL: URL(string: "http://api.test"), transport: server, configuration: configuration)
    let span = TraceParent(traceID: TraceID(), spanID: SpanID(), state: "vendor=1")
    let unsampled = TraceParent(
      traceID: TraceID(), spanID: SpanID(), isSampled: false, state: "vendor=2")
    for parent in [span, unsampled] {
      try await Bridge.$span.withValue(parent) { _ = try await client.request(.get("a")).value }
    }
    _ = try await client.request(.get("b")).value
    await tracing.flush()
    let sent = server.journal.entries.compactMap { TraceParent($0.request.headers) }
    #expect(sent.map(\.traceID).prefix(2) == [span.traceID, unsampled.traceID])
    #expect(sent.map(\.isSampled) == [true, false, false])
    #expect(sent.map(\.state) == ["vendor=1", "vendor=2", nil])
    let records = bridge.records.entries
    #expect(records.map(\.id) == [span.traceID])
    #expect(records.first?.parent == span)
    #expect(records.first?.hops.map(\.spanID) == [sent.first?.spanID])
  }

  @Test func noSecretIsInATrace() async throws {
    let canary = "CaNaRy-7f3"
    let world = TracedClient([
      Route(.get, "/v1/fail", .json(["token": .string(canary)], status: 500)),
      Route(nil, "/{path*}", .failure(.connectionLost)),
    ]) {
      $0.headers["Authorization"] = "Bearer \(canary)"
      $0.headers["X-Tenant"] = canary
      $0.secretNames = ["X-Tenant", "iban"]
    }
    let paths: [RequestPath] = [
      "fail?access_token=\(canary)&iban=\(canary)", "lost?password=\(canary)",
      "http://ada:\(raw: canary)@api.test/v1/fail",
    ]
    for path in paths {
      _ = await world.client.request(.get(path, headers: ["Cookie": "session=\(canary)"])).result
    }
    await world.tracing.flush()
    #expect(world.traces.entries.count == paths.count)
    for record in world.traces.entries {
      for format in TraceFormat.allCases {
        let text = String(decoding: try record.data(as: format), as: UTF8.self)
        #expect(!text.contains(canary), "\(format): \(text)")
      }
      #expect(!"\(record)".contains(canary))
    }
  }
}
