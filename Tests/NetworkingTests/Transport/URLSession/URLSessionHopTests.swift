#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  @Suite(.gated)
  struct URLSessionHopTests {
    private let transport = URLSessionTransport()

    @Test(arguments: [301, 302, 303, 307, 308])
    func aRedirectIsTheResponse(_ status: Int) async throws {
      let server = try ScriptedServer { _ in
        [.respond("\(status) Elsewhere", ["Location: /there"], Data("see there".utf8))]
      }
      let record = await transport.get(server.url("/here"))
      #expect(record.order == ["head", "body", "end"])
      #expect(record.head?.status == status)
      #expect(record.head?.headers["Location"] == "/there")
      #expect(record.body == Data("see there".utf8))
      #expect(server.requests.entries.count == 1)
    }

    @Test(arguments: [300, 301, 304, 307])
    func aRedirectWithoutALocationIsAResponse(_ status: Int) async throws {
      let server = try ScriptedServer { _ in [.respond("\(status) Somewhere")] }
      let record = await transport.get(server.url())
      #expect(record.order == ["head", "end"])
      #expect(record.head?.status == status)
    }

    @Test func aRedirectedPostIsNotSentAgain() async throws {
      let server = try ScriptedServer { _ in [.respond("307 There", ["Location: /there"])] }
      let record = await transport.perform(
        HTTPRequest(method: .post, url: server.url(), body: .data(Data("x".utf8))))
      #expect(record.head?.status == 307)
      #expect(server.requests.entries.map(\.body) == [Data("x".utf8)])
    }

    @Test func aChallengeIsAResponseWithItsBody() async throws {
      let server = try ScriptedServer { _ in
        let fields = [#"WWW-Authenticate: Basic realm="x""#]
        return [.respond("401 Unauthorized", fields, Data("who are you".utf8))]
      }
      for _ in 0..<3 {
        let record = await transport.get(server.url())
        #expect(record.order == ["head", "body", "end"])
        #expect(record.head?.status == 401)
        #expect(record.body == Data("who are you".utf8))
      }
      #expect(server.requests.entries.count == 3)
      #expect(server.requests.entries.allSatisfy { $0.values(of: "Authorization").isEmpty })
    }

    @Test(arguments: [#"Digest realm="x", nonce="n""#, "Bearer", "Negotiate", "", "Basic"])
    func otherChallengesAreResponses(_ challenge: String) async throws {
      let server = try ScriptedServer { _ in
        [.respond("401 Unauthorized", ["WWW-Authenticate: \(challenge)"], Data("no".utf8))]
      }
      let record = await transport.get(server.url())
      #expect(record.head?.status == 401 && record.body == Data("no".utf8))
    }

    @Test func cookiesAreNeitherStoredNorSent() async throws {
      let server = try ScriptedServer { _ in
        [.respond("200 OK", ["Set-Cookie: hop=1; Path=/", "Set-Cookie: two=2"])]
      }
      let configuration = URLSessionConfiguration.ephemeral
      let transport = URLSessionTransport(configuration: configuration)
      for _ in 0..<2 {
        let record = await transport.get(server.url())
        #expect(record.head?.headers.values(for: "Set-Cookie") == ["hop=1; Path=/", "two=2"])
      }
      #expect(server.requests.entries.allSatisfy { $0.values(of: "Cookie").isEmpty })
      #expect(configuration.httpCookieStorage?.cookies?.isEmpty == true)
      #expect(configuration.httpShouldSetCookies)
    }

    @Test func noResponseComesFromACache() async throws {
      let server = try ScriptedServer { _ in
        [.respond("200 OK", ["Cache-Control: max-age=100"], Data("x".utf8))]
      }
      for _ in 0..<2 { _ = await transport.get(server.url()) }
      #expect(server.requests.entries.count == 2)
    }

    @Test func interimResponsesAreSkipped() async throws {
      let server = try ScriptedServer { _ in
        [.text("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), .respond("201 Created")]
      }
      let record = await transport.get(server.url())
      #expect(record.order == ["head", "end"])
      #expect(record.head?.status == 201)
    }

    @Test(arguments: [200, 204, 226, 299, 404, 407, 418, 500, 599])
    func everyStatusIsAResponse(_ status: Int) async throws {
      let server = try ScriptedServer { _ in
        [.text("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")]
      }
      let record = await transport.get(server.url())
      #expect(record.head?.status == status)
      #expect(record.order == ["head", "end"])
    }
  }
#endif
