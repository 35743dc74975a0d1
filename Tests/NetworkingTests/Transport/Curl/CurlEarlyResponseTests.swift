#if os(Linux)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// Requests with a body to servers that respond before they have read it.
  @Suite(
    .gated,
    .enabled(
      if: Certificates.areAvailable && ServerTLS.isAvailable,
      "HTTP/2 needs TLS: the openssl tool makes the certificate, and libssl.so.3 uses it"))
  struct CurlEarlyResponseTests {
    private let transport: CurlTransport
    /// Its folder exists as long as this value.
    private let certificates: Certificates
    private let folder = TemporaryFolder()

    init() async throws {
      certificates = try await Certificates()
      try await certificates.make("good")
      transport = CurlTransport(options: .init(tls: try certificates.trusting))
    }

    private func server(
      _ protocols: ServerTLS.Protocols, answersEarly: Bool = false,
      _ script: @escaping ScriptedServer.Script = { request in
        request.stream > 0 ? [.respond(to: request)] : [.respond()]
      }
    ) throws -> ScriptedServer {
      try ScriptedServer(
        tls: ServerTLS(certificates, "good", protocols: protocols),
        answersEarly: { _ in answersEarly }, script)
    }

    private func request(
      _ method: HTTPMethod, _ server: ScriptedServer, _ body: HTTPBody = .none
    ) -> HTTPRequest {
      HTTPRequest(method: method, url: LoopbackSocket.url("https", Int(server.port)), body: body)
    }

    /// Returns a body of each kind with the same bytes.
    private func bodies() throws -> [HTTPBody] {
      let (data, url) = (Data("body".utf8), folder.url("body"))
      try data.write(to: url)
      let stream = BodyStream(
        once: AsyncStream {
          $0.yield(data)
          $0.finish()
        })
      return [.data(data), .file(url), .stream(stream)]
    }

    @Test func requestsWithABodyUseHTTP1IfTheServerSpeaksBothVersions() async throws {
      let server = try server(.both)
      #expect(await transport.perform(request(.get, server)).head?.version == "2")
      for body in try bodies() {
        let record = await transport.perform(request(.post, server, body))
        #expect(record.head?.version == "1.1")
      }
      #expect(await transport.perform(request(.post, server)).head?.version == "2")
      #expect(server.requests.entries.map(\.connection) == [0, 1, 1, 1, 0])
      #expect(server.requests.entries.dropFirst().prefix(3).allSatisfy { $0.bodyCount == 4 })
    }

    /// One server sends the alert `no_application_protocol`, the other one ignores ALPN.
    @Test(arguments: [(ServerTLS.Protocols.http2, "2"), (.none, "1.1")])
    func aServerThatDoesNotSelectHTTP1GetsEachRequestOnce(
      _ protocols: ServerTLS.Protocols, _ version: String
    ) async throws {
      for body in try bodies() {
        let server = try server(protocols)
        let record = await transport.perform(request(.post, server, body))
        #expect(record.failure == nil)
        #expect(record.head?.version == version)
        let put = request(.put, server, .data(Data("body".utf8)))
        #expect(await transport.perform(put).failure == nil)
        #expect(server.requests.entries.map(\.body) == [Data("body".utf8), Data("body".utf8)])
        #expect(server.requests.entries.map(\.connection) == [1, 1])
        #expect(server.connectionCount == 2)
      }
    }

    @Test func manyRequestsToAServerOfHTTP2CanBeCancelled() async throws {
      let server = try server(.http2) { _ in [.stall] }
      let exchanges = (0..<20).map { _ in
        ExchangeRecorder(transport, request(.post, server, .data(Data("body".utf8))))
      }
      for exchange in exchanges { exchange.cancel() }
      for exchange in exchanges {
        let record = await exchange.record
        #expect(record.failure?.code == .cancelled)
        #expect(record.lastEvents == 1)
      }
    }

    /// The last bytes of the client end the stream, and the length of the response is not known.
    @Test func theEndOfAResponseThatIsCompleteBeforeTheBodyIsSeen() async throws {
      let server = try server(.http2, answersEarly: true)
      let (stream, pieces) = AsyncStream<Data>.makeStream()
      pieces.yield(Data("first".utf8))
      let exchange = ExchangeRecorder(
        transport, request(.post, server, .stream(BodyStream(length: 9, once: stream)))
      ) { event in
        guard case .body = event else { return }
        pieces.yield(Data("last".utf8))
        pieces.finish()
      }
      let record = await exchange.record
      #expect(record.failure == nil)
      #expect(record.body == Data("1".utf8))
    }

    /// Source: RFC 9113 section 8.1.
    @Test func aResponseWhoseStreamIsResetWithoutAnErrorIsComplete() async throws {
      let (hasBody, received) = (DispatchSemaphore(value: 0), Log<Void>())
      let server = try server(.http2, answersEarly: true) { request in
        request.stream == 1
          ? [.respond(to: request), .run { hasBody.wait() }, .reset(request, code: 0)]
          : [.respond(to: request)]
      }
      let (stream, pieces) = AsyncStream<Data>.makeStream()
      pieces.yield(Data("first".utf8))
      let exchange = ExchangeRecorder(
        transport, request(.post, server, .stream(BodyStream(length: 9, once: stream)))
      ) { event in
        guard case .body = event else { return }
        hasBody.signal()
        received.append(())
      }
      _ = await received.entries(1)
      // The client reads the frames of a connection in order, so it has read the reset afterwards.
      #expect(await transport.perform(request(.get, server)).failure == nil)
      pieces.yield(Data("last".utf8))
      pieces.finish()
      let record = await exchange.record
      #expect(record.failure == nil)
      #expect(record.body == Data("1".utf8))
    }

    /// The second frame is larger than `SETTINGS_MAX_FRAME_SIZE`, which is 16,384.
    @Test func aBodyThatAnErrorOfTheFramingCutsIsNotComplete() async throws {
      let server = try server(.http2) { request in
        [
          .frame(1, flags: 4, request.stream, Data([0x88])),
          .frame(0, request.stream, Data("cut".utf8)),
          .frame(0, flags: 1, request.stream, Data(count: 17_000)),
        ]
      }
      #expect(await transport.perform(request(.get, server)).failure != nil)
    }

    @Test func aCompleteBodyOnAConnectionThatEndsIsComplete() async throws {
      let server = try server(.http2) {
        [.goAway(lastStream: $0.stream), .respond(to: $0)]
      }
      for _ in 0..<3 {
        let record = await transport.perform(request(.get, server))
        #expect(record.failure == nil)
        #expect(record.body == Data("1".utf8))
      }
    }

    /// The ways in which a connection with the streams 3 to 11 ends.
    static let brokenConnections: [[ScriptedServer.Step]] = [
      [.close], [.reset], [.goAway(lastStream: 11), .close],
      stride(from: 3, through: 11, by: 2).map { .frame(3, $0, Data(count: 4)) } + [.close],
    ]

    /// libcurl sends only the first one again.
    @Test(arguments: brokenConnections.indices)
    func idempotentRequestsOfAKeptConnectionThatBreaksAreSentAgain(_ end: Int) async throws {
      let count = Counter()
      let server = try server(.http2) { request in
        switch count.add() {
        case 2...5: []
        case 6: Self.brokenConnections[end]
        default: [.respond(to: request)]
        }
      }
      #expect(await transport.perform(request(.get, server)).failure == nil)
      let exchanges = (0..<5).map { _ in ExchangeRecorder(transport, request(.get, server)) }
      for exchange in exchanges { #expect(await exchange.record.failure == nil) }
      #expect(server.requests.entries.count == 11)
      #expect(server.requests.entries.prefix(6).allSatisfy { $0.connection == 0 })
    }

    @Test func aRequestThatBreaksItsNewConnectionIsNotSentAgain() async throws {
      let count = Counter()
      let server = try server(.http2) { count.add() == 1 ? [.respond(to: $0)] : [.close] }
      #expect(await transport.perform(request(.get, server)).failure == nil)
      #expect(await transport.perform(request(.get, server)).failure?.code == .connectionLost)
      #expect(server.requests.entries.map(\.connection) == [0, 0, 1])
    }
  }
#endif
