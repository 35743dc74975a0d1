#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// The events of calls over `URLSession`, which reports no connections on Linux.
  @Suite(.gated)
  struct URLSessionEventsTests {
    private let monitor = RecordingMonitor()

    private func client(
      _ base: URL, _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
    ) -> Networking<Request> {
      var configuration = NetworkingConfiguration.plain
      configuration.monitors = [monitor]
      configure(&configuration)
      let client = Networking<Request>(
        transport: URLSessionTransport(), configuration: configuration)
      client.baseURL = base
      client.callbackContext = .inline
      return client
    }

    @Test func aSimpleCallReportsAllPhases() async throws {
      let server = try MockServer { Route(.get, "/boards", .text("hello")) }
      _ = try await client(server.url).request(.get("/boards")).value
      #expect(
        await monitor.events(ofCalls: 1).kinds == [
          "queued", "started", "sending", "request sent", "head 200", "body of 5 bytes",
          "finished with 200",
        ])
    }

    @Test func aBodyIsSentBeforeTheHead() async throws {
      let server = try MockServer { Route(.post, "/boards", .text("hello", status: 201)) }
      _ = try await client(server.url).request(.post("/boards", parameters: ["a": 1])).value
      #expect(
        await monitor.events(ofCalls: 1).kinds == [
          "queued", "started", "sending 7 bytes", "request sent, 7 bytes", "head 201",
          "body of 5 bytes", "finished with 201",
        ])
    }

    @Test func aRetryAndARedirectAreReported() async throws {
      let server = try MockServer {
        Route(.get, "/old", .sequence(.status(503), .redirect(to: "/new")))
        Route(.get, "/new", .text("there"))
      }
      let client = client(server.url) { $0.retry = .immediate(limit: 1) }
      _ = try await client.request(.get("/old")).value
      #expect(
        await monitor.events(ofCalls: 1).map { "\($0.attempt).\($0.hop) \($0.kind)" } == [
          "0.0 queued", "0.0 started", "1.1 sending", "1.1 request sent", "1.1 head 503",
          "1.1 body of 0 bytes",
          "1.1 retrying in 0.0 seconds (attempt 2): the status 503 is not acceptable",
          "2.1 sending", "2.1 request sent", "2.1 head 302", "2.1 body of 0 bytes",
          "2.1 redirected to \(server.url.absoluteString)/new", "2.2 sending", "2.2 request sent",
          "2.2 head 200", "2.2 body of 5 bytes", "2.2 finished with 200",
        ])
    }

    @Test func cancellationIsTheEnd() async throws {
      let server = try ScriptedServer { _ in [.stall] }
      let call = client(server.url()).request(.get("/"))
      _ = await server.requests.entries(1)
      call.cancel()
      #expect(
        await monitor.events(ofCalls: 1).kinds == ["queued", "started", "sending", "cancelled"])
    }
  }
#endif
