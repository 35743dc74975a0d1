#if os(Linux)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
  struct CurlFramingTests {
    private let transport = CurlTransport()

    private func expectMalformed(
      _ steps: ScriptedServer.Step..., order: [String] = ["failure"],
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let server = try ScriptedServer { _ in steps }
      let record = await transport.get(server.url())
      #expect(record.failure?.code == .malformedResponse, sourceLocation: sourceLocation)
      #expect(record.failure?.detail.isEmpty == false, sourceLocation: sourceLocation)
      #expect(record.order == order, sourceLocation: sourceLocation)
      let next = await transport.get(server.url())
      #expect(next.failure?.metrics.reusedConnection == false, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
      "2\r\nContent-Length: 4", "2, 4", "+2", "2a", "0x2", "1 2", "", "2,", "-2",
      "10000000000000000000", "18446744073709551618",
    ])
    func anInvalidContentLengthIsMalformed(_ length: String) async throws {
      try await expectMalformed(
        .text("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nabcd"))
    }

    @Test(arguments: ["2", "2\r\nContent-Length: 2", " 2 ", "0000000000000000000002"])
    func aRepeatedOrPaddedContentLengthIsValid(_ length: String) async throws {
      let server = try ScriptedServer { _ in
        [.text("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nab")]
      }
      for _ in 0..<2 { #expect(await transport.get(server.url()).body == Data("ab".utf8)) }
      #expect(server.connectionCount == 1)
    }

    @Test func chunksOverrideTheContentLength() async throws {
      let server = try ScriptedServer { _ in
        [
          .text(
            "HTTP/1.1 200 OK\r\nContent-Length: 2, 4\r\nTransfer-Encoding: chunked\r\n\r\n"),
          .text("3\r\nabc\r\n0\r\n\r\n"),
        ]
      }
      #expect(await transport.get(server.url()).body == Data("abc".utf8))
    }

    @Test(arguments: ["gzip, chunked", "rot13"])
    func anUnknownTransferCodingIsMalformed(_ coding: String) async throws {
      try await expectMalformed(
        .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n0\r\n\r\n"))
    }

    @Test func anUnaskedSwitchOfProtocolsIsMalformed() async throws {
      try await expectMalformed(
        .text("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n"))
    }

    /// libcurl accepts a response without a head after an interim one.
    @Test func bytesWithoutAHeadAfterAnInterimResponseAreMalformed() async throws {
      try await expectMalformed(
        .text("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/s\r\nX-Field: 1\r\n\r\nbody"), .close)
    }

    @Test func anEndlessHeadIsMalformed() async throws {
      let field = "X-Field: \(String(repeating: "a", count: 1_000))\r\n"
      try await expectMalformed(
        .text("HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 600)), .stall)
    }

    @Test(arguments: ["HTTP/1.1 200 ", "HTTP/1.1 200 OK\r\nX-Field: ", "HTTP/1.1 200 OK\r\n"])
    func anEndlessLineIsMalformed(_ start: String) async throws {
      try await expectMalformed(.text(start + String(repeating: "a", count: 1 << 20)), .stall)
    }

    @Test func endlessInterimHeadsAreMalformed() async throws {
      let head = "HTTP/1.1 103 Early Hints\r\nLink: \(String(repeating: "a", count: 900))\r\n\r\n"
      try await expectMalformed(.text(String(repeating: head, count: 600)), .stall)
    }

    @Test func anEndlessTrailerIsMalformed() async throws {
      let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n"
      let field = "X-Field: \(String(repeating: "a", count: 1_000))\r\n"
      try await expectMalformed(
        .text(head + String(repeating: field, count: 600)), .stall,
        order: ["head", "body", "failure"])
    }

    @Test func aFinalResponseDuringTheUploadIsTheResponse() async throws {
      let server = try ScriptedServer(
        greeting: [.text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly"), .hold]
      ) { _ in [] }
      let record = await transport.perform(
        HTTPRequest(method: .post, url: server.url(), body: .data(.pattern(64 << 20))))
      #expect(record.failure == nil)
      #expect(record.head?.status == 200)
      #expect(record.body == Data("early".utf8))
      #expect(record.lastEvents == 1)
    }
  }
#endif
