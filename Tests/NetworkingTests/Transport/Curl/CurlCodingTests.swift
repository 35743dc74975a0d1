#if os(Linux)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
  struct CurlCodingTests {
    private let transport = CurlTransport()

    private func performed(
      _ coding: String, _ body: Data, _ status: String = "200 OK"
    ) async throws -> ExchangeRecord {
      let server = try ScriptedServer { _ in
        [.respond(status, ["Content-Encoding: \(coding)"], body)]
      }
      return await transport.get(server.url())
    }

    @Test(arguments: CodedText.codings.sorted())
    func eachCodingIsDecoded(_ coding: String) async throws {
      let body = try #require(CodedText.bodies[coding])
      let record = try await performed(coding, body)
      #expect(record.failure == nil)
      #expect(String(decoding: record.body, as: UTF8.self) == CodedText.text)
      #expect(record.metrics?.bytesReceived == Int64(body.count))
    }

    @Test(arguments: [
      ("*;q=0.5", true), ("gzip ; q=0.001", true), ("identity, *;q=0", false),
      ("gzip;Q=0.000", false),
    ])
    func onlyAWeightOf0ExcludesACoding(_ field: String, _ isDecoded: Bool) async throws {
      let body = try #require(CodedText.bodies["gzip"])
      let server = try ScriptedServer { _ in
        [.respond("200 OK", ["Content-Encoding: gzip"], body)]
      }
      let record = await transport.perform(
        HTTPRequest(url: server.url(), headers: ["Accept-Encoding": field]))
      #expect(record.body == (isDecoded ? Data(CodedText.text.utf8) : body))
    }

    /// Not one of several codings is decoded if another one is not known.
    @Test(
      arguments: [
        "utf-8", "UTF-8", "none", "aws-chunked", "rot13", "binary", "gzip;q=1", "gzip, utf-8",
        "utf-8, gzip", "none, none, none, none, none", "gzip, none, gzip, gzip, gzip",
      ], ["200 OK", "404 Not Found"])
    func aBodyWithAnUnknownCodingIsDeliveredAsReceived(
      _ coding: String, _ status: String
    ) async throws {
      for body in [Data("plain".utf8), try #require(CodedText.bodies["gzip"]), Data()] {
        let record = try await performed(coding, body, status)
        #expect(record.failure == nil)
        #expect(record.body == body)
        #expect(record.head?.headers["Content-Encoding"] == coding)
      }
    }

    @Test(arguments: CodedText.nestedBodies.keys.sorted())
    func severalCodingsAreDecoded(_ codings: String) async throws {
      let body = try #require(CodedText.nestedBodies[codings])
      let record = try await performed(codings, body)
      #expect(String(decoding: record.body, as: UTF8.self) == CodedText.text)
      let tooMany = try await performed(String(repeating: "gzip,", count: 5), body)
      #expect(tooMany.failure?.code == .malformedResponse)
    }

    @Test(arguments: CodedText.codings.sorted())
    func aBodyThatEndsInsideItsCodingIsMalformed(_ coding: String) async throws {
      let body = try #require(CodedText.bodies[coding])
      for count in 1..<body.count {
        let record = try await performed(coding, body.prefix(count))
        #expect(record.failure?.code == .malformedResponse, "\(count) bytes")
      }
      #expect(try await performed(coding, Data()).failure == nil)
    }

    @Test(arguments: CodedText.codings.sorted())
    func bytesAfterTheEndOfACodingAreMalformed(_ coding: String) async throws {
      let body = try #require(CodedText.bodies[coding])
      let record = try await performed(coding, body + Data("tail".utf8))
      #expect(record.failure?.code == .malformedResponse)
    }

    @Test(arguments: ["gzip", "zstd"])
    func concatenatedMembersAreDecoded(_ coding: String) async throws {
      let body = try #require(CodedText.bodies[coding])
      let record = try await performed(coding, body + body)
      #expect(String(decoding: record.body, as: UTF8.self) == CodedText.text + CodedText.text)
    }

    /// The library also decodes the formats before RFC 8878, whose magic numbers are lower.
    @Test(arguments: [0x25, 0x26, 0x27])
    func aZstdFrameOfAnEarlyFormatIsMalformed(_ magic: UInt8) async throws {
      let hello = Data([0xB5, 0x2F, 0xFD, 0, 0, 0x40, 0, 5]) + Data("hello".utf8)
      let early = Data([magic]) + hello + Data([0xC0, 0, 0])
      let record = try await performed("zstd", early)
      #expect(record.failure?.code == .malformedResponse)
      let body = try #require(CodedText.bodies["zstd"])
      #expect(try await performed("zstd", body + early).failure?.code == .malformedResponse)
    }

    @Test(arguments: [0x50, 0x5F])
    func aSkippableZstdFrameIsSkipped(_ magic: UInt8) async throws {
      let skippable = Data([magic, 0x2A, 0x4D, 0x18, 3, 0, 0, 0]) + Data("abc".utf8)
      let body = try #require(CodedText.bodies["zstd"])
      let record = try await performed("zstd", skippable + body + skippable)
      #expect(record.failure == nil)
      #expect(String(decoding: record.body, as: UTF8.self) == CodedText.text)
    }

    @Test func aHighRatioIsDecodedInPieces() async throws {
      let record = try await performed("zstd", CodedText.zstdZeros(blocks: 80))
      #expect(record.failure == nil)
      #expect(record.body.count == 10 << 20 && record.body.allSatisfy { $0 == 0 })
      #expect(record.pieces.allSatisfy { $0 <= 64 << 10 })
    }

    /// The whole short body arrives at once, so its error occurs while libcurl delivers what it has kept.
    @Test(arguments: [700, 16 << 10])
    func aRatioBeyondTheLimitIsMalformed(_ blocks: Int) async throws {
      let record = try await performed("zstd", CodedText.zstdZeros(blocks: blocks))
      #expect(record.failure?.code == .malformedResponse)
      #expect(record.body.count <= 128 << 20)
    }

    @Test func aSuspendedExchangeDecodesNoMore() async throws {
      let server = try ScriptedServer { _ in
        [.respond("200 OK", ["Content-Encoding: zstd"], CodedText.zstdZeros(blocks: 80))]
      }
      let other = try ScriptedServer { _ in [.respond()] }
      let started = Log<ExchangeRecorder>()
      let suspensions = Log<Void>()
      let gate = DispatchSemaphore(value: 0)
      let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url())) { event in
        switch event {
        case .head: gate.wait()
        case .body:
          for exchange in started.entries { exchange.suspend() }
          suspensions.append(())
        default: break
        }
      }
      started.append(exchange)
      gate.signal()
      for pieces in 1...20 {
        // The piece is recorded before its handler suspends the exchange.
        while suspensions.entries.count < pieces {
          #expect(await transport.get(other.url()).failure == nil)
        }
        #expect(exchange.current.pieces.count == pieces)
        exchange.resume()
      }
      // Each piece suspends the exchange again.
      while exchange.current.lastEvents == 0 {
        exchange.resume()
        #expect(await transport.get(other.url()).failure == nil)
      }
      #expect(exchange.current.failure == nil)
      #expect(exchange.current.body.count == 10 << 20)
    }

    /// Each coding counts, and not only the bytes of the body, of which there are none.
    @Test(arguments: [(4, nil), (32, NetworkError.Code.malformedResponse)])
    func theWorkOfEachCodingIsLimited(_ mebibytes: Int, _ code: NetworkError.Code?) async throws {
      let body = try #require(CodedText.emptyMembers[mebibytes])
      let record = try await performed("gzip, gzip, gzip", body)
      #expect(record.failure?.code == code)
      #expect(record.body.isEmpty)
    }

    @Test func aPartOfABodyIsNotDecoded() async throws {
      let server = try ScriptedServer { request in
        let offered = request.values(of: "Accept-Encoding").joined()
        return [
          .respond(
            "206 Partial Content", ["Content-Encoding: gzip", "X-Offered: \(offered)"],
            Data("ab".utf8))
        ]
      }
      let record = await transport.perform(
        HTTPRequest(url: server.url(), headers: ["Range": "bytes=1-2"]))
      #expect(record.body == Data("ab".utf8))
      #expect(record.head?.headers["X-Offered"] == "identity")
    }

    @Test func onlyAvailableCodingsAreOffered() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      _ = await transport.get(server.url())
      let offered = await server.requests.entries(1)[0].values(of: "Accept-Encoding")
      let names = offered.joined().components(separatedBy: ", ")
      #expect(names.starts(with: ["gzip", "deflate"]))
      for coding in names {
        let body = try #require(CodedText.bodies[coding])
        #expect(try await performed(coding, body).failure == nil)
      }
    }

    @Test func rawDeflateIsDecoded() async throws {
      let body = try #require(Data(base64Encoded: "80jNycnXUUjOSMzMU1TwoAoPAA=="))
      let record = try await performed("deflate", body)
      #expect(String(decoding: record.body, as: UTF8.self) == CodedText.text)
    }

    @Test(arguments: CodedText.codings.sorted())
    func aCorruptBodyIsMalformed(_ coding: String) async throws {
      var body = try #require(CodedText.bodies[coding])
      for index in body.indices.dropFirst(2).prefix(20) { body[index] = 0xFF }
      let record = try await performed(coding, body)
      #expect(record.failure?.code == .malformedResponse)
      #expect(record.failure?.detail.isEmpty == false)
    }
  }
#endif
