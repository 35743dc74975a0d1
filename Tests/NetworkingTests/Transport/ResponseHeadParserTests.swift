import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct ResponseHeadParserTests {
  private func heads(_ lines: [String]) -> [HTTPResponseHead] {
    var parser = ResponseHeadParser()
    return lines.compactMap { line in
      Array((line + "\r\n").utf8).withUnsafeBytes { parser.parse($0) }
    }
  }

  @Test func aParserHasNoStatusLineBeforeTheFirstAndAfterAReset() {
    var parser = ResponseHeadParser()
    #expect(!parser.hasStatusLine)
    _ = Array("HTTP/1.1 200 OK\r\n".utf8).withUnsafeBytes { parser.parse($0) }
    #expect(parser.hasStatusLine)
    parser.reset()
    #expect(!parser.hasStatusLine)
  }

  @Test(arguments: ["1.0", "1.1", "2", "3"])
  func statusAndVersionAreParsed(_ version: String) {
    let lines = ["HTTP/\(version) 404 Not Found", ""]
    #expect(heads(lines) == [HTTPResponseHead(status: 404, version: version)])
    #expect(heads(["HTTP/\(version) 200", ""]).map(\.status) == [200])
  }

  @Test func interimHeadsAreDiscardedWithTheirFields() {
    let lines = ["HTTP/1.1 103 Early", "A: 1", "", "HTTP/1.1 200 OK", "B: 2", ""]
    #expect(heads(lines) == [HTTPResponseHead(status: 200, headers: ["B": "2"])])
  }

  @Test func bytesAfterTheHeadAreNotConsumed() {
    let lines = ["HTTP/1.1 200 OK", "", "A: 1", "", "HTTP/1.1 500 No", ""]
    #expect(heads(lines) == [HTTPResponseHead(status: 200)])
  }

  @Test func whitespaceAroundNamesAndValuesIsRemoved() {
    let lines = ["HTTP/1.1 200 OK", "A :  b c \t", "D:", "E: f:g", "nothing", ""]
    #expect(heads(lines).first?.headers == ["A": "b c", "D": "", "E": "f:g"])
  }

  @Test(arguments: [" ", "\t", "  \t"])
  func aBlankFoldedLineDoesNotEndTheHead(_ fold: String) {
    let lines = ["HTTP/1.1 200 OK", "A: 1", fold, "B: 2"]
    #expect(heads(lines).isEmpty)
    #expect(heads(lines + [""]).first?.headers == ["A": "1", "B": "2"])
  }

  @Test(arguments: [
    ["A: 1", ""], ["HTTP/1.1 xyz", ""], ["HTTP/1.1", ""], ["HTTP/", ""], [" folded", ""], [""],
  ])
  func aHeadWithoutAStatusIsInvalid(_ lines: [String]) {
    #expect(heads(lines).isEmpty)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\nA: b\rc", "HTTP/1.1 200 OK\nA\rB: c", "HTTP/1.1 200 OK\n\rA: b",
    "HTTP/1.1 200 OK\n\r*", "HTTP/1.1 200 OK\n\r:a",
    "HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 4\nHTTP/1.1 200 a:b",
    String(repeating: "HTTP/1.1 103 Early\n\n", count: 101) + "HTTP/1.1 200 OK\nA: b",
    "HTTP/1.1 200 OK\nA: b\0c", "HTTP/1.1 200 OK\nA: b\n c\rd",
    "HTTP/1.1 200 OK\nContent-Length : 2", "HTTP/1.1 200 OK\nTransfer-Encoding\t: chunked",
    "HTTP/1.1 200 OK\nContent-Length: 2\n 4", "HTTP/1.1 200 OK\nTransfer-Encoding:\n chunked",
    "HTTP/1.1  200 OK\nA: b", "HTTP/1.1 103 Early\n\nHTTP/1.1  200 OK\nA: b", "HTTP/2 200 OK\nA: b",
    "http/1.1 200 OK\nA: b",
  ])
  func aHeadThatRecipientsReadInDifferentWaysIsMalformed(_ head: String) {
    var parser = ResponseHeadParser()
    // The fields that match a previous head are checked as well.
    for _ in 0..<2 {
      parser.reset(isHTTP1: true)
      let parsed = (head + "\n").split(separator: "\n", omittingEmptySubsequences: false)
        .compactMap { line in
          Array((line + "\r\n").utf8).withUnsafeBytes { parser.parse($0) }
        }
      #expect(parsed.isEmpty)
      #expect(parser.violation != nil)
    }
  }

  /// A reused parser parses each head like a new parser.
  @Test func aReusedParserParsesHeadsLikeANewOne() {
    var random = SeededGenerator(seed: 7)
    let names = ["Date", "Server", "date", "X-Empty", "Set-Cookie", "X-Latin"]
    let values: [[UInt8]] = [
      Array("Sat, 21 Nov 2026 15:27:28 GMT".utf8), Array("nginx".utf8), [], [0x67, 0xFC],
      Array("gü".utf8), Array(repeating: 0x61, count: 5_000),
    ]
    var lines: [[UInt8]] = []
    func line(_ random: inout SeededGenerator) -> [UInt8] {
      if Int.random(in: 0..<8, using: &random) == 0 { return Array("  folded".utf8) }
      let name = names.randomElement(using: &random) ?? ""
      return Array(name.utf8) + [0x3A, 0x20] + (values.randomElement(using: &random) ?? [])
    }
    var reused = ResponseHeadParser()
    for round in 0..<2_000 {
      // Most heads repeat the fields of the previous one.
      switch Int.random(in: 0..<6, using: &random) {
      case 0: lines.append(line(&random))
      case 1 where !lines.isEmpty: lines.removeLast()
      case 2 where !lines.isEmpty:
        lines[Int.random(in: lines.indices, using: &random)] = line(&random)
      case 3: lines = Array(lines.prefix(6))
      default: break
      }
      let interim =
        round % 5 == 0 ? [Array("HTTP/1.1 103 Early".utf8)] + lines.prefix(2) + [[]] : []
      let whole = interim + [Array("HTTP/\(round % 3) 200 OK".utf8)] + lines + [[]]
      var new = ResponseHeadParser()
      reused.reset()
      let expected = whole.compactMap { line in line.withUnsafeBytes { new.parse($0) } }
      let found = whole.compactMap { line in line.withUnsafeBytes { reused.parse($0) } }
      #expect(found == expected && found.count == 1)
      #expect(reused.isComplete && reused.hasStatusLine)
    }
  }
}
