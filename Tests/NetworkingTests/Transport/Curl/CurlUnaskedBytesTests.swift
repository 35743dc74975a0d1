#if os(Linux)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// Bytes that a server sends after a complete response, and that libcurl has not read with it.
  @Suite(.gated)
  struct CurlUnaskedBytesTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

    /// A server that sends the end of the response to `/first` together with another response.
    private func server(
      over tls: ServerTLS? = nil, beforeTheEnd wait: @escaping @Sendable () -> Void
    ) throws -> ScriptedServer {
      try ScriptedServer(tls: tls) { request in
        guard request.target == "/first" else {
          return [.respond("200 OK", [], Data(request.target.utf8))]
        }
        return [.text(Self.head), .run(wait), .text("first\(Self.head)other")]
      }
    }

    @Test func anExchangeThatWaitsForAConnectionDoesNotGetThem() async throws {
      let end = DispatchSemaphore(value: 0)
      let server = try server { end.wait() }
      let second = HTTPRequest(url: server.url("/second"))
      #expect(try await record(of: second, after: server, end).body == Data("/second".utf8))
    }

    /// The I/O thread begins the second exchange before it looks at its connections again.
    @Test func anExchangeThatAHandlerStartsDoesNotGetThem() async throws {
      let (hasResponse, hasBytes) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let server = try ScriptedServer { request in
        guard request.target == "/first" else {
          return [.respond("200 OK", [], Data(request.target.utf8))]
        }
        return [
          .text("\(Self.head)first"), .run { hasResponse.wait() }, .text("\(Self.head)other"),
          .run { hasBytes.signal() },
        ]
      }
      let (transport, second) = (CurlTransport(), Log<ExchangeRecorder>())
      let first = ExchangeRecorder(transport, HTTPRequest(url: server.url("/first"))) { event in
        guard event.isLast else { return }
        hasResponse.signal()
        hasBytes.wait()
        second.append(ExchangeRecorder(transport, HTTPRequest(url: server.url("/second"))))
      }
      #expect(await first.record.body == Data("first".utf8))
      #expect(await second.entries(1).first?.record.body == Data("/second".utf8))
    }

    /// The other connection has no bytes to read, and the same ports, because the namespace has one only.
    @Test(.enabled(NetworkNamespace.requirement) { await NetworkNamespace.isPermitted })
    func theyAreFoundOnAConnectionWhosePortsAnotherOneHasToo() async throws {
      let namespace = try NetworkNamespace("shared-port")
      #expect(await namespace.lines(1) == ["/second"])
      let end = await namespace.end()
      #expect(end.status == .exited(0), "\(end.errors)")
    }

    /// The connection is found to be unusable before the first byte of the body is read.
    @Test func aStreamThatCannotBeReadAgainIsSentOnAnotherConnection() async throws {
      let end = DispatchSemaphore(value: 0)
      let server = try server { end.wait() }
      let stream = BodyStream(
        once: AsyncStream {
          $0.yield(Data("once".utf8)); $0.finish()
        })
      let second = HTTPRequest(
        method: .post, url: server.url("/second"), body: .stream(stream))
      let exchange = try await record(of: second, after: server, end)
      #expect(exchange.failure == nil)
      #expect(exchange.body == Data("/second".utf8))
      #expect(server.requests.entries.map(\.body) == [Data(), Data("once".utf8)])
    }

    /// Performs an exchange that waits for the connection of a request to `/first`.
    ///
    /// libcurl starts the exchange in the step in which the first one ends.
    ///
    /// - Parameters:
    ///   - request: The request of the exchange.
    ///   - server: The server of both requests.
    ///   - end: The semaphore that the server waits for before the end of the first response.
    /// - Returns: The record of the exchange.
    /// - Throws: A `TestError` if no socket is available.
    private func record(
      of request: HTTPRequest, after server: ScriptedServer, _ end: DispatchSemaphore
    ) async throws -> ExchangeRecord {
      let hasHead = Log<Void>()
      let other = try ScriptedServer { _ in [.respond()] }
      var options = CurlTransport.Options()
      options.maximumConnectionsPerHost = 1
      let transport = CurlTransport(options: options)
      let first = ExchangeRecorder(transport, HTTPRequest(url: server.url("/first"))) { event in
        if case .head = event { hasHead.append(()) }
      }
      _ = await hasHead.entries(1)
      let second = ExchangeRecorder(transport, request)
      // The I/O thread starts the exchanges in order, so the second one now waits.
      #expect(await transport.get(other.url()).failure == nil)
      end.signal()
      #expect(await first.record.body == Data("first".utf8))
      return await second.record
    }

    @Suite(.gated, .needsServerTLS)
    struct OverTLS {
      private let transport: CurlTransport
      private let tls: ServerTLS
      /// Its folder exists as long as this value.
      private let certificates: Certificates

      init() async throws {
        certificates = try await Certificates()
        try await certificates.make("good")
        tls = try ServerTLS(certificates, "good", protocols: .none)
        transport = CurlTransport(options: .init(tls: try certificates.trusting))
      }

      private func url(_ server: ScriptedServer, _ path: String) -> URL {
        LoopbackSocket.url("https", Int(server.port), path: path)
      }

      /// OpenSSL decrypts the other response, so that nothing is left to read on the socket.
      @Test func decryptedBytesAreNotTheNextResponse() async throws {
        let (hasHead, end) = (Log<Void>(), DispatchSemaphore(value: 0))
        let server = try CurlUnaskedBytesTests().server(over: tls) { end.wait() }
        let first = ExchangeRecorder(transport, HTTPRequest(url: url(server, "/first"))) { event in
          if case .head = event { hasHead.append(()) }
        }
        _ = await hasHead.entries(1)
        end.signal()
        #expect(await first.record.body == Data("first".utf8))
        for path in ["/second", "/third"] {
          let record = await transport.get(url(server, path))
          #expect(record.body == Data(path.utf8))
          #expect(record.metrics?.reusedConnection == (path == "/third"))
        }
      }

      /// libcurl would send several requests at once on the connection.
      @Test func aStatusLineOfHTTP2OnAConnectionOfHTTP1IsMalformed() async throws {
        let server = try ScriptedServer(tls: tls) { _ in
          [.text("HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nab")]
        }
        let record = await transport.get(url(server, "/"))
        #expect(record.failure?.code == .malformedResponse)
      }
    }
  }
#endif
