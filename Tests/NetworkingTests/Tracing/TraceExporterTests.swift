import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@testable import NetworkingTracing

/// The export of traces over HTTP.
@Suite(.gated)
struct TraceExporterTests {
  private static let collector = URL.of("http://collector.test:4318/otlp")

  /// A trace with one call, which is exported as three spans.
  private func record(_ name: String = "trace", parent: TraceParent? = nil) -> TraceRecord {
    let hop = TraceCall.Hop(
      start: .zero, end: .milliseconds(10), method: "GET", url: "http://api.test/v1/boards/7",
      template: "boards/{}", status: 200, httpVersion: "2", address: "192.0.2.1", port: 80)
    let span = TraceSpan(
      id: 1, kind: .call(TraceCall(hops: [hop])), name: "GET boards/7", start: .zero,
      end: .milliseconds(10))
    return TraceRecord(
      name: name, id: parent?.traceID ?? TraceID(), elapsed: .milliseconds(10), spans: [span],
      parent: parent)
  }

  private func exporter(
    _ server: MockTransport, _ change: (inout TraceExporter.Limits) -> Void = { _ in },
    configuration: NetworkingConfiguration = NetworkingConfiguration()
  ) -> TraceExporter {
    var limits = TraceExporter.Limits()
    change(&limits)
    return TraceExporter(
      to: Self.collector, over: server, service: "boards", limits, configuration)
  }

  private func server(_ mocks: Mock...) -> MockTransport {
    MockTransport(routes: [Route(.post, "/otlp/v1/traces", .sequence(mocks))])
  }

  private func names(_ entry: JournalEntry) -> [String] {
    let scope = entry.request.json["resourceSpans"][0]["scopeSpans"][0]
    return scope["spans"].array?.compactMap { $0["name"].string } ?? []
  }

