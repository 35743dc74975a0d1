#if os(Linux)
  import CatenaSystem
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
  struct CurlKeptConnectionTests {
    private let transport = CurlTransport()

    /// A server that sends bytes that no request has asked for, after `/first` and a release.
    private func serverSending(_ unasked: ScriptedServer.Step...) throws -> ScriptedServer {
      try ScriptedServer { request in
        let response = ScriptedServer.Step.respond("200 OK", [], Data(request.target.utf8))
        return request.target == "/first" ? [response, .hold] + unasked : [response]
      }
    }

    @Test(arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother",
      "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "x",
    ])
    func aKeptConnectionThatBecomesReadableIsClosedAndNotUsedAgain(_ unasked: String) async throws {
      let server = try serverSending(.text(unasked))
      #expect(await transport.get(server.url("/first")).body == Data("/first".utf8))
      server.release()
      #expect(await server.closed.entries(1) == [0])
      for path in ["/second", "/third"] {
        let record = await transport.get(server.url(path))
        #expect(record.head?.status == 200)
        #expect(record.body == Data(path.utf8))
        #expect(record.metrics?.reusedConnection == (path == "/third"))
      }
      #expect(server.connectionCount == 2)
    }

    /// A server that times out each connection after its first request, when the next one arrives.
    private func serverTimingOut(_ fields: [String]) throws -> ScriptedServer {
      let seen = Mutex(Set<Int>())
      return try ScriptedServer { request in
        guard seen.withLock({ $0.insert(request.connection).inserted }) else {
          return [.respond("408 Request Timeout", fields), .close]
        }
        return [.respond("200 OK", [], Data(request.target.utf8))]
      }
    }

    /// Source: RFC 9110 section 15.5.9.
    @Test func aTimeoutOfAnIdleConnectionIsAClosedConnection() async throws {
      let server = try serverTimingOut(["Connection: close"])
      #expect(await transport.get(server.url("/first")).failure == nil)
      let record = await transport.get(server.url("/second"))
      #expect(record.head?.status == 200)
      #expect(record.order.count { $0 == "head" } == 1)
      #expect(server.requests.entries.map(\.connection) == [0, 0, 1])
      let post = await transport.perform(
        HTTPRequest(method: .post, url: server.url("/third"), body: .data(Data("body".utf8))))
      #expect(post.failure?.code == .connectionLost)
      #expect(server.requests.entries.count == 4)
    }

    @Test func aTimeoutOfTheRequestIsItsResponse() async throws {
      let keeping = try serverTimingOut([])
      #expect(await transport.get(keeping.url("/first")).failure == nil)
      #expect(await transport.get(keeping.url("/second")).head?.status == 408)
      let server = try ScriptedServer { _ in
        [.respond("408 Request Timeout", ["Connection: close"]), .close]
      }
      #expect(await transport.get(server.url("/first")).head?.status == 408)
    }

    /// The I/O thread must see all of them before it uses any of them again.
    @Test func anyNumberOfKeptConnectionsMayBecomeReadableAtOnce() async throws {
      let count = 300
      _ = ProcessResources.raiseFileLimit()
      let (start, unasked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let sent = Log<Void>()
      let server = try ScriptedServer { request in
        let response = ScriptedServer.Step.respond("200 OK", [], Data(request.target.utf8))
        guard request.target == "/first" else { return [response] }
        return [
          .run { start.wait() }, response, .run { unasked.wait() }, .respond(),
          .run { sent.append(()) },
        ]
      }
      let other = try ScriptedServer { _ in [.respond()] }
      var options = CurlTransport.Options()
      // With a limit for each host, the transport has one I/O thread.
      options.maximumConnectionsPerHost = 2 * count
      let transport = CurlTransport(options: options)
      let first = (0..<count).map { _ in
        ExchangeRecorder(transport, HTTPRequest(url: server.url("/first")))
      }
      _ = await server.requests.entries(count)
      for _ in 0..<count { start.signal() }
      for exchange in first { #expect(await exchange.record.failure == nil) }
      // While a handler blocks the I/O thread, the bytes arrive and the next exchanges are started.
      let (isBlocked, gate) = (Log<Void>(), DispatchSemaphore(value: 0))
      let blocker = ExchangeRecorder(transport, HTTPRequest(url: other.url())) { event in
        guard case .head = event else { return }
        isBlocked.append(())
        gate.wait()
      }
      _ = await isBlocked.entries(1)
      for _ in 0..<count { unasked.signal() }
      _ = await sent.entries(count)
      let second = (0..<count).map { number in
        ExchangeRecorder(transport, HTTPRequest(url: server.url("/\(number)")))
      }
      gate.signal()
      #expect(await blocker.record.failure == nil)
      for (number, exchange) in second.enumerated() {
        #expect(await exchange.record.body == Data("/\(number)".utf8))
      }
    }

    /// From the second exchange on, libcurl may read and pause before it watches the kept connection.
    @Test func aConnectionOfASuspendedExchangeIsNotAKeptConnection() async throws {
      let body = Data.pattern(1 << 20)
      let server = try ScriptedServer { _ in [.respond("200 OK", [], body)] }
      let other = try ScriptedServer { _ in [.respond()] }
      for _ in 0..<50 {
        let suspended = Mutex<ExchangeRecorder?>(nil)
        let gate = DispatchSemaphore(value: 0)
        let first = Mutex(true)
        let isSuspended = Log<Void>()
        let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url())) { event in
          guard case .body = event, first.withLock({ $0.exchange(with: false) }) else { return }
          gate.wait()
          suspended.withLock { $0 }?.suspend()
          isSuspended.append(())
        }
        suspended.withLock { $0 = exchange }
        gate.signal()
        _ = await isSuspended.entries(1)
        // The exchanges of the other server let the I/O thread see that the connection is readable.
        for _ in 0..<5 { #expect(await transport.get(other.url()).failure == nil) }
        exchange.resume()
        #expect(await exchange.record.body == body)
      }
      #expect(server.connectionCount == 1)
    }

    /// Runs in a separate process, because libcurl before 8.1.0 writes to freed memory.
    @Test func aFirstFieldLineThatIsFoldedIsMalformedOnAnyExchange() async {
      await #expect(processExitsWith: .success) {
        let server = try ScriptedServer { request in
          guard request.target == "/folded" else { return [.respond("200 OK", ["A: b", "C: d"])] }
          return [.text("HTTP/1.1 200 OK\r\n folded\r\nContent-Length: 0\r\n\r\n")]
        }
        let transport = CurlTransport()
        for _ in 0..<20 {
          #expect(await transport.get(server.url()).failure == nil)
          let record = await transport.get(server.url("/folded"))
          #expect(record.failure?.code == .malformedResponse)
        }
      }
    }
  }

  extension Bool {
    fileprivate mutating func exchange(with new: Bool) -> Bool {
      defer { self = new }
      return self
    }
  }
#endif
