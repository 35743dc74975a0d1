#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestSupport

  extension Behaviour {
    private static func sized(_ body: Data, _ coding: String) -> ScriptedServer.Step {
      .respond("200 OK", ["Content-Encoding: \(coding)"], body)
    }

    private static func chunked(_ body: Data, _ coding: String) -> ScriptedServer.Step {
      let head =
        "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nTransfer-Encoding: chunked\r\n\r\n"
      let size = String(body.count, radix: 16)
      return .send(Data("\(head)\(size)\r\n".utf8) + body + Data("\r\n0\r\n\r\n".utf8))
    }

    private static let damaged: [HostileRow] = CodedText.codings.flatMap { coding -> [HostileRow] in
      let (text, body) = (CodedText.text, CodedText.bodies[coding] ?? Data())
      var flipped = body
      flipped[body.count / 2] ^= 0x40
      let rows: [HostileRow] = [
        .init(
          "\(coding) in one byte a packet", .response(200, text),
          steps: .sendBytewise(Data("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n".utf8)),
          .sendBytewise(Data("Content-Length: \(body.count)\r\n\r\n".utf8) + body)),
        .init("\(coding) that is cut short", .malformed, steps: sized(body.dropLast(6), coding)),
        .init(
          "\(coding) in chunks that is cut short", .malformed,
          steps: chunked(body.dropLast(6), coding)),
        .init("\(coding) of one byte", .malformed, steps: sized(body.prefix(1), coding)),
        .init(
          "\(coding) with bytes after its end", .malformed,
          steps: sized(body + Data("tail".utf8), coding)),
        .init("another coding than \(coding)", .malformed, steps: sized(Data(text.utf8), coding)),
      ]
      // Brotli has no checksum.
      guard coding != "br" else { return rows }
      return rows + [
        .init("\(coding) with a changed bit", .malformed, steps: sized(flipped, coding))
      ]
    }

    /// A gzip member of zero bytes, 258 for each 13 bits, without its end.
    ///
    /// Source: RFC 1951 section 3.2.6: the literal 0 is 00110000, the length 258 is 11000101, and the
    /// distance 1 is 00000.
    private static func gzippedZeros(_ count: Int) -> Data {
      var data = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
      var (bits, size) = (0b011 as UInt32, 3 as UInt32)
      func code(_ digits: String) -> UInt32 {
        digits.reversed().reduce(0) { $0 << 1 | ($1 == "1" ? 1 : 0) }
      }
      func flush() {
        while size >= 8 {
          data.append(UInt8(bits & 255))
          (bits, size) = (bits >> 8, size - 8)
        }
      }
      (bits, size) = (bits | code("00110000") << size, size + 8)
      let run = code("1100010100000")
      for _ in 0..<(count / 258) {
        flush()
        (bits, size) = (bits | run << size, size + 13)
      }
      flush()
      return data
    }

    private static let gzipped = CodedText.bodies["gzip"] ?? Data()

    private static let codings: [HostileRow] = [
      .init(
        "a coding that is not known", .response(200, "abc"), .malformed,
        steps: sized(Data("abc".utf8), "rot13")
      ).byCurl(.response(200, "abc")),
      .init(
        "10,000 codings that are not known", .response(200, "abc"), .malformed,
        steps: sized(Data("abc".utf8), Array(repeating: "a", count: 10_000).joined(separator: ","))
      ).byCurl(.response(200, "abc")),
      .init(
        "a coding that is not known without a body", .response(200, ""),
        steps: sized(Data(), "rot13")),
      .init("gzip without a body", .response(200, ""), steps: sized(Data(), "gzip")),
      .init(
        "ten codings", .malformed,
        steps: sized(gzipped, Array(repeating: "gzip", count: 10).joined(separator: ", "))),
      .init(
        "10,000 codings", .malformed,
        steps: sized(
          gzipped, Array(repeating: "gzip", count: 10_000).joined(separator: ", "))),
      .init(
        "gzip of more than a body may have", .failure(.bodyTooLarge),
        steps: sized(gzippedZeros(4 * HostileClient.maximumBodySize), "gzip")),
      .init(
        "zstd of more than a body may have", .failure(.bodyTooLarge),
        steps: sized(CodedText.zstdZeros(blocks: 256), "zstd")),
      .init(
        "an endless body", .failure(.bodyTooLarge),
        steps: .text("HTTP/1.1 200 OK\r\n\r\n"), .flood(1 << 40)),
      .init(
        "an endless chunk", .failure(.bodyTooLarge),
        steps: .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffff\r\n"),
        .flood(1 << 40)),
    ]

    static let hostileCodings = (damaged + codings).map(\.behaviour)
  }
#endif
