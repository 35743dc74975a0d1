#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  @Suite(.gated)
  struct URLSessionDeadlineTests {
    private let clock = TestScheduler()
    private let head = ScriptedServer.Step.text(
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123")

    private func failure(
      of request: HTTPRequest, after time: Duration, _ transport: URLSessionTransport,
      once ready: () async -> Void
    ) async -> NetworkError.Code? {
      let exchange = ExchangeRecorder(transport, request)
      await ready()
      await clock.advance(by: time - .milliseconds(1))
      #expect(exchange.current.lastEvents == 0)
      await clock.advance(by: .milliseconds(1))
      return await exchange.record.failure?.code
    }

    @Test func aServerSilentFromTheStartTimesOutIdle() async throws {
      let server = try ScriptedServer { _ in [.stall] }
      let request = HTTPRequest(
        url: server.url(), connectTimeout: .seconds(30), idleTimeout: .seconds(60))
      let code = await failure(
        of: request, after: .seconds(90), URLSessionTransport(scheduler: clock)
      ) { _ = await server.requests.entries(1) }
      #expect(code == .timedOut(.idle))
      #expect(await server.closed.entries(1) == [0])
    }

    @Test func aConnectionThatBecomesSilentTimesOutIdle() async throws {
      let server = try ScriptedServer { [head] _ in [head, .stall] }
      let body = Log<Void>()
      let exchange = ExchangeRecorder(
        URLSessionTransport(scheduler: clock),
        HTTPRequest(url: server.url(), idleTimeout: .seconds(60))
      ) { if case .body = $0 { body.append(()) } }
      _ = await body.entries(1)
      await clock.advance(by: .seconds(59))
      #expect(exchange.current.lastEvents == 0)
      await clock.advance(by: .seconds(1))
      let record = await exchange.record
      #expect(record.failure?.code == .timedOut(.idle))
      #expect(record.order == ["head", "body", "failure"])
      #expect(await server.closed.entries(1) == [0])
    }

    @Test func aBodyThatCannotBeSentTimesOutConnecting() async throws {
      let full = try FullListener()
      let request = HTTPRequest(
        method: .post, url: full.url, body: .data(Data("x".utf8)), connectTimeout: .seconds(30),
        idleTimeout: .seconds(60))
      let code = await failure(
        of: request, after: .seconds(30), URLSessionTransport(scheduler: clock)
      ) {}
      #expect(code == .timedOut(.connect))
    }

    @Test func changedTimeoutsOfAConfigurationApply() async throws {
      let server = try ScriptedServer { _ in [.stall] }
      let idle = URLSessionConfiguration.default
      idle.timeoutIntervalForRequest = 0.5
      let request = HTTPRequest(url: server.url(), idleTimeout: .seconds(60))
      #expect(
        await failure(
          of: request, after: .milliseconds(500),
          URLSessionTransport(configuration: idle, scheduler: clock)
        ) { _ = await server.requests.entries(1) } == .timedOut(.idle))
      let total = URLSessionConfiguration.default
      total.timeoutIntervalForResource = 5
      #expect(
        await failure(
          of: request, after: .seconds(5),
          URLSessionTransport(configuration: total, scheduler: clock)
        ) { _ = await server.requests.entries(2) } == .timedOut(.attempt))
    }

    @Test func anIdleTimeoutBelowOneSecondIsNotImmediate() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let configuration = URLSessionConfiguration.default
      configuration.timeoutIntervalForRequest = 0.9
      let transport = URLSessionTransport(configuration: configuration, scheduler: clock)
      #expect(await transport.get(server.url()).head?.status == 200)
    }
  }
#endif
