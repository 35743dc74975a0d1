import Foundation
import Mocking
import Networking
import NetworkingTracing
import Promises
import TestGate
import TestSupport
import Testing

/// The `traceparent` that a client with tracing sends.
@Suite(.gated)
struct TraceContextTests {
  @Test func eachHopSendsANewIdentifierWhichIsExported() async throws {
    try await withVirtualTime { time in
      try await time.run {
        let world = TracedClient(
          [
            Route(.get, "/v1/a", .sequence(.status(503), .redirect(to: "/v1/b"))),
            Route(.get, "/v1/b", .text("ok")),
          ]
        ) { $0.retry = .delayed(.seconds(1), limit: 2) }
        _ = try await world.client.request(.get("a")).value
        await world.tracing.flush()
        let record = try #require(world.traces.entries.first)
        #expect(
          world.server.journal.entries.map(\.request.path.text) == ["/v1/a", "/v1/a", "/v1/b"])
        let parents = world.parents
        #expect(record.hops.map(\.spanID) == parents.map { $0?.spanID })
        #expect(Set(parents.map { $0?.spanID }).count == 3)
        #expect(parents.allSatisfy { $0?.traceID == record.id && $0?.isSampled == true })
        #expect(world.received("tracestate") == [nil, nil, nil])
        let text = String(decoding: try record.data(as: .otlp), as: UTF8.self)
        #expect(text.matches(of: /"http.request.resend_count"/).count == 2)
        for parent in parents.compactMap({ $0 }) {
          #expect(text.contains("\"spanId\":\"\(parent.spanID)\""))
        }
      }
    }
  }

  @Test func onlyTheBaseOriginAndListedOnesReceiveTheFields() async throws {
    let world = TracedClient(origins: ["https://images.test", "http://api.test:8080/path"])
    for url in [
      "boards", "http://API.test:80/other", "https://images.test/1", "http://api.test:8080/1",
      "https://api.test/1", "http://images.test/1", "http://evil.test/api.test",
      "http://api.test.evil.test/1",
    ] { _ = try await world.client.request(.get(RequestPath(raw: url))).value }
    #expect(
      world.parents.map { $0 != nil } == [true, true, true, true, false, false, false, false])
  }

  @Test(arguments: [
    ("/v1/end", [true, true]), ("http://images.test/end", [true, false]),
    ("http://evil.test/end", [true, false]),
  ])
  func noFieldCrossesOriginsOnARedirect(location: String, sent: [Bool]) async throws {
    let world = TracedClient(
      origins: ["http://images.test"],
      [
        Route(nil, "/v1/start", .redirect(to: location)), Route(nil, "/{path*}", .text("ok")),
      ])
    _ = try await world.client.request(.get("start")).value
    #expect(world.parents.map { $0 != nil } == sent)
    #expect(world.received("tracestate").allSatisfy { $0 == nil })
  }

  @Test func aRequestKeepsItsOwnParent() async throws {
    let own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
    let world = TracedClient()
    _ = try await world.client.request(
      .get("a", headers: ["Traceparent": own, "tracestate": "x=1"])
    ).value
    await world.tracing.flush()
    #expect(world.received("traceparent") == [own])
    #expect(world.received("tracestate") == ["x=1"])
    #expect(world.traces.entries.first?.hops.map(\.spanID) == [nil])
  }

  @Test func theOwnParentOfARequestDoesNotCrossOriginsOnARedirect() async throws {
    let own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
    for isTraced in [true, false] {
      let world = TracedClient(
        [
          Route(nil, "/v1/start", .redirect(to: "http://evil.test/end")),
          Route(nil, "/{path*}", .text("ok")),
        ], configure: { if !isTraced { $0.tracing = nil } })
      _ = try await world.client.request(
        .get("start", headers: ["Traceparent": own, "tracestate": "x=1"])
      ).value
      #expect(world.received("traceparent") == [own, nil])
      #expect(world.received("tracestate") == ["x=1", nil])
    }
  }

  @Test func theCallsThatAFullTraceDropsHaveItsIdentifier() async throws {
    let world = TracedClient()
    let trace = Trace("open board", limit: 1)
    try await trace.run {
      for _ in 1...3 { _ = try await world.client.request(.get("a")).value }
    }
    await world.tracing.flush()
    #expect(world.traces.entries.isEmpty)
    #expect(world.parents.map { $0?.traceID } == [trace.id, trace.id, trace.id])
    #expect(trace.record.spans.count == 1 && trace.record.droppedCount > 2)
    #expect(trace.record.summary.contains("events not recorded"))
  }

  /// A client and a server that export one trace.
  @Test func theSpansOfTwoRecordsOfOneTraceAreDistinct() async throws {
    let (front, back) = (TracedClient(), TracedClient())
    let trace = Trace("open board")
    try await trace.run { _ = try await front.client.request(.get("a")).value }
    let handling = Trace("GET a", parent: try #require(front.parents.first ?? nil))
    try await handling.run { _ = try await back.client.request(.get("b")).value }
    var parents: [String: String?] = [:]
    var count = 0
    for record in [trace.record, handling.record] {
      let export = try JSON(parsing: record.data(as: .otlp))
      for span in export["resourceSpans"][0]["scopeSpans"][0]["spans"].array ?? [] {
        count += 1
        parents[span["spanId"].string ?? ""] = span["parentSpanId"].string
      }
    }
    #expect(count == 6 && parents.count == 6)
    // Each span has the only root above it.
    for span in parents.keys {
      var (next, steps) = (span, 0)
      while steps < 10, let parent = parents[next] ?? nil { (next, steps) = (parent, steps + 1) }
      #expect(next == "\(trace.record.spanID)")
    }
  }

  @Test func callsOfATraceHaveItsIdentifier() async throws {
    let world = TracedClient()
    let plain = Networking<Request>(
      baseURL: URL(string: "http://api.test"), transport: world.server)
    let trace = Trace("open board")
    try await trace.run {
      _ = try await world.client.request(.get("a")).value
      _ = try await world.client.request(.get("b")).value
      _ = try await plain.request(.get("c")).value
    }
    await world.tracing.flush()
    #expect(world.traces.entries.isEmpty)
    #expect(world.parents.map { $0?.traceID } == [trace.id, trace.id, nil])
    #expect(trace.record.hops.map(\.spanID) == world.parents.map { $0?.spanID })
  }

  @Test(arguments: [true, false])
  func theParentOfATraceIsContinued(isSampled: Bool) async throws {
    let world = TracedClient(share: 0)
    let parent = TraceParent(
      traceID: TraceID(), spanID: SpanID(), isSampled: isSampled, state: "congo=t61rcWkgMzE")
    let trace = Trace("handle", parent: parent)
    try await trace.run { _ = try await world.client.request(.get("a")).value }
    let sent = try #require(world.parents.first ?? nil)
    #expect(sent.traceID == parent.traceID && sent.spanID != parent.spanID)
    #expect(sent.isSampled == isSampled && sent.state == parent.state)
    let export = try JSON(parsing: trace.record.data(as: .otlp))
    let root = export["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    #expect(root["parentSpanId"].string == "\(parent.spanID)")
    #expect(root["traceState"] == "congo=t61rcWkgMzE")
  }

  @Test func aCallThatIsNotSampledSaysSo() async throws {
    let world = TracedClient(share: 0)
    for _ in 1...3 { _ = try await world.client.request(.get("a")).value }
    await world.tracing.flush()
    #expect(world.traces.entries.isEmpty)
    #expect(world.parents.map { $0?.isSampled } == [false, false, false])
    #expect(Set(world.parents.map { $0?.traceID }).count == 3)
  }

  @Test func aClientWithoutTracingSendsNoFields() async throws {
    let world = TracedClient { $0.tracing = nil }
    _ = try await world.client.request(.get("a")).value
    #expect(world.received("traceparent") == [nil])
  }

  @Test func theFieldsAreInNoKeyOfTheCacheOrOfSharedRequests() async throws {
    try await withVirtualTime { time in
      try await time.run {
        let world = TracedClient(
          [
            Route(
              nil, "/v1/cached",
              .text("ok").header("Cache-Control", "max-age=60")),
            Route(nil, "/v1/shared", .text("ok").delayed(by: .seconds(1))),
          ]
        ) {
          $0.caching.storage = .cache(HTTPCache())
          $0.caching.includesMocks = true
          $0.sharesRequests = true
        }
        for _ in 1...3 { _ = try await world.client.request(.get("cached")).value }
        #expect(world.server.journal.count == 1)
        async let first = world.client.request(.get("shared")).value
        async let second = world.client.request(.get("shared")).value
        _ = try await (first, second)
        #expect(world.server.journal.count == 2)
        await world.tracing.flush()
        #expect(world.traces.entries.count == 5)
        #expect(Set(world.traces.entries.map(\.id)).count == 5)
      }
    }
  }

  @Test func theChallengeOfDigestAuthenticationHasAHopOfItsOwn() async throws {
    let world = TracedClient([
      Route(
        nil, "/v1/a",
        .sequence(
          .status(401).header(
            "WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth""#), .text("ok")))
    ])
    world.client.authenticate(username: "ada", password: "pass", scheme: .digest)
    #expect(try await world.client.request(.get("a")).value.status == 200)
    await world.tracing.flush()
    #expect(world.parents.count == 2)
    #expect(world.traces.entries.first?.hops.map(\.spanID) == world.parents.map { $0?.spanID })
    #expect(Set(world.parents.map { $0?.spanID }).count == 2)
  }
}
