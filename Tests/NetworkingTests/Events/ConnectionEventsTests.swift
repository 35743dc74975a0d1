#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// The events of calls over sockets.
  @Suite(.gated, .serialized)
  struct ConnectionEventsTests {
    private let monitor = RecordingMonitor()

    private func client(
      _ base: URL, _ transport: any Transport = PlatformTransport.make(),
      _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
    ) -> Networking<Request> {
      var configuration = NetworkingConfiguration.plain
      configuration.monitors = [monitor]
      configure(&configuration)
      let client = Networking<Request>(
        transport: transport, configuration: configuration)
      client.baseURL = base
      client.callbackContext = .inline
      return client
    }

    @Test func timesAreMonotonic() async throws {
      let server = try MockServer { Route(.get, "/boards", .text("hello")) }
      let client = client(server.url)
      for _ in 0..<3 { _ = try await client.request(.get("/boards")).value }
      for call in await monitor.events(ofCalls: 3).byCall {
        #expect(zip(call, call.dropFirst()).allSatisfy { $0.elapsed <= $1.elapsed })
        #expect(call.first?.elapsed ?? .zero >= .zero)
      }
    }

    @Test func aBodyIsSentBeforeTheHead() async throws {
      let server = try MockServer { Route(.post, "/boards", .text("hello", status: 201)) }
      let client = client(server.url)
      _ = try await client.request(.post("/boards", parameters: ["a": 1])).value
      let stream = BodyStream {
        AsyncStream { pieces in
          pieces.yield(Data("some bytes".utf8))
          pieces.finish()
        }
      }
      _ = try await client.request(.upload(stream: stream, to: "/boards")).value
      let calls = await monitor.events(ofCalls: 2).byCall
      #expect(
        calls.first?.kinds.filter { $0.contains("sen") } == [
          "sending 7 bytes", "request sent, 7 bytes",
        ])
      #expect(
        calls.last?.kinds.filter { $0.contains("sen") } == [
          "sending a body of unknown size", "request sent, 10 bytes",
        ])
      for call in calls {
        #expect(
          call.kinds.suffix(4).map { $0.prefix(12) } == [
            "request sent", "head 201", "body of 5 by", "finished wit",
          ])
      }
    }

    @Test func anUnknownHostFailsBeforeTheResolution() async throws {
      let client = client(.of("http://catena.invalid/"))
      _ = client.request(.get("/")).fail { _ in }
      let events = await monitor.events(ofCalls: 1)
      #expect(events.kinds.dropLast() == ["queued", "started", "sending"])
      guard case .failed(let failure)? = events.last?.kind else { return #expect(Bool(false)) }
      #expect(failure.code == .dnsFailed)
    }

    /// Returns the events of a connection, which only the transport for Linux reports.
    private func connection(_ kinds: String...) -> [String] {
      #if os(Linux)
        kinds
      #else
        []
      #endif
    }

    @Test func aRefusedConnectionFailsAfterTheResolution() async throws {
      let port = try ClosedPort()
      let client = client(port.url)
      _ = client.request(.get("/")).fail { _ in }
      let events = await monitor.events(ofCalls: 1)
      #expect(
        events.kinds.dropLast() == ["queued", "started", "sending"] + connection("resolved"))
      guard case .failed(let failure)? = events.last?.kind else { return #expect(Bool(false)) }
      #expect(failure.code == .cannotConnect)
    }

    @Test(.enabled(if: Certificates.areAvailable, "The openssl tool makes the certificates"))
    func anUntrustedConnectionIsAFailure() async throws {
      let certificates = try await Certificates()
      try await certificates.make("good")
      let server = try await TLSServer(certificates, "good")
      let client = client(server.url)
      _ = client.request(.get("/")).fail { _ in }
      let events = await monitor.events(ofCalls: 1)
      // libcurl 7.88 does not report an established connection whose TLS handshake fails.
      let kinds = events.kinds.map { String($0.prefix(9)) }
      #expect(
        kinds.filter { $0 != "connected" }.dropLast()
          == ["queued", "started", "sending"] + connection("resolved"))
      guard case .failed(let failure)? = events.last?.kind else { return #expect(Bool(false)) }
      #expect(failure.code == .tlsUntrusted)
    }

    // URLSession reports connections at the end only.
    #if os(Linux)
      @Test func aNewConnectionIsResolvedAndConnectedAndAReusedOneOnlyConnected() async throws {
        let server = try MockServer { Route(.get, "/boards", .text("hello")) }
        let client = client(server.url)
        let first = try await client.request(.get("/boards")).value
        _ = try await client.request(.get("/boards")).value
        let calls = await monitor.events(ofCalls: 2).byCall
        let address = "127.0.0.1:\(server.port)"
        let end = ["request sent", "head 200", "body of 5 bytes", "finished with 200"]
        #expect(
          calls.map(\.kinds) == [
            ["queued", "started", "sending", "resolved", "connected to \(address)"] + end,
            ["queued", "started", "sending", "connected to \(address), reused"] + end,
          ])
        #expect(first.metrics.remoteAddress == "127.0.0.1")
        #expect(first.metrics.remotePort == server.port && first.metrics.httpVersion == "1.1")
      }

      @Test func theServerIsReportedBeforeTheResponse() async throws {
        let server = try ScriptedServer { _ in [.stall, .respond()] }
        let client = client(server.url())
        _ = client.request(.get("/"))
        let events = await monitor.events(6)
        #expect(
          events.kinds.suffix(3) == [
            "resolved", "connected to 127.0.0.1:\(server.port)", "request sent",
          ])
        server.release()
        #expect(await monitor.events(ofCalls: 1).kinds.last == "finished with 200")
      }

      @Test func aClosedConnectionIsReplaced() async throws {
        let server = try ScriptedServer { request in
          request.target == "/first" || request.connection > 0 ? [.respond()] : [.close]
        }
        let client = client(server.url())
        _ = try await client.request(.get("/first")).value
        _ = try await client.request(.get("/second")).value
        let call = await monitor.events(ofCalls: 2).byCall.last
        let address = "127.0.0.1:\(server.port)"
        #expect(
          call?.kinds == [
            "queued", "started", "sending", "connected to \(address), reused", "request sent",
            "resolved", "connected to \(address)", "request sent", "head 200", "body of 0 bytes",
            "finished with 200",
          ])
      }

      @Test func aRetryAndARedirectReuseTheConnection() async throws {
        let server = try MockServer {
          Route(.get, "/old", .sequence(.status(503), .redirect(to: "/new")))
          Route(.get, "/new", .text("there"))
        }
        let client = client(server.url) { $0.retry = .immediate(limit: 1) }
        _ = try await client.request(.get("/old")).value
        let events = await monitor.events(ofCalls: 1).map { "\($0.attempt).\($0.hop) \($0.kind)" }
        let address = "127.0.0.1:\(server.port)"
        #expect(
          events == [
            "0.0 queued", "0.0 started", "1.1 sending", "1.1 resolved",
            "1.1 connected to \(address)",
            "1.1 request sent", "1.1 head 503", "1.1 body of 0 bytes",
            "1.1 retrying in 0.0 seconds (attempt 2): the status 503 is not acceptable",
            "2.1 sending", "2.1 connected to \(address), reused", "2.1 request sent",
            "2.1 head 302",
            "2.1 body of 0 bytes", "2.1 redirected to \(server.url.absoluteString)/new",
            "2.2 sending", "2.2 connected to \(address), reused", "2.2 request sent",
            "2.2 head 200",
            "2.2 body of 5 bytes", "2.2 finished with 200",
          ])
      }

      @Test(.enabled(if: Certificates.areAvailable, "The openssl tool makes the certificates"))
      func aTLSConnectionIsSecuredAfterItIsConnected() async throws {
        let certificates = try await Certificates()
        try await certificates.make("good")
        let server = try await TLSServer(certificates, "good")
        let trusting = try certificates.trusting
        let client = client(server.url, CurlTransport(options: .init(tls: trusting)))
        _ = try await client.request(.get("/")).value
        let events = await monitor.events(ofCalls: 1).kinds
        #expect(
          events.dropFirst(3).prefix(4) == [
            "resolved", "connected to 127.0.0.1:\(server.port)", "secured", "request sent",
          ])
      }

      @Test func aReusedHandleReportsOnlyToCurrentMonitors() async throws {
        let server = try ScriptedServer { _ in [.respond()] }
        let transport = CurlTransport()
        var orders: [[String]] = []
        for reportsConnection in [true, true, false, true] {
          var request = HTTPRequest(url: server.url())
          request.options.reportsConnection = reportsConnection
          orders.append(await transport.perform(request).order)
        }
        let watched = ["connected", "head", "end"]
        #expect(orders == [watched, watched, ["head", "end"], watched])
      }

      @Test func headEventsHaveTheirSizes() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\n"
        let server = try ScriptedServer { _ in [.text(head + "hello")] }
        let client = client(server.url())
        let metrics = try await client.request(.get("/")).value.metrics
        #expect(metrics.headBytesReceived == Int64(head.utf8.count))
        #expect(metrics.bytesReceived == 5)
        let sent = try #require(metrics.headBytesSent)
        #expect(sent > 30 && sent < 2_000)
        let posted = try await client.request(.post("/", parameters: ["a": 1])).value.metrics
        #expect(posted.headBytesSent == nil && posted.bytesSent == 7)
      }
    #endif
  }
#endif
