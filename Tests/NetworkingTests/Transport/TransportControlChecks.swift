#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestSupport
  import Testing

  /// Checks of cancellation and release that apply to every network transport.
  enum TransportControlChecks {
    static let floodSize = 64 << 20
    /// A response head that announces ``floodSize`` bytes.
    static let floodHead = ScriptedServer.Step.text(
      "HTTP/1.1 200 OK\r\nContent-Length: \(floodSize)\r\n\r\n")

    static func expectThatCancellationClosesTheConnection(
      of transport: some Transport
    ) async throws {
      let server = try ScriptedServer { _ in [.stall] }
      let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url()))
      _ = await server.requests.entries(1)
      exchange.cancel()
      exchange.cancel()
      let record = await exchange.record
      #expect(record.order == ["failure"])
      #expect(record.failure?.code == .cancelled)
      #expect(await server.closed.entries(1) == [0])
      exchange.cancel()
      exchange.resume()
      #expect(exchange.current.lastEvents == 1)
    }

    /// Cancels an exchange from its first body event.
    ///
    /// - Parameters:
    ///   - transport: The transport under test.
    ///   - steps: The steps of the server after ``floodHead``.
    /// - Throws: A `TestError` if the server cannot start.
    static func expectThatCancellationFromAnEventEndsTheExchange(
      of transport: some Transport, _ steps: [ScriptedServer.Step]
    ) async throws {
      let server = try ScriptedServer { _ in [floodHead] + steps }
      let exchanges = Log<ExchangeRecorder>()
      let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url())) { event in
        guard case .body = event else { return }
        for exchange in exchanges.entries { exchange.cancel() }
      }
      exchanges.append(exchange)
      let record = await exchange.record
      #expect(record.failure?.code == .cancelled)
      #expect(record.body.count < floodSize)
      #expect(await server.closed.entries(1) == [0])
    }

    /// Cancels an exchange after its end.
    ///
    /// - Parameter transport: The transport under test.
    /// - Returns: The record of the next exchange of the transport.
    /// - Throws: A `TestError` if the server cannot start.
    static func expectThatCancellationAfterTheEndIsANoOp(
      of transport: some Transport
    ) async throws -> ExchangeRecord {
      let server = try ScriptedServer { _ in [.respond()] }
      let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url()))
      #expect(await exchange.record.order == ["head", "end"])
      exchange.cancel()
      let next = await transport.get(server.url())
      #expect(next.head?.status == 200)
      #expect(exchange.current.lastEvents == 1)
      return next
    }

    /// Releases a transport during an exchange.
    ///
    /// - Parameter make: A closure that creates the transport.
    /// - Throws: A `TestError` if the server cannot start.
    static func expectThatReleaseCompletesTheExchange<T: Transport>(
      of make: () -> T
    ) async throws {
      let server = try ScriptedServer { _ in [.stall, .respond()] }
      let exchange: ExchangeRecorder
      do {
        exchange = ExchangeRecorder(make(), HTTPRequest(url: server.url()))
      }
      _ = await server.requests.entries(1)
      #expect(server.closed.entries.isEmpty)
      server.release()
      #expect(await exchange.record.head?.status == 200)
      // The last reference closes the connection.
      #expect(await server.closed.entries(1) == [0])
    }
  }
#endif
