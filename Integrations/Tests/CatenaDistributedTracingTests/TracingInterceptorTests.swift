import CatenaDistributedTracing
import Foundation
import InMemoryTracing
import Mocking
import Testing
import Tracing

struct TracingInterceptorTests {
  private let tracer = InMemoryTracer()

  private func client(
    _ routes: [Route], mode: RequestMode = .async, retry: RetryPolicy = .never,
    origins: [URL] = []
  ) -> (Networking<Request>, MockTransport) {
    let transport = MockTransport(routes: routes)
    let client = Networking<Request>(
      baseURL: URL(string: "https://api.example.com/v1"), mode: mode, transport: transport,
      retry: retry)
    client.addTracing(by: tracer, origins: origins)
    return (client, transport)
  }

  private func spanIDs(_ transport: MockTransport) -> [String?] {
    transport.journal.entries.map { $0.request.headers[InMemoryTracer.spanIDKey] }
  }

  @Test func hopIsAClientSpanBelowTheSpanOfTheCaller() async throws {
    let (client, transport) = client([Route(.get, "/boards", .text("ok"))])
    try await tracer.withSpan("load") { _ in
      _ = try await client.request(.get("boards?token=sesame")).value
    }
    let spans = tracer.finishedSpans
    try #require(spans.map(\.operationName) == ["GET", "load"])
    #expect(spans[0].kind == .client)
    #expect(spans[0].parentSpanID == spans[1].spanID)
    #expect(spans[0].traceID == spans[1].traceID)
    #expect(spanIDs(transport) == [spans[0].spanID])
    #expect(
      spans[0].texts == [
        "http.request.method": "GET", "http.response.status_code": "200",
        "network.protocol.version": "1.1", "server.address": "api.example.com",
        "server.port": "443", "url.full": "https://api.example.com/v1/boards?token=***",
      ])
    #expect(spans[0].status == nil)
  }

  @Test func callThatWaitsInTheQueueKeepsItsContext() async throws {
    let (client, _) = client([Route(nil, "/{path*}", .text("ok"))], mode: .sync)
    client.suspend()
    let calls = (1...3).map { number in
      tracer.withSpan("load \(number)") { _ in client.request(.get("boards/\(number)")) }
    }
    client.resume()
    for call in calls { _ = try await call.value }
    let spans = tracer.finishedSpans
    for number in 1...3 {
      let caller = try #require(spans.first { $0.operationName == "load \(number)" })
      let hop = try #require(spans.first { $0.parentSpanID == caller.spanID })
      #expect(hop.texts["url.full"] == "https://api.example.com/v1/boards/\(number)")
    }
  }

  @Test func eachAttemptAndRedirectIsASpan() async throws {
    let (client, transport) = client(
      [
        Route(.get, "/old", .sequence([.status(503), .redirect(to: "/v1/new")])),
        Route(.get, "/new", .text("ok")),
      ], retry: .exponential(initial: .zero, limit: 1))
    _ = try await tracer.withSpan("load") { _ in try await client.request(.get("old")).value }
    let hops = tracer.finishedSpans.filter { $0.kind == .client }
    #expect(hops.map { $0.texts["http.response.status_code"] } == ["503", "302", "200"])
    #expect(hops[0].status?.code == .error)
    #expect(hops[0].texts["error.type"] == "503")
    #expect(hops[1].status == nil)
    #expect(spanIDs(transport) == hops.map(\.spanID))
    #expect(Set(hops.map(\.parentSpanID)).count == 1)
  }

  @Test func contextIsNotSentToOtherOrigins() async throws {
    let (client, transport) = client([
      Route(.get, "/away", .redirect(to: "https://other.example.org/new")),
      Route(.get, "/new", .text("ok")),
    ])
    _ = try await client.request(.get("away")).value
    _ = try await client.request(.get("https://third.example.net/new")).value
    #expect(spanIDs(transport).map { $0 != nil } == [true, false, false])
    #expect(tracer.finishedSpans.count == 3)
  }

  @Test func listedOriginsReceiveTheContext() async throws {
    let (client, transport) = client(
      [Route(.get, "/new", .text("ok"))], origins: [URL(string: "https://third.example.net")!])
    _ = try await client.request(.get("https://third.example.net/new")).value
    #expect(spanIDs(transport).map { $0 != nil } == [true])
  }

  @Test func failureIsRecorded() async throws {
    let (client, _) = client([Route(.get, "/boards", .failure(.connectionLost))])
    _ = await client.request(.get("boards")).result
    let span = try #require(tracer.finishedSpans.first)
    #expect(span.texts["error.type"] == "connectionLost")
    #expect(span.status?.code == .error)
    #expect(span.errors.count == 1)
  }

  @Test func cancelledHopHasNoErrorStatus() async throws {
    try await withVirtualTime { time in
      let transport = MockTransport(scheduler: time) {
        Route(.get, "/boards", .text("ok").delayed(by: .seconds(9)))
      }
      let client = Networking<Request>(
        baseURL: URL(string: "https://api.example.com/v1"), transport: transport)
      client.addTracing(by: tracer)
      let response = client.request(.get("boards"))
      await time.advance(by: .seconds(1))
      response.cancel()
      await time.run()
      let span = try #require(tracer.finishedSpans.first)
      #expect(span.texts["error.type"] == "cancelled")
      #expect(span.status == nil)
      #expect(tracer.activeSpans.isEmpty)
    }
  }

  @Test func fieldsOfTheRequestAreKept() async throws {
    let (client, transport) = client([Route(.get, "/boards", .text("ok"))])
    _ = try await client.request(
      .get("boards"), .headers([InMemoryTracer.spanIDKey: "own"])
    ).value
    #expect(spanIDs(transport) == ["own"])
  }

  @Test func earlierHookStillRuns() async throws {
    let transport = MockTransport { Route(.get, "/boards", .text("ok")) }
    let client = Networking<Request>(
      baseURL: URL(string: "https://api.example.com/v1"), transport: transport)
    client.beforeEach = { $0.with(.headers(["X-Hook": "1"])) }
    client.addTracing(by: tracer)
    _ = try await client.request(.get("boards")).value
    #expect(transport.journal.entries.map { $0.request.headers["X-Hook"] } == ["1"])
  }

  @Test func tracerOfTheScopeIsTheDefault() async throws {
    let transport = MockTransport { Route(.get, "/boards", .text("ok")) }
    let client = Networking<Request>(
      baseURL: URL(string: "https://api.example.com/v1"), transport: transport)
    client.addTracing()
    _ = try await withTracer(tracer) { try await client.request(.get("boards")).value }
    #expect(tracer.finishedSpans.count == 1)
  }
}

extension FinishedInMemorySpan {
  /// The attributes as texts.
  fileprivate var texts: [String: String] {
    var texts: [String: String] = [:]
    attributes.forEach { name, value in
      switch value {
      case .string(let text): texts[name] = text
      case .int64(let number): texts[name] = "\(number)"
      default: texts[name] = "\(value)"
      }
    }
    return texts
  }
}
