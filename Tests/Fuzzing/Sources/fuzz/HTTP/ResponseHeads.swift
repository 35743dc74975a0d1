import Foundation

@testable import Networking

extension FuzzTarget {
  /// The parser of response heads, line by line as libcurl delivers them.
  ///
  /// The input is the head of one or several responses.
  static let responseHeads = FuzzTarget("response-heads", maximumLength: 8_192) { input in
    let lines = ResponseHeadReader.lines(of: input.bytes)
    var reused = ResponseHeadReader()
    let first = reused.read(lines)
    expect(
      ResponseHeadReader().reading(lines) == first, "a parser without a history reads the same")
    // The parser reuses the strings of the head before.
    expect(reused.read(lines) == first, "a parser reads the same head twice")
    for head in first.heads { check(head, input.bytes.count) }
    Growth.checkLinear(input) { bytes in
      _ = ResponseHeadReader().reading(ResponseHeadReader.lines(of: bytes))
    }
  }

  private static func check(_ head: HTTPResponseHead, _ size: Int) {
    expect(head.status == 101 || (200...999).contains(head.status), "the status \(head.status)")
    // A byte that is no UTF-8 becomes a character of two bytes.
    let bytes = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    expect(bytes <= 2 * size, "the head has no more text than the input")
    for field in head.headers {
      expect(!field.value.utf8.contains(UInt8(ascii: "\n")), "a value has no line feed")
    }
    let lengths = head.headers.values(for: "Content-Length")
    guard !lengths.isEmpty, !head.headers.contains("Transfer-Encoding") else { return }
    let numbers = Set(
      lengths.flatMap { $0.split(separator: ",") }.map { text in
        text.trimmingCharacters(in: .whitespaces)
      }.map { Int64($0) ?? -1 })
    expect(numbers.count == 1 && (numbers.first ?? -1) >= 0, "the length is one number: \(lengths)")
  }
}

/// A reader of the heads in a list of lines.
private struct ResponseHeadReader {
  struct Result: Equatable {
    var heads: [HTTPResponseHead] = []
    var violation: String?
  }

  private var parser = ResponseHeadParser()

  func reading(_ lines: [ArraySlice<UInt8>]) -> Result {
    var reader = self
    return reader.read(lines)
  }

  mutating func read(_ lines: [ArraySlice<UInt8>]) -> Result {
    var result = Result()
    parser.reset()
    for line in lines {
      if let head = line.withUnsafeBytes({ parser.parse($0) }) {
        expect(parser.isComplete && parser.hasStatusLine, "the parser is complete after a head")
        result.heads.append(head)
        parser.reset()
      }
      if let violation = parser.violation {
        result.violation = violation
        break
      }
    }
    return result
  }

  /// Returns the lines of a head, each with its line break.
  static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(rest[...end])
      rest = rest[(end + 1)...]
    }
    return rest.isEmpty ? lines : lines + [rest]
  }
}
