import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingTransfers

/// The header fields after a body.
@Suite(.gated)
struct TrailerTests {
  #if os(Linux)
    private let client = Networking<Request>(transport: CurlTransport(), configuration: .plain)

    private func server(_ trailers: String) throws -> ScriptedServer {
      try ScriptedServer { _ in
        let head = "HTTP/1.1 200 OK\r\nX-Head: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        return [.text(head + "5\r\nhello\r\n0\r\n" + trailers + "\r\n")]
      }
    }

    @Test func aResponseHasTheFieldsAfterItsBody() async throws {
      let server = try server("Server-Timing: db;dur=5\r\nX-Sum:  9 \r\nX-Sum: 8\r\n")
      let response = try await client.request(.get(server.path)).value
      #expect(response.data == Data("hello".utf8))
      #expect(response.trailers == ["Server-Timing": "db;dur=5", "X-Sum": "9", "X-Sum": "8"])
      #expect(!response.headers.contains("X-Sum") && response.headers["X-Head"] == "1")
      // The next response on the connection has its own.
      let plain = try self.server("")
      #expect(try await client.request(.get(plain.path)).value.trailers.isEmpty)
    }

    @Test func aStreamHasThemAfterItsEnd() async throws {
      let server = try ScriptedServer { _ in
        [
          .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), .stall,
          .text("0\r\nX-Sum: 9\r\n\r\n"),
        ]
      }
      let response = try await client.stream(.get(server.path)).value
      #expect(response.trailers.isEmpty)
      server.release()
      #expect(try await response.bytes.collected() == Data("hello".utf8))
      #expect(response.trailers == ["X-Sum": "9"])
    }

    @Test func aDownloadHasThem() async throws {
      let (server, folder) = (try server("X-Sum: 9\r\n"), TemporaryFolder())
      let response = try await client.download(.get(server.path), to: folder.url("a")).value
      #expect(response.trailers == ["X-Sum": "9"])
      let transfer = client.transfer(.get(server.path), to: folder.url("b"), resumable: false)
      #expect(try await transfer.response.value.trailers == ["X-Sum": "9"])
    }
  #endif

  @Test func anInvalidFieldIsIgnored() {
    var parser = ResponseHeadParser()
    func parse(_ line: String) {
      _ = Array("\(line)\r\n".utf8).withUnsafeBytes { parser.parse($0) }
    }
    for line in ["HTTP/1.1 200 OK", "X-Head: 1", ""] { parse(line) }
    for line in ["no field", "X Y: 1", ": 2", " folded: 3", "X-Nul: a\0b", "X-Sum:\t9 ", ""] {
      parse(line)
    }
    #expect(parser.violation == nil && parser.trailers == [.init(name: "X-Sum", value: "9")])
    parser.reset()
    #expect(parser.trailers.isEmpty)
  }

  @Test func aMockHasThemInMemoryAndOnAServer() async throws {
    let route = Route(.get, "/a", Mock.text("hello").trailers(["X-Sum": "9"]))
    let server = try MockServer { route }
    defer { server.stop() }
    let memory = Networking<Request>(
      transport: MockTransport { route }, configuration: .plain)
    let loopback = Networking<Request>(configuration: .plain)
    for (client, base) in [(memory, URL.of("https://api.example.com")), (loopback, server.url)] {
      client.baseURL = base
      let response = try await client.request(.get("a")).value
      #expect(response.data == Data("hello".utf8) && response.trailers == ["X-Sum": "9"])
    }
  }

  @Test func theDescriptionMasksSecrets() {
    let response = Response(
      head: HTTPResponseHead(status: 200), request: HTTPRequest(url: URL.of("https://a.example")),
      trailers: ["X-Api-Key": "s3cret"])
    #expect(response.trailers["X-Api-Key"] == "s3cret")
    var text = ""
    dump(response, to: &text)
    #expect(!text.contains("s3cret"))
    #expect(response.after([]).trailers == response.trailers)
  }
}
