#if os(Linux)
  import Foundation
  import FoundationNetworking
  import Promises
  import TestSupport
  import Testing

  @testable import Networking

  @Suite(.timeLimit(.minutes(10)))
  struct URLSessionControlTests {
    private let transport = URLSessionTransport()

    @Test func cancellingClosesTheConnection() async throws {
      let server = try ScriptedServer { _ in [.stall] }
      let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url()))
      _ = await server.requests.entries(1)
      exchange.cancel()
      exchange.cancel()
      let performed = await exchange.record
      #expect(performed.order == ["failure"])
      #expect(performed.failure?.code == .cancelled)
      #expect(await server.closed.entries(1) == [0])
      exchange.cancel()
      exchange.resume()
      #expect(exchange.current.lastEvents == 1)
    }

    @Test func cancellingFromAnEventEndsItThere() async throws {
      let size = 64 << 20
      let server = try ScriptedServer { _ in
        [.text("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"), .flood(1 << 20), .stall]
      }
      let handles = Log<ExchangeRecorder>()
      let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url())) { event in
        guard case .body = event else { return }
        for handle in handles.entries { handle.cancel() }
      }
      handles.append(exchange)
      let performed = await exchange.record
      #expect(performed.failure?.code == .cancelled)
      #expect(performed.body.count < size)
      #expect(await server.closed.entries(1) == [0])
    }

    @Test func cancellingWhatIsOverChangesNothing() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url()))
      #expect(await exchange.record.order == ["head", "end"])
      exchange.cancel()
      #expect(await transport.get(server.url()).head?.status == 200)
      #expect(exchange.current.lastEvents == 1)
    }

    @Test func cancellingAtOnceEndsEachExchangeOnce() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      for _ in 0..<200 {
        let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url()))
        exchange.cancel()
        let performed = await exchange.record
        #expect(performed.lastEvents == 1)
      }
      #expect(await transport.get(server.url()).head?.status == 200)
    }

    /// Foundation crashes when a redirect is answered after the task has been cancelled.
    @Test(arguments: ["307 There", "401 Unauthorized"])
    func cancellingMayMeetAQuestionOfTheSession(_ status: String) async throws {
      let server = try ScriptedServer { _ in
        [
          .respond(
            status, ["Location: /there", #"WWW-Authenticate: Basic realm="x""#], Data("x".utf8))
        ]
      }
      for round in 0..<200 {
        let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url()))
        _ = await server.requests.entries(round + 1)
        // The answer is on its way; where it meets the cancellation varies with what is done between.
        for step in 0..<(round * 37 % 400) { withExtendedLifetime(step) {} }
        exchange.cancel()
        #expect(await exchange.record.lastEvents == 1)
      }
      #expect(await transport.get(server.url()).failure == nil)
    }

    @Test func whatIsSuspendedIsKeptBackUntilItIsResumed() async throws {
      let body = Data.pattern(1 << 20)
      let server = try ScriptedServer { _ in [.stall, .respond("200 OK", [], body)] }
      let exchange = ExchangeRecorder(
        transport, HTTPRequest(url: server.url(), idleTimeout: .seconds(50)))
      exchange.suspend()
      server.release()
      // The transport's queue has been through another exchange since.
      let other = try ScriptedServer { _ in [.respond()] }
      #expect(await transport.get(other.url()).head?.status == 200)
      #expect(exchange.current.order.isEmpty)
      exchange.resume()
      let performed = await exchange.record
      #expect(performed.order == ["head", "body", "end"])
      #expect(performed.body == body)
    }

    @Test func whatIsSuspendedCanBeCancelledAndDoesNotTimeOut() async throws {
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

    @Test func releasingTheTransportLosesNothingAndEndsTheSession() async throws {
      let server = try ScriptedServer { _ in [.stall, .respond()] }
      let exchange: ExchangeRecorder
      do {
        exchange = ExchangeRecorder(URLSessionTransport(), HTTPRequest(url: server.url()))
      }
      _ = await server.requests.entries(1)
      #expect(server.closed.entries.isEmpty)
      server.release()
      #expect(await exchange.record.head?.status == 200)
      // A session closes its connections when it is released itself.
      #expect(await server.closed.entries(1) == [0])
    }

    @Test func anExchangeThatIsOverIsForgotten() async throws {
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
      // The queue has gone on to the next one.
      _ = await transport.get(server.url())
      #expect(alive.liveCount == 0)
    }
  }
#endif
