#if os(Linux)
  import Foundation
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// Requests with a body to servers that respond before they have read it.
  @Suite(.gated, .needsServerTLS)
  struct CurlEarlyResponseTests {
    private let fixture: HTTP2Fixture
    private let folder = TemporaryFolder()
    /// A body that does not fit into the window of a stream that the server does not read.
    private static let largeBody = HTTPBody.data(.pattern(300 << 10))

    init() async throws {
      fixture = try await HTTP2Fixture()
    }

    private var transport: CurlTransport { fixture.transport }

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
      let server = try fixture.server(.both)
      #expect(await transport.perform(fixture.request(.get, server)).head?.version == "2")
      for body in try bodies() {
        let record = await transport.perform(fixture.post(server, body))
        #expect(record.head?.version == "1.1")
      }
      #expect(await transport.perform(fixture.request(.post, server)).head?.version == "2")
      #expect(server.requests.entries.map(\.connection) == [0, 1, 1, 1, 0])
      #expect(server.requests.entries.dropFirst().prefix(3).allSatisfy { $0.bodyCount == 4 })
    }

    /// One server sends the alert `no_application_protocol`, the other one ignores ALPN.
    @Test(arguments: [(ServerTLS.Protocols.http2, "2"), (.none, "1.1")])
    func aServerThatDoesNotSelectHTTP1GetsEachRequestOnce(
      _ protocols: ServerTLS.Protocols, _ version: String
    ) async throws {
      for body in try bodies() {
        let server = try fixture.server(protocols)
        let record = await transport.perform(fixture.post(server, body))
        #expect(record.failure == nil)
        #expect(record.head?.version == version)
        let put = fixture.request(.put, server, .data(Data("body".utf8)))
        #expect(await transport.perform(put).failure == nil)
        #expect(server.requests.entries.map(\.body) == [Data("body".utf8), Data("body".utf8)])
        #expect(server.requests.entries.map(\.connection) == [1, 1])
        #expect(server.connectionCount == 2)
      }
    }

    @Test func manyRequestsToAServerOfHTTP2CanBeCancelled() async throws {
      let server = try fixture.server() { _ in [.stall] }
      let exchanges = (0..<20).map { _ in
        ExchangeRecorder(transport, fixture.post(server, .data(Data("body".utf8))))
      }
      for exchange in exchanges { exchange.cancel() }
      for exchange in exchanges {
        let record = await exchange.record
        #expect(record.failure?.code == .cancelled)
        #expect(record.lastEvents == 1)
      }
    }

    /// Starts an upload of two pieces.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - observe: A closure that is called with the body of the response, and can send the second piece.
    /// - Returns: The exchange, and a closure that sends the second piece.
    private func upload(
      to server: ScriptedServer, _ observe: @escaping @Sendable (_ sendRest: () -> Void) -> Void
    ) -> (ExchangeRecorder, sendRest: @Sendable () -> Void) {
      let (stream, pieces) = AsyncStream<Data>.makeStream()
      pieces.yield(Data("first".utf8))
      let sendRest: @Sendable () -> Void = {
        pieces.yield(Data("last".utf8))
        pieces.finish()
      }
      let body = HTTPBody.stream(BodyStream(length: 9, once: stream))
      let exchange = ExchangeRecorder(transport, fixture.post(server, body)) { event in
        if case .body = event { observe(sendRest) }
      }
      return (exchange, sendRest)
    }

    /// The last bytes of the client end the stream, and the length of the response is not known.
    @Test func theEndOfAResponseThatIsCompleteBeforeTheBodyIsSeen() async throws {
      let server = try fixture.server(answersEarly: { _ in true }) { [.respond(to: $0)] }
      let record = await upload(to: server, { sendRest in sendRest() }).0.record
      #expect(record.failure == nil)
      #expect(record.body == Data("1".utf8))
    }

    /// Source: RFC 9113 section 8.1.
    @Test func aResponseWhoseStreamIsResetWithoutAnErrorIsComplete() async throws {
      let (hasBody, received) = (DispatchSemaphore(value: 0), Log<Void>())
      let server = try fixture.server(answersEarly: { _ in true }) { request in
        [
          .respond(to: request), .run { hasBody.wait() }, .reset(request, code: 0),
          .run { received.append(()) },
        ]
      }
      let (exchange, sendRest) = upload(to: server) { _ in hasBody.signal() }
      _ = await received.entries(1)
      sendRest()
      let record = await exchange.record
      #expect(record.failure == nil)
      #expect(record.body == Data("1".utf8))
    }

    /// Each stream has a connection of its own, from which no other stream reads its frames.
    @Test(arguments: [ServerTLS.Protocols.both, .http2])
    func noResponseIsLostIfEachStreamIsResetAfterIt(_ protocols: ServerTLS.Protocols) async throws {
      let server = try fixture.server(protocols, answersEarly: { _ in true }) { request in
        let response = ScriptedServer.Step.respond(to: request, status: 401)
        return request.stream > 0 ? [response, .reset(request, code: 0)] : [response]
      }
      let exchanges = (0..<20).map { _ in
        ExchangeRecorder(transport, fixture.post(server, Self.largeBody))
      }
      for exchange in exchanges {
        let record = await exchange.record
        #expect(record.failure == nil)
        #expect(record.head?.status == 401)
        #expect(!record.body.isEmpty)
      }
      #expect(server.requests.entries.count == 20)
    }

    /// libcurl 7.88 drops the bytes that are in one TLS record with the reset.
    @Test func aResponseThatItsResetCutsIsNotComplete() async throws {
      let hasHead = DispatchSemaphore(value: 0)
      let server = try fixture.server(answersEarly: { _ in true }) { request in
        [
          .frame(1, flags: 4, request.stream, Data([0x88])), .run { hasHead.wait() },
          .all([
            .frame(0, flags: 1, request.stream, Data("body".utf8)), .reset(request, code: 0),
          ]),
        ]
      }
      let exchange = ExchangeRecorder(transport, fixture.post(server, Self.largeBody)) { event in
        if case .head = event { hasHead.signal() }
      }
      let record = await exchange.record
      if record.failure == nil {
        #expect(record.body == Data("body".utf8))
      } else {
        #expect(record.failure?.code == .connectionLost)
        #expect(record.failure?.detail.contains("may be missing") == true)
      }
    }

    /// The first response is in one TLS record with the reset.
    @Test(arguments: [HTTPMethod.put, .post])
    func onlyAnIdempotentRequestIsSentAgainIfNothingOfItsResponseIsReceived(
      _ method: HTTPMethod
    ) async throws {
      let count = Counter()
      let server = try fixture.server(answersEarly: { _ in true }) { request in
        let steps = [ScriptedServer.Step.respond(to: request), .reset(request, code: 0)]
        return count.add() == 1 ? [.all(steps)] : steps
      }
      let record = await transport.perform(fixture.request(method, server, Self.largeBody))
      if method == .put {
        #expect(record.failure == nil)
        #expect(record.body.count == 1)
      } else {
        #expect(record.failure == nil || record.failure?.code == .connectionLost)
        #expect(server.requests.entries.count == 1)
      }
    }

    /// The server reads no body with an expired token.
    @Test(arguments: [ServerTLS.Protocols.both, .http2])
    func anExpiredTokenIsRefreshedOnceForAllUploads(_ protocols: ServerTLS.Protocols) async throws {
      // The Huffman codes of tildes are longer than the tildes, so they are sent as they are.
      let (old, new) = ("old~~~~~~~~", "new~~~~~~~~")
      let server = try fixture.server(
        protocols, answersEarly: { request in request.fields.contains { $0.contains(old) } }
      ) { request in
        guard request.fields.contains(where: { $0.contains(old) }) else {
          return [.respond(to: request)]
        }
        return request.stream > 0
          ? [.respond(to: request, status: 401), .reset(request, code: 0)]
          : [.respond("401 Unauthorized", ["Connection: close"])]
      }
      let client = Networking<Request>(transport: transport, configuration: .plain)
      client.baseURL = server.secureURL
      client.authenticate(bearerToken: old)
      let refreshes = Counter()
      client.interceptors = [
        RefreshInterceptor { [weak client] _ in
          refreshes.add()
          client?.authenticate(bearerToken: new)
          return Promise<Void>.fulfilled(())
        }
      ]
      let body = Data.pattern(100_000)
      let uploads = (0..<20).map { client.request(.upload(data: body, to: "\($0)")) }
      for upload in uploads { #expect(try await upload.value.status == 200) }
      #expect(refreshes.value == 1)
      let accepted = server.requests.entries.filter { $0.fields.contains { $0.contains(new) } }
      #expect(accepted.map(\.body) == Array(repeating: body, count: 20))
    }

    /// Over HTTP/2, requests without a body share a connection.
    @Test(arguments: [2, 5])
    func theLimitOfConnectionsHoldsForBothKindsOfRequests(_ limit: Int) async throws {
      let server = try fixture.server(.both) { [.hold, .respond(to: $0)] }
      let transport = try fixture.transport(maximumConnectionsPerHost: limit)
      let bodies = [HTTPBody.none, .data(Data("body".utf8))]
      let exchanges = (0..<20).map {
        ExchangeRecorder(transport, fixture.request(.put, server, bodies[$0 % 2]))
      }
      // One connection without bodies, and half of the limit with bodies.
      _ = await server.requests.entries(1 + limit / 2)
      server.release()
      for exchange in exchanges { #expect(await exchange.record.failure == nil) }
      #expect(server.connectionCount == 1 + limit / 2)
    }

    @Test func aSingleConnectionCarriesRequestsWithAndWithoutABody() async throws {
      let server = try fixture.server(.both)
      let transport = try fixture.transport(maximumConnectionsPerHost: 1)
      for body in [HTTPBody.none, .data(Data("body".utf8)), .none] {
        #expect(await transport.perform(fixture.request(.put, server, body)).head?.version == "2")
      }
      #expect(server.connectionCount == 1)
    }

    @Test func atMostAHundredConnectionsAreOpenedForBodies() async throws {
      let server = try fixture.server(.both) { [.hold, .respond(to: $0)] }
      let exchanges = (0..<150).map { _ in ExchangeRecorder(transport, fixture.post(server)) }
      _ = await server.requests.entries(100)
      server.release()
      for exchange in exchanges { #expect(await exchange.record.failure == nil) }
      #expect(server.connectionCount == 100)
    }

    /// The second frame is larger than `SETTINGS_MAX_FRAME_SIZE`, which is 16,384.
    @Test func aBodyThatAnErrorOfTheFramingCutsIsNotComplete() async throws {
      let server = try fixture.server() { request in
        [
          .frame(1, flags: 4, request.stream, Data([0x88])),
          .frame(0, request.stream, Data("cut".utf8)),
          .frame(0, flags: 1, request.stream, Data(count: 17_000)),
        ]
      }
      #expect(await transport.perform(fixture.request(.get, server)).failure != nil)
    }

    @Test func aCompleteBodyOnAConnectionThatEndsIsComplete() async throws {
      let server = try fixture.server() {
        [.goAway(lastStream: $0.stream), .respond(to: $0)]
      }
      for _ in 0..<3 {
        let record = await transport.perform(fixture.request(.get, server))
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
      let server = try fixture.server() { request in
        switch count.add() {
        case 2...5: []
        case 6: Self.brokenConnections[end]
        default: [.respond(to: request)]
        }
      }
      #expect(await transport.perform(fixture.request(.get, server)).failure == nil)
      let exchanges = (0..<5).map { _ in ExchangeRecorder(transport, fixture.request(.get, server))
      }
      for exchange in exchanges { #expect(await exchange.record.failure == nil) }
      #expect(server.requests.entries.count == 11)
      #expect(server.requests.entries.prefix(6).allSatisfy { $0.connection == 0 })
    }

    @Test func aRequestThatBreaksItsNewConnectionIsNotSentAgain() async throws {
      let count = Counter()
      let server = try fixture.server() { count.add() == 1 ? [.respond(to: $0)] : [.close] }
      #expect(await transport.perform(fixture.request(.get, server)).failure == nil)
      #expect(
        await transport.perform(fixture.request(.get, server)).failure?.code == .connectionLost)
      #expect(server.requests.entries.map(\.connection) == [0, 0, 1])
    }
  }
#endif
