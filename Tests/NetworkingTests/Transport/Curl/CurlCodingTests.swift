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
