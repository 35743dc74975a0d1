#if os(Linux)
  import CatenaSystem
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// Requests of which an HTTP/2 server states that it did not process them.
  ///
  /// Source: RFC 9113 sections 6.8 and 8.7.
  @Suite(.gated, .needsServerTLS)
  struct CurlRefusalTests {
    private let fixture: HTTP2Fixture
    private let folder = TemporaryFolder()

    init() async throws {
      fixture = try await HTTP2Fixture()
    }

    private var transport: CurlTransport { fixture.transport }

    /// A server that numbers the requests of all connections from 0.
    private func server(
      _ script: @escaping @Sendable (_ number: Int, RawRequest) -> [ScriptedServer.Step]
    ) throws -> ScriptedServer {
      let count = Counter()
      return try fixture.server { request in script(count.add() - 1, request) }
    }

    enum BodyKind: CaseIterable {
      case none, small, large, file, stream

      func body(_ data: Data, in folder: TemporaryFolder) throws -> HTTPBody {
        switch self {
        case .none: return .none
        case .small, .large: return .data(data)
        case .file:
          let url = folder.url("body")
          try data.write(to: url)
          return .file(url)
        case .stream:
          return .stream(
            BodyStream {
              AsyncStream {
                $0.yield(data); $0.finish()
              }
            })
        }
      }

      var data: Data {
        switch self {
        case .none: Data()
        case .small: Data("body".utf8)
        default: .pattern(300 << 10)
        }
      }
    }

    @Test(arguments: [HTTPMethod.post, .get], BodyKind.allCases)
    func aRequestWithARefusedStreamIsSentAgain(_ method: HTTPMethod, _ kind: BodyKind) async throws
    {
      let server = try server { number, request in
        number == 0 ? [.reset(request)] : [.respond(to: request)]
      }
      let body = try kind.body(kind.data, in: folder)
      let record = await transport.perform(
        HTTPRequest(method: method, url: server.secureURL, body: body))
      #expect(record.failure == nil)
      #expect(record.head?.version == "2")
      #expect(server.requests.entries.map(\.body) == [kind.data, kind.data])
    }

    @Test func aPOSTWithARefusedStreamOfAReusedConnectionIsSentAgain() async throws {
      let server = try server { number, request in
        number == 1 ? [.reset(request)] : [.respond(to: request)]
      }
      for _ in 0..<2 {
        #expect(await transport.perform(fixture.post(server)).failure == nil)
      }
      // The server refuses the first connection, which offers HTTP/1.1 alone.
      #expect(server.requests.entries.map(\.connection) == [1, 1, 2])
    }

    @Test(arguments: BodyKind.allCases)
    func aPOSTExcludedByGOAWAYIsSentAgain(_ kind: BodyKind) async throws {
      let server = try server { number, request in
        number == 1 ? [.goAway(lastStream: 1)] : [.respond(to: request)]
      }
      let request = fixture.post(server, try kind.body(kind.data, in: folder))
      for _ in 0..<2 { #expect(await transport.perform(request).failure == nil) }
      // The server refuses the first connection of requests with a body, which offers HTTP/1.1 alone.
      #expect(
        server.requests.entries.map(\.connection) == (kind == .none ? [0, 0, 1] : [1, 1, 2]))
      #expect(server.requests.entries.allSatisfy { $0.body == kind.data })
    }

    @Test func onlyTheStreamsExcludedByGOAWAYAreSentAgain() async throws {
      let first = Mutex<RawRequest?>(nil)
      let server = try server { number, request in
        switch number {
        case 0:
          first.withLock { $0 = request }
          return []
        case 1:
          return [.goAway(lastStream: 1)] + first.withLock { $0.map { [.respond(to: $0)] } ?? [] }
        default: return [.respond(to: request)]
        }
      }
      // Requests without a body share a connection.
      let kept = ExchangeRecorder(transport, fixture.post(server, .none))
      _ = await server.requests.entries(1)
      let excluded = ExchangeRecorder(transport, fixture.post(server, .none))
      #expect(await kept.record.body == Data("1".utf8))
      #expect(await excluded.record.body == Data("1".utf8))
      #expect(
        server.requests.entries.map { "\($0.connection) \($0.stream)" } == ["0 1", "0 3", "1 1"])
    }

    @Test func aSecondGOAWAYLowersTheLastStream() async throws {
      let server = try server { number, request in
        number == 1
          ? [.goAway(lastStream: 0x7FFF_FFFF), .goAway(lastStream: 1)]
          : [.respond(to: request)]
      }
      for _ in 0..<2 {
        #expect(await transport.perform(fixture.post(server)).failure == nil)
      }
      #expect(server.requests.entries.count == 3)
    }

    /// The ways in which a connection or a stream ends although the request may have been processed.
    static let ambiguousEnds: [[@Sendable (RawRequest) -> ScriptedServer.Step]] = [
      [{ _ in .close }],
      [{ _ in .reset }],
      [{ .goAway(lastStream: $0.stream) }, { _ in .close }],
      [{ _ in .goAway(lastStream: 0x7FFF_FFFF) }, { _ in .close }],
      [{ .reset($0, code: 2) }],
      [{ .reset($0, code: 2) }, { _ in .close }],
      [{ .reset($0, code: 8) }, { _ in .close }],
      [{ .goAway(lastStream: $0.stream) }, { .reset($0, code: 2) }],
      [{ .frame(1, flags: 4, $0.stream, Data([0x88])) }, { _ in .close }],
    ]

    @Test(arguments: ambiguousEnds.indices, [false, true])
    func aPOSTThatMayHaveBeenProcessedIsSentOnce(_ end: Int, _ isReused: Bool) async throws {
      let server = try server { number, request in
        isReused && number == 0
          ? [.respond(to: request)] : Self.ambiguousEnds[end].map { $0(request) }
      }
      if isReused { #expect(await transport.perform(fixture.post(server)).failure == nil) }
      let record = await transport.perform(fixture.post(server))
      #expect(record.failure?.code == .connectionLost)
      #expect(record.failure?.detail.isEmpty == false)
      #expect(server.requests.entries.count == (isReused ? 2 : 1))
    }

    /// The caller would otherwise get two heads.
    @Test func aRequestWhoseResponseHasBegunIsNotSentAgainAfterAGOAWAY() async throws {
      let hasHead = DispatchSemaphore(value: 0)
      let server = try server { number, request in
        number > 0
          ? [.respond(to: request)]
          : [
            .frame(1, flags: 4, request.stream, Data([0x88])), .run { hasHead.wait() },
            .goAway(lastStream: 0),
          ]
      }
      let exchange = ExchangeRecorder(transport, fixture.post(server)) { event in
        if case .head = event { hasHead.signal() }
      }
      let record = await exchange.record
      #expect(record.failure?.code == .connectionLost)
      #expect(record.order.count { $0 == "head" } == 1)
      #expect(server.requests.entries.count == 1)
    }

    @Test func aGOAWAYOfOneConnectionSaysNothingAboutAnother() async throws {
      let server = try server { number, request in
        switch number {
        case 0: [.goAway(lastStream: 1), .respond(to: request)]
        case 1: [.respond(to: request)]
        default: [.close]
        }
      }
      #expect(await transport.get(server.secureURL).failure == nil)
      #expect(await transport.get(server.secureURL).failure == nil)
      let record = await transport.perform(fixture.post(server, .none))
      #expect(record.failure?.code == .connectionLost)
      #expect(server.requests.entries.map(\.connection) == [0, 1, 1])
    }

    @Test(arguments: [true, false])
    func aStreamThatCannotBeReadAgainFailsWithItsReason(_ isGoAway: Bool) async throws {
      let server = try server { number, request in
        guard number == 1 else { return [.respond(to: request)] }
        return isGoAway ? [.goAway(lastStream: 1)] : [.reset(request)]
      }
      #expect(await transport.perform(fixture.post(server)).failure == nil)
      let stream = BodyStream(
        once: AsyncStream {
          $0.yield(Data("once".utf8)); $0.finish()
        })
      let record = await transport.perform(fixture.post(server, .stream(stream)))
      #expect(record.failure?.code == .encodingFailed)
      #expect(record.failure?.detail.contains("has already been sent") == true)
      #expect(server.requests.entries.count == 2)
    }

    @Test(arguments: [true, false])
    func aServerThatExcludesEveryRequestIsGivenUp(_ isGoAway: Bool) async throws {
      let server = try server { _, request in
        isGoAway ? [.goAway(lastStream: 0)] : [.reset(request)]
      }
      let record = await transport.perform(fixture.post(server))
      #expect(record.failure?.code == .connectionLost)
      #expect((2...700).contains(server.requests.entries.count))
    }

    @Test func aCancelledRequestIsNotSentAgain() async throws {
      let server = try server { _, request in [.hold, .goAway(lastStream: 0)] }
      let exchange = ExchangeRecorder(transport, fixture.post(server))
      _ = await server.requests.entries(1)
      exchange.cancel()
      server.release()
      #expect(await exchange.record.failure?.code == .cancelled)
      #expect(await transport.get(server.secureURL).failure != nil)
      #expect(server.requests.entries.count { !$0.body.isEmpty } == 1)
    }
  }
#endif
