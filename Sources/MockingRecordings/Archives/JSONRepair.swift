import CatenaSystem
import Foundation
import MockingDocuments

/// A repair of JSON texts of programs that do not write valid JSON.
enum JSONRepair {
  /// Returns a text in UTF-8 without byte order marks at its start.
  ///
  /// A text in UTF-16 is converted, and invalid UTF-8 is replaced by U+FFFD.
  static func utf8(_ data: Data) -> Data {
    if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
      return String(data: data, encoding: .utf16)
        .map { JSONDocumentError.text(of: Data($0.utf8)) } ?? data
    }
    let text = JSONDocumentError.text(of: data)
    guard String(validUTF8: text) == nil else { return text }
    return Data(String(decoding: text, as: UTF8.self).utf8)
  }

  /// Returns a text in which `NaN` and infinite numbers are `null`, control characters in strings are
  /// escaped, and surrogates without their counterpart are U+FFFD.
  ///
  /// The time is linear.
  ///
  /// - Parameter data: The text in UTF-8.
  /// - Returns: The repaired text. It is not valid JSON if the text has other errors.
  static func repaired(_ data: Data) -> Data {
    let bytes = Array(data)
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var (position, isInString) = (0, false)
    while position < bytes.count {
      let byte = bytes[position]
      let rest = bytes[position...]
      switch (isInString, byte) {
      case (true, UInt8(ascii: "\\")):
        let length = rest.dropFirst().first == UInt8(ascii: "u") ? 6 : 2
        output += escape(in: bytes, at: &position, length: length)
        continue
      case (true, 0..<0x20):
        output += Data(String(format: "\\u%04x", byte).utf8)
      case (false, UInt8(ascii: "N")), (false, UInt8(ascii: "I")), (false, UInt8(ascii: "-")):
        if let word = words.first(where: { rest.starts(with: $0.utf8) }) {
          output += "null".utf8
          position += word.utf8.count
          continue
        }
        output.append(byte)
      default:
        if byte == UInt8(ascii: "\"") { isInString.toggle() }
        output.append(byte)
      }
      position += 1
    }
    return Data(output)
  }

  private static let words = ["NaN", "Infinity", "-Infinity", "-NaN"]

  /// Returns the escape sequence at a position, or the replacement of a lone surrogate, and moves the
  /// position to its end.
  private static func escape(
    in bytes: [UInt8], at position: inout Int, length: Int
  ) -> ArraySlice<UInt8> {
    let start = position
    position = min(start + length, bytes.count)
    guard length == 6, let unit = codeUnit(in: bytes, at: start) else {
      return bytes[start..<position]
    }
    if UTF16.isLeadSurrogate(unit), let next = codeUnit(in: bytes, at: position),
      UTF16.isTrailSurrogate(next)
    {
      position += 6
    } else if UTF16.isSurrogate(unit) {
      return ArraySlice("\\ufffd".utf8)
    }
    return bytes[start..<position]
  }

  /// Returns the code unit of an escape sequence such as `\u00e9`, or `nil` if there is none.
  private static func codeUnit(in bytes: [UInt8], at position: Int) -> UInt16? {
    guard position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { return nil }
    return UInt16(
      String(decoding: bytes[(position + 2)..<(position + 6)], as: UTF8.self), radix: 16)
  }
}
