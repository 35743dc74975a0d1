#if os(Linux)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// The response 421, after which a request is sent once more on another connection.
  ///
  /// Source: RFC 9110 section 15.5.20.
  @Suite(.gated)
  struct CurlMisdirectionTests {
    private let transport = CurlTransport()

    /// A server that responds with 421 on its first connections, except to `/first`.
    private func server(rejecting connections: Int) throws -> ScriptedServer {
      try ScriptedServer { request in
        request.connection < connections && request.target != "/first"
          ? [.respond("421 Misdirected Request", [], Data("no".utf8))]
          : [.respond("200 OK", [], Data("yes".utf8))]
      }
    }

    private static let file = BodyStream(length: 4) {
      AsyncStream {
        $0.yield(Data("body".utf8)); $0.finish()
      }
    }

    @Test(
      arguments: [
        (.get, .none), (.delete, .none), (.post, .data(Data("body".utf8))),
        (.patch, .data(Data(repeating: 0x61, count: 100_000))), (.post, .stream(file)),
      ] as [(HTTPMethod, HTTPBody)], [false, true])
    func aRequestIsSentOnceMoreOnAnotherConnection(
      _ sent: (method: HTTPMethod, body: HTTPBody), _ isKept: Bool
    ) async throws {
      let server = try server(rejecting: 1)
      if isKept { #expect(await transport.get(server.url("/first")).head?.status == 200) }
      let record = await transport.perform(
        HTTPRequest(method: sent.method, url: server.url("/a"), body: sent.body))
      #expect(record.head?.status == 200)
      #expect(record.body == Data("yes".utf8))
      #expect(record.order.count { $0 == "head" } == 1)
      let requests = server.requests.entries.filter { $0.target == "/a" }
      #expect(requests.map(\.connection) == [0, 1])
      #expect(requests[0].body == requests[1].body)
      // The new connection is kept.
      #expect(await transport.get(server.url("/a")).metrics?.reusedConnection == true)
    }

    @Test func theSecond421IsTheResponse() async throws {
      let server = try server(rejecting: 2)
      for connection in 0..<2 {
        let record = await transport.get(server.url("/a"))
        #expect(record.head?.status == (connection == 0 ? 421 : 200))
        #expect(record.order.count { $0 == "head" } == 1)
      }
      #expect(server.requests.entries.map(\.connection) == [0, 1, 1, 2])
    }

    @Test func aBodyThatCannotBeReadAgainIsNotSentAgain() async throws {
      let server = try server(rejecting: 1)
      let stream = BodyStream(
        once: AsyncStream {
          $0.yield(Data("once".utf8)); $0.finish()
        })
      let record = await transport.perform(
        HTTPRequest(method: .post, url: server.url("/a"), body: .stream(stream)))
      #expect(record.head?.status == 421)
      #expect(record.body == Data("no".utf8))
      #expect(server.requests.entries.count == 1)
    }
  }
#endif
