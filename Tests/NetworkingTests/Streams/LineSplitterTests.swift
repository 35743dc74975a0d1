import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingStreams

@Suite(.gated)
struct LineSplitterTests {
  private func split(
    _ body: [UInt8], by size: Int = .max, _ lineEnd: LineSplitter.LineEnd = .any,
    limit: Int = 1 << 20
  ) throws -> [String] {
    var splitter = LineSplitter(lineEnd, limit: limit)
    var lines: [String] = []
    let read = { (line: UnsafeRawBufferPointer) in String(decoding: line, as: UTF8.self) }
    var rest = body[...]
    while !rest.isEmpty {
      splitter.append(Data(rest.prefix(size)))
      rest = rest.dropFirst(size)
      while let line = try splitter.next(read) { lines.append(line) }
    }
    if let last = splitter.finish(read) { lines.append(last) }
    return lines
  }

  @Test(arguments: [
    ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r", ["a"]), ("a\r\n", ["a"]),
    ("a\n\n", ["a", ""]), ("a\r\r\n\nb", ["a", "", "", "b"]), ("\r\n\r\na", ["", "", "a"]),
    ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}", []), ("\u{FEFF}\n", [""]),
  ])
  func linesEndWithAnyLineEnd(_ body: String, _ lines: [String]) throws {
    for size in [1, 2, 3, .max] { #expect(try split(Array(body.utf8), by: size) == lines) }
  }

  @Test func aReturnIsNoLineEndOfLinesThatEndWithLF() throws {
    #expect(try split(Array("a\rb\r\nc".utf8), .lineFeed) == ["a\rb\r", "c"])
  }

  @Test func aLineAboveTheLimitIsAnError() throws {
    #expect(try split(Array("1234\n5678".utf8), limit: 4) == ["1234", "5678"])
    for size in [1, 2, .max] {
      #expect(throws: LineSplitter.LineTooLong.self) {
        try split(Array("1234\n56789".utf8), by: size, limit: 4)
      }
      #expect(throws: LineSplitter.LineTooLong.self) {
        try split(Array("12345\n".utf8), by: size, limit: 4)
      }
    }
  }

  @Test func randomBodiesSplitLikeAReference() throws {
    var random = SeededGenerator(seed: 16)
    for _ in 0..<2_000 {
      let body = (0..<Int.random(in: 0...30, using: &random)).map { _ in
        Array("ab\r\n\n".utf8)[Int.random(in: 0..<5, using: &random)]
      }
      let size = Int.random(in: 1...8, using: &random)
      #expect(try split(body, by: size) == Self.reference(body), "\(body) by \(size)")
    }
  }

  /// Splits a whole body.
  private static func reference(_ body: [UInt8]) -> [String] {
    var lines = [""]
    var previous: UInt8 = 0
    for byte in body {
      defer { previous = byte }
      if byte == 0x0A, previous == 0x0D { continue }
      if byte == 0x0A || byte == 0x0D {
        lines.append("")
      } else {
        lines[lines.count - 1].unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
