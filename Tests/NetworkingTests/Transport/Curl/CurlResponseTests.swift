#if os(Linux)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
  struct CurlResponseTests {
    private let transport = CurlTransport()

    /// Sends one GET request to a server that performs the steps.
    private func get(
      _ steps: [ScriptedServer.Step], _ headers: HTTPHeaders = [:]
    ) async throws -> ExchangeRecord {
      let server = try ScriptedServer { _ in steps }
      return await transport.perform(HTTPRequest(url: server.url(), headers: headers))
    }

    @Test(arguments: [200, 201, 204, 206, 299, 301, 304, 400, 401, 407, 418, 500, 503, 599, 999])
    func anyStatusIsAResponse(_ status: Int) async throws {
      let record = try await get([
        .text("HTTP/1.1 \(status) Some reason\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n")
      ])
      #expect(record.head?.status == status)
      #expect(record.head?.version == "1.1")
      #expect(record.order == ["head", "end"])
    }

    @Test func headersKeepTheirOrderCountAndBytes() async throws {
      var response = Data(
        "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nX-Empty:\r\nset-cookie:b=2 \r\n".utf8)
      response += Data("X-UTF8: grün\r\nX-Latin: gr".utf8) + [0xfc] + Data("n\r\n".utf8)
      response += Data("X-Folded: one\r\n  two\r\nContent-Length: 0\r\n\r\n".utf8)
      let record = try await get([.send(response)])
      #expect(
        record.head?.headers.fields.map { "\($0.name)=\($0.value)" } == [
          "Set-Cookie=a=1", "X-Empty=", "set-cookie=b=2", "X-UTF8=grün", "X-Latin=grün",
          "X-Folded=one two", "Content-Length=0",
        ])
    }

    @Test func interimHeadsAreNotReportedAndTrailersAreReportedAfterTheBody() async throws {
      let record = try await get([
        .text("HTTP/1.1 100 Continue\r\nX-Early: 1\r\n\r\n"),
        .text("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
        .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Late\r\n\r\n"),
        .text("2\r\nab\r\n0\r\nX-Late: 1\r\n\r\n"),
      ])
      #expect(record.order == ["head", "body", "trailers", "end"])
      #expect(record.head?.headers.fields.map(\.name) == ["Transfer-Encoding", "Trailer"])
      #expect(record.trailers.fields.map { "\($0.name)=\($0.value)" } == ["X-Late=1"])
      #expect(record.body == Data("ab".utf8))
    }

    @Test(
      arguments: [
        [:], ["Accept-Encoding": "gzip"], ["Accept-Encoding": "br, *;q=0.5"],
        ["Accept-Encoding": "*;q=0.5"], ["Accept-Encoding": "identity;q=0, gzip ; q=0.1"],
      ]
        as [HTTPHeaders])
    func anEncodedBodyIsDecoded(_ headers: HTTPHeaders) async throws {
      let zipped = try #require(CodedText.bodies["gzip"])
      let record = try await get(
        [.respond("200 OK", ["Content-Encoding: gzip"], zipped)], headers)
      #expect(String(decoding: record.body, as: UTF8.self) == CodedText.text)
      #expect(record.head?.headers["Content-Encoding"] == "gzip")
      #expect(record.metrics?.bytesReceived == Int64(zipped.count))
    }

    @Test(arguments: ["identity", "", "identity;q=1, *;q=0", "gzip;q=0", "*;q=0.000"])
    func withoutAcceptEncodingTheBodyIsNotDecoded(_ accepted: String) async throws {
      let zipped = try #require(CodedText.bodies["gzip"])
      let record = try await get(
        [.respond("200 OK", ["Content-Encoding: gzip"], zipped)], ["Accept-Encoding": accepted])
      #expect(record.body == zipped)
    }

    @Test func metricsAreOrdered() async throws {
      let metrics = try #require(try await get([.respond("200 OK", [], Data([1]))]).metrics)
      let resolved = try #require(metrics.nameResolved)
      let connected = try #require(metrics.connected)
      let sent = try #require(metrics.requestSent)
      let first = try #require(metrics.firstByte)
      #expect(metrics.secured == nil)
      #expect(resolved <= connected && connected <= sent && sent <= first && first <= metrics.total)
      #expect(metrics.total < .seconds(10))
    }

    @Test func aUnixSocketReplacesTheHost() async throws {
      let options = CurlTransport.Options(unixSocketPath: "/does/not/exist")
      let server = try ScriptedServer { _ in [.respond()] }
      let record = await CurlTransport(options: options).get(server.url())
      #expect(record.failure?.code == .cannotConnect)
      #expect(server.connectionCount == 0)
    }

    @Test func anOverlongUnixSocketPathIsAConnectionFailure() async throws {
      let path = "/tmp/" + String(repeating: "a", count: 103)
      let options = CurlTransport.Options(unixSocketPath: path)
      let failure = await CurlTransport(options: options).get(.of("http://localhost/")).failure
      #expect(failure?.code == .cannotConnect)
      #expect(failure?.detail == "The path of the Unix socket is longer than 107 bytes")
    }

    @Test func aUnixSocketConnectionIsReused() async throws {
      let path = "/tmp/catena-\(UUID().uuidString)"
      defer { unlink(path) }
      let server = try ScriptedServer(unixSocketPath: path) { request in
        [.respond("200 OK", [], Data(request.target.utf8))]
      }
      // The proxy is not used.
      let transport = CurlTransport(
        options: .init(unixSocketPath: path, proxy: .url(.of("http://proxy.invalid"))))
      for number in 0..<3 {
        let record = await transport.get(.of("http://catena.invalid/a"))
        #expect(record.body == Data("/a".utf8))
        #expect(record.metrics?.reusedConnection == (number > 0))
      }
      #expect(await server.requests.entries(1)[0].values(of: "Host") == ["catena.invalid"])
      #expect(server.connectionCount == 1)
    }
  }
#endif