  @Test func aBatchHasTheTracesOfItsDelay() async throws {
    try await withVirtualTime { time in
      try await time.run {
        let server = server(.json([:]))
        let exporter = exporter(server)
        exporter.receive(record("one"))
        try await time.sleep(for: .seconds(4))
        exporter.receive(record("two"))
        #expect(server.journal.count == 0 && exporter.counts.waiting == 6)
        try await time.sleep(for: .seconds(2))
        let entry = try #require(server.journal.entries.first)
        #expect(
          names(entry) == [
            "one", "GET boards/{}", "GET boards/{}", "two", "GET boards/{}", "GET boards/{}",
          ])
        #expect(entry.request.headers["Content-Type"] == "application/json")
        #expect(entry.request.headers["traceparent"] == nil)
        let resource = entry.request.json["resourceSpans"][0]["resource"]["attributes"]
        #expect(
          resource.array?.contains(["key": "service.name", "value": ["stringValue": "boards"]])
            == true)
        #expect(exporter.counts.exported == 6 && exporter.counts.waiting == 0)
        exporter.receive(record("three"))
        try await time.sleep(for: .seconds(6))
        #expect(server.journal.entries.map(names).last?.first == "three")
      }
    }
  }

  @Test(arguments: [429, 502, 503, 504])
  func aBatchIsSentAgainAfterTheTimeOfTheResponse(status: Int) async throws {
    try await withVirtualTime { time in
      try await time.run {
        let server = server(.status(status).header("Retry-After", "17"), .json([:]))
        let exporter = exporter(server)
        exporter.receive(record())
        await exporter.flush()
        let times = server.journal.entries.map(\.request.time)
        #expect(times.count == 2 && times[1] - times[0] == .seconds(17))
        #expect(exporter.counts.exported == 3 && exporter.counts.failed == 0)
      }
    }
  }

  @Test(arguments: [400, 401, 404, 500, 302])
  func arefusedBatchIsCountedAndNotRepeated(status: Int) async throws {
    try await withVirtualTime { time in
      try await time.run {
        let server = server(.status(status).header("Location", "http://evil.test/"), .json([:]))
        let exporter = exporter(server)
        exporter.receive(record())
        await exporter.flush()
        #expect(server.journal.count == 1)
        #expect(exporter.counts.failed == 3 && exporter.counts.waiting == 0)
        #expect(exporter.counts.lastFailure?.contains("\(status)") == true)
        exporter.receive(record())
        await exporter.flush()
        #expect(exporter.counts.exported == 3)
      }
    }
  }

  @Test func aCollectorThatIsAwayLosesCountedSpansOnly() async throws {
    try await withVirtualTime { time in
      try await time.run {
        let server = server(.failure(.cannotConnect))
        let exporter = exporter(server) {
          $0.queueSize = 7
          $0.batchSize = 3
        }
        for _ in 1...10 { exporter.receive(record()) }
        // The first is on its way, two wait.
        #expect(exporter.counts.dropped == 21 && exporter.counts.waiting == 9)
        await exporter.flush()
        #expect(exporter.counts.failed == 9 && exporter.counts.waiting == 0)
        #expect(exporter.counts.lastFailure == "cannotConnect")
        #expect(server.journal.count == 18)
      }
    }
  }

  @Test func spansThatACollectorRejectsAreCounted() async throws {
    let server = server(
      .json(["partialSuccess": ["rejectedSpans": "2", "errorMessage": "too old"]]),
      .json(["partialSuccess": ["rejectedSpans": 99]]), .text("no JSON"))
    let exporter = exporter(server)
    for _ in 1...3 {
      exporter.receive(record())
      await exporter.flush()
    }
    #expect(exporter.counts.failed == 5 && exporter.counts.exported == 4)
    let first = exporter.counts
    #expect(first.lastFailure == "the collector has rejected spans")
  }

  @Test func aTraceWithAnUnsampledParentIsNotExported() async {
    let server = server(.json([:]))
    let exporter = exporter(server)
    exporter.receive(
      record(parent: TraceParent(traceID: TraceID(), spanID: SpanID(), isSampled: false)))
    exporter.receive(record("kept", parent: TraceParent(traceID: TraceID(), spanID: SpanID())))
    await exporter.flush()
    #expect(server.journal.entries.map { names($0).first } == ["kept"])
  }

  @Test func anExportIsNoPartOfATrace() async throws {
    let server = server(.json([:]))
    var configuration = NetworkingConfiguration()
    configuration.tracing = .sampled(1) { _ in Issue.record("the export was traced") }
    let exporter = exporter(server, configuration: configuration)
    let trace = Trace("code")
    await trace.run {
      exporter.receive(record())
      await exporter.flush()
    }
    #expect(server.journal.count == 1)
    #expect(trace.record.calls.isEmpty)
  }

  @Test func aSampledClientExportsToACollectorOnASocket() async throws {
    let collector = try MockServer { Route(.post, "/v1/traces", .json([:])) }
    let api = try MockServer { Route(.get, "/boards/{id}", .status(503)) }
    let exporter = TraceExporter(to: collector.url, service: "boards")
    let tracing = CallTracing.sampled(1, to: exporter)
    var configuration = NetworkingConfiguration()
    configuration.tracing = tracing
    let client = Networking<Request>(baseURL: api.url, configuration: configuration)
    #expect(try await client.request(.get("boards/\(7)?token=CaNaRy")).value.status == 503)
    await tracing.flush()
    await exporter.flush()
    let request = try #require(collector.journal.entries.first).request
    #expect(request.headers["traceparent"] == nil && !request.text.contains("CaNaRy"))
    let spans = request.json["resourceSpans"][0]["scopeSpans"][0]["spans"].array ?? []
    let hop = try #require(spans.first { $0["kind"] == 3 })
    let received = try #require(api.journal.entries.first).request
    let sent = try #require(TraceParent(received.headers))
    #expect(hop["spanId"].string == "\(sent.spanID)" && hop["traceId"].string == "\(sent.traceID)")
    var attributes: [String: JSON] = [:]
    for attribute in hop["attributes"].array ?? [] {
      attributes[attribute["key"].string ?? ""] = attribute["value"]
    }
    #expect(attributes["http.request.method"] == ["stringValue": "GET"])
    #expect(attributes["url.template"] == ["stringValue": "/boards/{}"])
    #expect(attributes["url.full"]?["stringValue"].string?.hasSuffix("/boards/7?token=***") == true)
    #expect(attributes["http.response.status_code"] == ["intValue": "503"])
    #expect(attributes["error.type"] == ["stringValue": "503"])
    #expect(attributes["server.address"] == ["stringValue": "127.0.0.1"])
    #expect(attributes["server.port"] == ["intValue": .string("\(api.port)")])
    #expect(attributes["network.peer.address"] == ["stringValue": "127.0.0.1"])
    #expect(attributes["network.peer.port"] == ["intValue": .string("\(api.port)")])
    #expect(attributes["network.protocol.version"] == ["stringValue": "1.1"])
    #expect(attributes["http.request.resend_count"] == nil)
    collector.stop()
    api.stop()
  }

  // MARK: The queue

  @Test func aQueueSendsOneBatchAtATime() throws {
    var limits = TraceExporter.Limits()
    (limits.batchSize, limits.queueSize) = (6, 12)
    var queue = ExportQueue(limits)
    guard case .wait(.seconds(5), let round) = queue.add(record()) else {
      Issue.record("no wait")
      return
    }
    guard case .send(let first) = queue.add(record()) else {
      Issue.record("no batch")
      return
    }
    #expect(first.count == 2)
    // The timer of the batch that was sent.
    guard case .none = queue.expire(round), case .none = queue.add(record()) else {
      Issue.record("two batches")
      return
    }
    guard case .wait(_, let next) = queue.finish(.accepted(rejected: 0, nil)), next != round else {
      Issue.record("no wait for the rest")
      return
    }
    guard case .send(let second) = queue.expire(next) else {
      Issue.record("the rest is not sent")
      return
    }
    #expect(second.count == 1 && queue.counts.exported == 6 && queue.counts.waiting == 3)
  }

  @Test func aFlushEndsWhileFurtherTracesAreAdded() {
    var queue = ExportQueue(TraceExporter.Limits())
    let ended = Log<Int>()
    _ = queue.add(record())
    guard case .send = queue.flush({ ended.append(1) }) else {
      Issue.record("nothing is sent")
      return
    }
    _ = queue.add(record())
    #expect(queue.takeFlushes().isEmpty)
    guard case .wait = queue.finish(.accepted(rejected: 0, nil)) else {
      Issue.record("the later trace is sent at once")
      return
    }
    for flush in queue.takeFlushes() { flush() }
    #expect(ended.entries == [1] && queue.takeFlushes().isEmpty)
  }

  @Test func aTraceThatIsLargerThanTheQueueWaitsAlone() {
    var limits = TraceExporter.Limits()
    limits.queueSize = 2
    var queue = ExportQueue(limits)
    _ = queue.add(record())
    _ = queue.add(record())
    #expect(queue.counts.waiting == 3 && queue.counts.dropped == 3)
  }
}
