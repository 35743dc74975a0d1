import CatenaSystem
import Networking

/// Plain and quoted scalars, which may have several lines.
///
/// Source: YAML 1.2.2, sections 6.5 and 7.3.
extension YAMLReader {
  // MARK: Plain scalars

  /// Reads the first line of a plain scalar.
  mutating func plainLine(inFlow: Bool) throws(DocumentSyntaxError) -> Range<Int> {
    let first = scanner.next
    if "-?:".utf8.contains(first) {
      let following = scanner.peek(1)
      guard !YAMLScanner.isSpace(following), !inFlow || !YAMLScanner.isFlowIndicator(following)
      else { throw scanner.error("\(Character(Unicode.Scalar(first))) is not a value") }
    } else if ",[]{}#&*!|>'\"%@`".utf8.contains(first) {
      throw scanner.error(
        "a value that begins with \(Character(Unicode.Scalar(first))) needs quotation marks")
    }
    return restOfPlainLine(inFlow: inFlow)
  }

  private mutating func restOfPlainLine(inFlow: Bool) -> Range<Int> {
    let start = scanner.position
    var end = start
    scan: while scanner.next != 0 {
      switch scanner.next {
      case 0x20, 0x09:
        scanner.position += 1
        continue
      case 0x0A, 0x0D: break scan
      case UInt8(ascii: "#") where scanner.position > end: break scan
      case UInt8(ascii: ":") where scanner.isAtValueIndicator(inFlow: inFlow): break scan
      case let byte where inFlow && YAMLScanner.isFlowIndicator(byte): break scan
      default: break
      }
      scanner.position += 1
      end = scanner.position
    }
    scanner.position = end
    return start..<end
  }

  /// Reads the further lines of a plain scalar.
  ///
  /// - Parameters:
  ///   - line: The first line.
  ///   - indentation: The least number of spaces before each further line.
  ///   - inFlow: Whether the scalar is in a flow collection.
  /// - Returns: The text, with the lines folded.
  mutating func plain(_ line: Range<Int>, indentation: Int, inFlow: Bool) -> String {
    var text: [UInt8] = []
    scanner.append(line, to: &text)
    while true {
      let end = scanner.mark
      scanner.skipBlanks()
      let lineCount = scanner.skipEmptyLines()
      let isContinued =
        lineCount > 0 && scanner.next != 0 && scanner.next != UInt8(ascii: "#")
        && !scanner.isAtAnyMarker && scanner.indentation >= indentation
        && !scanner.isAtValueIndicator(inFlow: inFlow)
        && !(inFlow && YAMLScanner.isFlowIndicator(scanner.next))
      guard isContinued else {
        scanner.restore(end)
        return String(decoding: text, as: UTF8.self)
      }
      Self.fold(lineCount, into: &text)
      scanner.append(restOfPlainLine(inFlow: inFlow), to: &text)
    }
  }

  /// Appends line breaks: one is a space, and of several the first is discarded.
  private static func fold(_ lineCount: Int, into text: inout [UInt8]) {
    if lineCount == 1 {
      text.append(0x20)
    } else {
      text += Array(repeating: 0x0A, count: lineCount - 1)
    }
  }

  // MARK: Quoted scalars

  /// Reads a scalar in single or double quotation marks.
  ///
  /// The indentation of its further lines is not checked.
  ///
  /// - Returns: The text.
  /// - Throws: ``DocumentSyntaxError``.
  mutating func quoted() throws(DocumentSyntaxError) -> String {
    let (start, mark) = (scanner.position, scanner.next)
    let isDouble = mark == UInt8(ascii: "\"")
    var text: [UInt8] = []
    /// The end of the text without the blanks that a line break removes.
    var end = 0
    scanner.position += 1
    while true {
      switch scanner.next {
      case 0: throw scanner.error("the quotation mark is not closed", at: start)
      case mark where !isDouble && scanner.peek(1) == mark:
        text.append(mark)
        scanner.position += 2
        end = text.count
      case mark:
        scanner.position += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\") where isDouble:
        if YAMLScanner.isBreak(scanner.peek(1)) {
          scanner.position += 1
          let lineCount = scanner.skipEmptyLines()
          try checkLine(start)
          text += Array(repeating: 0x0A, count: lineCount - 1)
        } else {
          text += Array(String(try escape()).utf8)
        }
        end = text.count
      case 0x0A, 0x0D:
        text.removeSubrange(end...)
        Self.fold(scanner.skipEmptyLines(), into: &text)
        try checkLine(start)
        end = text.count
      case let byte:
        text.append(byte)
        scanner.position += 1
        if !YAMLScanner.isBlank(byte) { end = text.count }
      }
    }
  }

  /// Checks that a further line of a quoted scalar is one.
  private func checkLine(_ start: Int) throws(DocumentSyntaxError) {
    guard scanner.next != 0 else {
      throw scanner.error("the quotation mark is not closed", at: start)
    }
    guard !scanner.isAtAnyMarker else {
      throw scanner.error("the document ends in a quoted text")
    }
  }

  /// Reads an escape sequence.
  private mutating func escape() throws(DocumentSyntaxError) -> Unicode.Scalar {
    let start = scanner.position
    let character = scanner.peek(1)
    scanner.position += 2
    switch character {
    case UInt8(ascii: "0"): return "\0"
    case UInt8(ascii: "a"): return "\u{07}"
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "t"), 0x09: return "\t"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "v"): return "\u{0B}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "e"): return "\u{1B}"
    case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"):
      return Unicode.Scalar(character)
    case UInt8(ascii: "N"): return "\u{85}"
    case UInt8(ascii: "_"): return "\u{A0}"
    case UInt8(ascii: "L"): return "\u{2028}"
    case UInt8(ascii: "P"): return "\u{2029}"
    case UInt8(ascii: "x"): return try scalar(digits: 2, start)
    case UInt8(ascii: "u"): return try scalar(digits: 4, start)
    case UInt8(ascii: "U"): return try scalar(digits: 8, start)
    default: throw scanner.error("the escape sequence is unknown", at: start)
    }
  }

  /// Reads the digits of a scalar.
  ///
  /// Two escaped surrogates are one scalar, as in JSON.
  private mutating func scalar(
    digits count: Int, _ start: Int
  ) throws(DocumentSyntaxError) -> Unicode.Scalar {
    var value = try number(count, start)
    if count == 4, (0xD800..<0xDC00).contains(value), scanner.next == UInt8(ascii: "\\"),
      scanner.peek(1) == UInt8(ascii: "u")
    {
      scanner.position += 2
      let low = try number(4, start)
      guard (0xDC00..<0xE000).contains(low) else {
        throw scanner.error("a surrogate without its pair", at: start)
      }
      value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw scanner.error("the escape sequence is not a Unicode scalar", at: start)
    }
    return scalar
  }

  private mutating func number(_ count: Int, _ start: Int) throws(DocumentSyntaxError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let digit = scanner.next.hexDigitValue else {
        throw scanner.error("expected \(count) hexadecimal digits", at: start)
      }
      value = value << 4 | UInt32(digit)
      scanner.position += 1
    }
    return value
  }
}
