#if os(Linux)
  import Foundation
  import Networking
  import TestSupport
  import Testing

  @Suite(.timeLimit(.minutes(10)))
  struct CurlCodingTests {
    private static let text = String(repeating: "Hello, chain! ", count: 6)

    /// The text in each content coding, encoded by zlib, brotli 1.2, and zstd 1.5.
    private static let coded = [
      "gzip": "H4sIAAAAAAACA/NIzcnJ11FIzkjMzFNU8KAKDwACfLN7VAAAAA==",
      "deflate": "eJzzSM3JyddRSM5IzMxTVPCgCg8AjN4bGQ==",
      "br": "G1MA+J0JdqwVK13ywhIEaazK0DokjO1NsqS5BYLxACA1twE=",
      "zstd": "KLUv/QRYrQAAcEhlbGxvLCBjaGFpbiEgAQAT6FQC6uKyrg==",
    ]

    /// The text compressed twice.
    private static let nested = [
      "gzip, gzip": "H4sIAAAAAAACA5Pv5mAAASbmzx5nT568HuhxzuPMmeCQDwu4+BmYajZXhwAlAa2bBYElAAAA",
      "gzip,deflate": "eJyT7+ZgAAEm5s8eZ0+evB7occ7jzJngkA8LuPgZmGo2V4cAJQHqmgzA",
    ]

    /// A zstd frame of zero bytes, which has 4 bytes for each 128 KiB.
    private static func zeros(_ blocks: Int) -> Data {
      // A window of 128 KiB; then blocks of the type RLE. Source: RFC 8878 section 3.1.1.
      var frame = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38])
      for block in 1...blocks {
        let header = (128 << 10) << 3 | 1 << 1 | (block == blocks ? 1 : 0)
        frame += [UInt8(header & 255), UInt8(header >> 8 & 255), UInt8(header >> 16), 0]
      }
      return frame
    }

    private let transport = CurlTransport()

    private func performed(_ coding: String, _ body: Data) async throws -> ExchangeRecord {
      let server = try ScriptedServer { _ in
        [.respond("200 OK", ["Content-Encoding: \(coding)"], body)]
      }
      return await transport.get(server.url())
    }

    @Test(arguments: coded.keys.sorted())
    func eachCodingIsDecoded(_ coding: String) async throws {
      let body = try #require(Self.coded[coding].flatMap { Data(base64Encoded: $0) })
      let record = try await performed(coding, body)
      #expect(record.failure == nil)
      #expect(String(decoding: record.body, as: UTF8.self) == Self.text)
      #expect(record.metrics?.bytesReceived == Int64(body.count))
    }

    @Test(arguments: [
      ("*;q=0.5", true), ("gzip ; q=0.001", true), ("identity, *;q=0", false),
      ("gzip;Q=0.000", false),
    ])
    func onlyAWeightOf0ExcludesACoding(_ field: String, _ isDecoded: Bool) async throws {
      let body = try #require(Self.coded["gzip"].flatMap { Data(base64Encoded: $0) })
      let server = try ScriptedServer { _ in
        [.respond("200 OK", ["Content-Encoding: gzip"], body)]
      }
      let record = await transport.perform(
        HTTPRequest(url: server.url(), headers: ["Accept-Encoding": field]))
      #expect(record.body == (isDecoded ? Data(Self.text.utf8) : body))
    }

    /// A single byte, so that not the number of bytes tells libcurl to abort.
    @Test func anUnknownCodingEndsTheExchangeAtTheFirstByte() async throws {
      let server = try ScriptedServer { _ in
        [
          .text("HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 2\r\n\r\na"),
          .stall,
        ]
      }
      let record = await transport.get(server.url())
      #expect(record.failure?.code == .malformedResponse)
    }

    @Test(arguments: nested.keys.sorted())
    func severalCodingsAreDecoded(_ codings: String) async throws {
      let body = try #require(Self.nested[codings].flatMap { Data(base64Encoded: $0) })
      let record = try await performed(codings, body)
      #expect(String(decoding: record.body, as: UTF8.self) == Self.text)
      let tooMany = try await performed(String(repeating: "gzip,", count: 5), body)
      #expect(tooMany.failure?.code == .malformedResponse)
    }

    @Test(arguments: coded.keys.sorted())
    func aBodyThatEndsInsideItsCodingIsMalformed(_ coding: String) async throws {
      let body = try #require(Self.coded[coding].flatMap { Data(base64Encoded: $0) })
      for count in 1..<body.count {
        let record = try await performed(coding, body.prefix(count))
        #expect(record.failure?.code == .malformedResponse, "\(count) bytes")
      }
      #expect(try await performed(coding, Data()).failure == nil)
    }

    @Test(arguments: coded.keys.sorted())
    func bytesAfterTheEndOfACodingAreMalformed(_ coding: String) async throws {
      let body = try #require(Self.coded[coding].flatMap { Data(base64Encoded: $0) })
      let record = try await performed(coding, body + Data("tail".utf8))
      #expect(record.failure?.code == .malformedResponse)
    }

    @Test(arguments: ["gzip", "zstd"])
    func concatenatedMembersAreDecoded(_ coding: String) async throws {
      let body = try #require(Self.coded[coding].flatMap { Data(base64Encoded: $0) })
      let record = try await performed(coding, body + body)
      #expect(String(decoding: record.body, as: UTF8.self) == Self.text + Self.text)
    }

    /// The library also decodes the formats before RFC 8878, whose magic numbers are lower.
    @Test(arguments: [0x25, 0x26, 0x27])
    func aZstdFrameOfAnEarlyFormatIsMalformed(_ magic: UInt8) async throws {
      let hello = Data([0xB5, 0x2F, 0xFD, 0, 0, 0x40, 0, 5]) + Data("hello".utf8)
      let early = Data([magic]) + hello + Data([0xC0, 0, 0])
      let record = try await performed("zstd", early)
      #expect(record.failure?.code == .malformedResponse)
      let body = try #require(Self.coded["zstd"].flatMap { Data(base64Encoded: $0) })
      #expect(try await performed("zstd", body + early).failure?.code == .malformedResponse)
    }

    @Test(arguments: [0x50, 0x5F])
    func aSkippableZstdFrameIsSkipped(_ magic: UInt8) async throws {
      let skippable = Data([magic, 0x2A, 0x4D, 0x18, 3, 0, 0, 0]) + Data("abc".utf8)
      let body = try #require(Self.coded["zstd"].flatMap { Data(base64Encoded: $0) })
      let record = try await performed("zstd", skippable + body + skippable)
      #expect(record.failure == nil)
      #expect(String(decoding: record.body, as: UTF8.self) == Self.text)
    }

    @Test func aHighRatioIsDecodedInPieces() async throws {
      let record = try await performed("zstd", Self.zeros(80))
      #expect(record.failure == nil)
      #expect(record.body.count == 10 << 20 && record.body.allSatisfy { $0 == 0 })
      #expect(record.pieces.allSatisfy { $0 <= 64 << 10 })
    }

    /// The whole short body arrives at once, so its error occurs while libcurl delivers what it has kept.
    @Test(arguments: [700, 16 << 10])
    func aRatioBeyondTheLimitIsMalformed(_ blocks: Int) async throws {
      let record = try await performed("zstd", Self.zeros(blocks))
      #expect(record.failure?.code == .malformedResponse)
      #expect(record.body.count <= 128 << 20)
    }

    @Test func aSuspendedExchangeDecodesNoMore() async throws {
      let server = try ScriptedServer { _ in
        [.respond("200 OK", ["Content-Encoding: zstd"], Self.zeros(80))]
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

    /// 4 and 32 MiB of gzip members without content, compressed twice.
    private static let emptyMembers = [
      4:
        "H4sIAAAAAAACA+3EMQqCUAAA0I9CSODUGFG0C65NHaEDNDR0AanFpRM4ttoZsltESLsnaKoTBImHaH"
        + "tvePMqCYMoft9vaVgkIV9WuyLfTEbXZrY97S9t+Vi96uNTkiRJkiRJkiRJkiRJkiT9s8952mWH8fe3"
        + "Dj3X7ife3ycAAA==",
      32:
        "H4sIAAAAAAACA+3cQSuDARzH8Y3LHNhwNVpzniml5eKg5ubmLie5WVEU4jBFay9gJ29AGZbkJNlp5a"
        + "R2cFrtMikpkXq05y04PfX5Hz4v4Hf+9p86TcT6NzDYa84Ox/KJWH4gmUudbVyu59r1enpl9XG+VejW"
        + "SgAAAAAAAAAAAAAAAAAAIBLs9JqZeD8OrAYX6czu+/3X6x4AAAAAAAAAAAAAAAAAAIgQk9udavgpsB"
        + "m8VFI2AQAAAAAAAAAAAAAAAAAgciQXtpbDGLATbBZPbAIAAAAAAAAAAAAAAAAAQOQopwvTYQz4EVxn"
        + "l2wCAAAAAAAAAAAAAAAAAEDkeKhMjIUx4HfQHj23CQAAAAAAAAAAAAAAAAAAkWOtODLUbwEPfw/eEs"
        + "82AQAAAAAAAAAAAAAAAAAgclxln+b6MeDRT+OmfDzerZVaBQAAAAAAAAAAAAAAAADAf2ncxRZn9m8/"
        + "gyD+B2gWxhQTPgEA",
    ]

    /// Each coding counts, and not only the bytes of the body, of which there are none.
    @Test(arguments: [(4, nil), (32, NetworkError.Code.malformedResponse)])
    func theWorkOfEachCodingIsLimited(_ mebibytes: Int, _ code: NetworkError.Code?) async throws {
      let body = try #require(Self.emptyMembers[mebibytes].flatMap { Data(base64Encoded: $0) })
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
        let body = try #require(Self.coded[coding].flatMap { Data(base64Encoded: $0) })
        #expect(try await performed(coding, body).failure == nil)
      }
    }

    @Test func rawDeflateIsDecoded() async throws {
      let body = try #require(Data(base64Encoded: "80jNycnXUUjOSMzMU1TwoAoPAA=="))
      let record = try await performed("deflate", body)
      #expect(String(decoding: record.body, as: UTF8.self) == Self.text)
    }

    @Test(arguments: coded.keys.sorted())
    func aCorruptBodyIsMalformed(_ coding: String) async throws {
      var body = try #require(Self.coded[coding].flatMap { Data(base64Encoded: $0) })
      for index in body.indices.dropFirst(2).prefix(20) { body[index] = 0xFF }
      let record = try await performed(coding, body)
      #expect(record.failure?.code == .malformedResponse)
      #expect(record.failure?.detail.isEmpty == false)
    }
  }
#endif
