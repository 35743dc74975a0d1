#if os(Linux) || os(macOS)
  import Foundation
  import TestSupport

  /// A random change of the bytes of a response.
  enum Mutation {
    private static let bytes: [UInt8] = [
      0, 0x0A, 0x0D, 0x20, 0x09, 0x3A, 0x3B, 0x2C, 0x2D, 0x30, 0x39, 0x41, 0x66, 0x7F, 0x80, 0xFF,
    ]
    private static let texts = [
      "\r\n", "\r\n\r\n", "\n", " ", "\r\n ", "0\r\n\r\n", "HTTP/1.1 200 OK\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n",
      "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n",
      "Set-Cookie: 😀=1\r\n", "Connection: close\r\n", ": x\r\n", "\0", "1", "ffff",
    ]

    /// Applies one to three changes.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - others: Other responses, whose parts may be inserted.
    ///   - random: The source of random numbers.
    /// - Returns: The changed response, and a description of each change.
    static func apply(
      to response: Data, others: [Data], _ random: inout SeededGenerator
    ) -> (response: Data, changes: [String]) {
      var bytes = Array(response)
      var changes: [String] = []
      let count = [1, 1, 1, 2, 3].randomElement(using: &random) ?? 1
      for _ in 0..<count where !bytes.isEmpty {
        changes.append(change(&bytes, others, &random))
      }
      return (Data(bytes), changes)
    }

    private static func change(
      _ bytes: inout [UInt8], _ others: [Data], _ random: inout SeededGenerator
    ) -> String {
      let index = position(in: bytes, &random)
      switch Int.random(in: 0..<13, using: &random) {
      case 0:
        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        return "a bit of byte \(index) is flipped"
      case 1:
        bytes[index] = self.bytes.randomElement(using: &random) ?? 0
        return "byte \(index) is replaced"
      case 2:
        let range = range(from: index, upTo: 8, in: bytes, &random)
        bytes.removeSubrange(range)
        return "the bytes \(range) are removed"
      case 3:
        let range = range(from: index, upTo: 16, in: bytes, &random)
        bytes.insert(contentsOf: bytes[range], at: range.upperBound)
        return "the bytes \(range) are doubled"
      case 4:
        let other = position(in: bytes, &random)
        bytes.swapAt(index, other)
        return "the bytes \(index) and \(other) are swapped"
      case 5:
        bytes.insert(contentsOf: Array((texts.randomElement(using: &random) ?? "").utf8), at: index)
        return "a text is inserted at \(index)"
      case 6, 7, 8: return changeLines(&bytes, &random)
      case 9, 10: return changeNumber(&bytes, &random)
      case 11:
        bytes.removeSubrange(index...)
        return "the rest from \(index) is cut"
      default:
        let other = Array(others.randomElement(using: &random) ?? Data())
        guard !other.isEmpty else { return "no change" }
        let start = position(in: other, &random)
        bytes.replaceSubrange(index..., with: other[start...])
        return "the rest from \(index) is that of another response from \(start)"
      }
    }

    /// Returns a position, which is in the head for most responses.
    private static func position(in bytes: [UInt8], _ random: inout SeededGenerator) -> Int {
      let limit = Bool.random(using: &random) ? bytes.count : min(bytes.count, 150)
      return Int.random(in: 0..<limit, using: &random)
    }

    private static func range(
      from start: Int, upTo limit: Int, in bytes: [UInt8], _ random: inout SeededGenerator
    ) -> Range<Int> {
      start..<min(bytes.count, start + Int.random(in: 1...limit, using: &random))
    }

    /// Repeats, removes or swaps lines.
    private static func changeLines(
      _ bytes: inout [UInt8], _ random: inout SeededGenerator
    ) -> String {
      var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
      let index = Int.random(in: 0..<lines.count, using: &random)
      let description: String
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        lines.insert(lines[index], at: index)
        description = "line \(index) is repeated"
      case 1:
        lines.remove(at: index)
        description = "line \(index) is removed"
      default:
        let other = Int.random(in: 0..<lines.count, using: &random)
        lines.swapAt(index, other)
        description = "the lines \(index) and \(other) are swapped"
      }
      bytes = Array(lines.joined(separator: [0x0A]))
      return description
    }

    /// Changes a number, such as the status or a length.
    private static func changeNumber(
      _ bytes: inout [UInt8], _ random: inout SeededGenerator
    ) -> String {
      let starts = bytes.indices.filter { index in
        bytes[index].isDigit && (index == 0 || !bytes[index - 1].isDigit)
      }
      guard let start = starts.randomElement(using: &random) else { return "no change" }
      let digits = bytes[start...].prefix { $0.isDigit }
      let text = String(decoding: digits, as: UTF8.self)
      let number = Int(text) ?? 0
      let changed =
        [
          "\(number + 1)", "\(number - 1)", "\(number)0", "+\(number)", "-\(number)", "0x\(number)",
          "0\(number)", "\(number), \(number)", "\(number), \(number + 1)", "99999999999999999999",
          "9223372036854775807", "",
        ].randomElement(using: &random) ?? ""
      bytes.replaceSubrange(digits.indices, with: Array(changed.utf8))
      return "the number \(text) at \(start) is changed to \(changed)"
    }
  }

  extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
  }
#endif
