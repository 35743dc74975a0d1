#if os(Linux) || os(macOS)
  import Foundation
  import Promises
  import TestGate
  import TestSupport
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  @testable import Networking

  @Suite(.gated)
  struct URLSessionControlTests {
    private let transport = URLSessionTransport()

    @Test func cancellingClosesTheConnection() async throws {
      try await TransportControlChecks.expectThatCancellationClosesTheConnection(of: transport)
    }

    @Test func cancellationFromAnEventEndsTheExchange() async throws {
      try await TransportControlChecks.expectThatCancellationFromAnEventEndsTheExchange(
        of: transport, [.flood(1 << 20), .stall])
    }

    @Test func cancellationAfterTheEndIsANoOp() async throws {
      _ = try await TransportControlChecks.expectThatCancellationAfterTheEndIsANoOp(of: transport)
    }

    @Test func immediateCancellationEndsEachExchangeOnce() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      for _ in 0..<200 {
        let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url()))
        exchange.cancel()
        let record = await exchange.record
        #expect(record.lastEvents == 1)
      }
      #expect(await transport.get(server.url()).head?.status == 200)
    }

    /// Foundation crashes when a redirect is completed after the task was cancelled.
    @Test(arguments: ["307 There", "401 Unauthorized"])
    func cancellationDuringADelegateCallbackIsSafe(_ status: String) async throws {
      let server = try ScriptedServer { _ in
        [
          .respond(
            status, ["Location: /there", #"WWW-Authenticate: Basic realm="x""#], Data("x".utf8))
        ]
      }
      for round in 0..<200 {
        let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url()))
        _ = await server.requests.entries(round + 1)
        // The response races with the cancellation; the loop varies the time between them.
        for step in 0..<(round * 37 % 400) { withExtendedLifetime(step) {} }
        exchange.cancel()
        #expect(await exchange.record.lastEvents == 1)
      }
      #expect(await transport.get(server.url()).failure == nil)
    }

    @Test func aSuspendedExchangeDeliversItsEventsOnResumption() async throws {
      let body = Data.pattern(1 << 20)
      let server = try ScriptedServer { _ in [.stall, .respond("200 OK", [], body)] }
      let exchange = ExchangeRecorder(
        transport, HTTPRequest(url: server.url(), idleTimeout: .seconds(50)))
      exchange.suspend()
      server.release()
      // Another exchange shows that the transport's queue has run since.
      let other = try ScriptedServer { _ in [.respond()] }
      #expect(await transport.get(other.url()).head?.status == 200)
      #expect(exchange.current.order.isEmpty)
      exchange.resume()
      let record = await exchange.record
      #expect(record.order == ["head", "body", "end"])
      #expect(record.body == body)
    }

    @Test func aSuspendedExchangeCanBeCancelledAndDoesNotTimeOut() async throws {
      let clock = TestScheduler()
      let transport = URLSessionTransport(scheduler: clock)
      let server = try ScriptedServer { _ in [.stall] }
      let exchange = ExchangeRecorder(
        transport, HTTPRequest(url: server.url(), idleTimeout: .seconds(1)))
      exchange.suspend()
      await clock.advance(by: .seconds(60))
      #expect(exchange.current.lastEvents == 0)
      exchange.cancel()
      #expect(await exchange.record.failure?.code == .cancelled)
    }

    @Test func releasingTheTransportCompletesItsExchangesAndEndsTheSession() async throws {
      try await TransportControlChecks.expectThatReleaseCompletesTheExchange(of: {
        URLSessionTransport()
      })
    }

    @Test func aFinishedExchangeIsReleased() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let alive = InstanceCounter()
      do {
        let token = alive.token()
        let over = Log<Void>()
        _ = transport.start(HTTPRequest(url: server.url())) { event in
          withExtendedLifetime(token) { if event.isLast { over.append(()) } }
        }
        _ = await over.entries(1)
      }
      // The next exchange shows that the queue has finished with this one.
      _ = await transport.get(server.url())
      #expect(alive.liveCount == 0)
    }
  }
#endif
