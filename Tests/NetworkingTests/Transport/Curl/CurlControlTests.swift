#if os(Linux)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
  struct CurlControlTests {
    private static let flood = TransportControlChecks.floodSize
    private static let floodHead = TransportControlChecks.floodHead

    private let transport = CurlTransport()

    @Test func cancellingClosesTheConnection() async throws {
      try await TransportControlChecks.expectThatCancellationClosesTheConnection(of: transport)
    }

    @Test func cancellationFromAnEventEndsTheExchange() async throws {
      try await TransportControlChecks.expectThatCancellationFromAnEventEndsTheExchange(
        of: transport, [.flood(TransportControlChecks.floodSize)])
    }

    @Test func cancellationAfterTheEndIsANoOp() async throws {
      let next = try await TransportControlChecks.expectThatCancellationAfterTheEndIsANoOp(
        of: transport)
      #expect(next.metrics?.reusedConnection == true)
    }

    @Test func anExchangeCancelledBeforeItsStartNeverConnects() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let other = try ScriptedServer { _ in [.respond()] }
      let transport = transport
      let inner = Log<ExchangeRecorder>()
      // Runs on the I/O thread, so that the exchange cannot start before it is cancelled.
      let outer = ExchangeRecorder(transport, HTTPRequest(url: other.url())) { event in
        guard event.isLast else { return }
        let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url()))
        exchange.cancel()
        inner.append(exchange)
      }
      _ = await outer.record
      let record = await inner.entries(1)[0].record
      #expect(record.failure?.code == .cancelled)
      #expect(record.order == ["failure"])
      _ = await transport.get(other.url())
      #expect(server.connectionCount == 0)
    }

    @Test func suspensionAppliesBackpressure() async throws {
      let server = try ScriptedServer { _ in [Self.floodHead, .flood(Self.flood)] }
      let handles = Log<ExchangeRecorder>()
      let gate = DispatchSemaphore(value: 0)
      let exchange = ExchangeRecorder(
        transport, HTTPRequest(url: server.url(), idleTimeout: .seconds(20))
      ) { event in
        guard case .head = event else { return }
        gate.wait()
        for handle in handles.entries { handle.suspend() }
      }
      handles.append(exchange)
      gate.signal()
      let taken = await server.blocked.entries(1)[0]
      #expect(taken < Self.flood)
      #expect(exchange.current.body.isEmpty)
      // Other exchanges proceed in the meantime.
      let other = try ScriptedServer { _ in [.respond()] }
      #expect(await transport.get(other.url()).head?.status == 200)
      #expect(exchange.current.body.isEmpty)
      exchange.resume()
      let record = await exchange.record
      #expect(record.body.count == Self.flood)
      #expect(record.failure == nil)
    }

    @Test func aSuspendedExchangeCanBeCancelledAndDoesNotTimeOut() async throws {
      let server = try ScriptedServer { _ in [Self.floodHead, .flood(Self.flood)] }
      let exchange = ExchangeRecorder(
        transport, HTTPRequest(url: server.url(), idleTimeout: .milliseconds(20)))
      exchange.suspend()
      _ = await server.blocked.entries(1)
      let silent = try ScriptedServer { _ in [.stall] }
      let late = await transport.perform(
        HTTPRequest(url: silent.url(), idleTimeout: .milliseconds(100)))
      #expect(late.failure?.code == .timedOut(.idle))
      #expect(exchange.current.lastEvents == 0)
      exchange.cancel()
      #expect(await exchange.record.failure?.code == .cancelled)
    }

    @Test func releasingTheTransportCompletesItsExchanges() async throws {
      try await TransportControlChecks.expectThatReleaseCompletesTheExchange(of: { CurlTransport() }
      )
    }
  }
#endif
