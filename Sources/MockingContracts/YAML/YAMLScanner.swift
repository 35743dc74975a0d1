import CatenaSystem
import Foundation

/// A position in the text of a YAML document, with the rules for lines, blanks and comments.
///
/// Source: YAML 1.2.2, sections 5 and 6.
struct YAMLScanner {
  private var bytes: [UInt8]
  /// The number of bytes of the text, without an added line break.
  private let count: Int
  var position = 0
  /// The offset of the first byte of the line.
  private(set) var lineStart = 0

  /// Creates a scanner at the start of a text.
  ///
  /// - Throws: ``DocumentSyntaxError`` for a text that is not UTF-8 or has control characters.
  init(_ text: Data) throws(DocumentSyntaxError) {
    bytes = Array(text)
    count = bytes.count
    guard String(validUTF8: bytes) != nil else {
      throw DocumentSyntaxError(offset: 0, reason: "expected a text in UTF-8")
    }
    for (offset, byte) in bytes.enumerated() {
      guard byte >= 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else {
        throw DocumentSyntaxError(offset: offset, reason: "a control character is not allowed")
      }
    }
    // The end of the text ends a line, too.
    if let last = bytes.last, !Self.isBreak(last) { bytes.append(0x0A) }
    // A byte order mark is a prefix of a document, and there can be several prefixes (section 9.1.1).
    while bytes[position...].starts(with: [0xEF, 0xBB, 0xBF]) { position += 3 }
    lineStart = position
  }

  // MARK: Bytes

  /// The position in the text, without an added line break.
  var offset: Int { min(position, count) }

  /// The byte at the position, or 0 at the end.
  var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

  /// Returns the byte at a distance from the position, or 0 beyond the text.
  func peek(_ distance: Int) -> UInt8 {
    let index = position + distance
    return bytes.indices.contains(index) ? bytes[index] : 0
  }

  /// The number of bytes between the start of the line and the position.
  var column: Int { position - lineStart }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
  static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
  /// Returns whether a byte is a blank, a line break or the end.
  static func isSpace(_ byte: UInt8) -> Bool { isBlank(byte) || isBreak(byte) || byte == 0 }
  static func isFlowIndicator(_ byte: UInt8) -> Bool { ",[]{}".utf8.contains(byte) }

  var isAtSpace: Bool { Self.isSpace(next) }
  var isAtBreak: Bool { Self.isBreak(next) }

  /// Returns whether an indicator with a space after it is at the position.
  func isAtIndicator(_ indicator: Character) -> Bool {
    next == indicator.asciiValue && Self.isSpace(peek(1))
  }

  /// Returns whether the colon before a value is at the position.
  ///
  /// - Parameters:
  ///   - inFlow: Whether a flow indicator may follow.
  ///   - isAdjacent: Whether anything may follow, as after a quoted key of a flow collection.
  /// - Returns: Whether it is there.
  func isAtValueIndicator(inFlow: Bool, isAdjacent: Bool = false) -> Bool {
    guard next == UInt8(ascii: ":") else { return false }
    let following = peek(1)
    return isAdjacent || Self.isSpace(following) || inFlow && Self.isFlowIndicator(following)
  }

  /// Returns whether `---` or `...` is at the position.
  func isAtMarker(_ character: Character) -> Bool {
    column == 0 && next == character.asciiValue && peek(1) == next && peek(2) == next
      && Self.isSpace(peek(3))
  }

  var isAtAnyMarker: Bool { isAtMarker("-") || isAtMarker(".") }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// Appends bytes of the text to others.
  func append(_ range: Range<Int>, to text: inout [UInt8]) { text += bytes[range] }

  // MARK: Lines

  /// The number of spaces at the start of the line.
  var indentation: Int {
    var index = lineStart
    while index < bytes.count, bytes[index] == 0x20 { index += 1 }
    return index - lineStart
  }

  /// Whether there are only blanks between the start of the line and the position.
  var isFirstOfLine: Bool { bytes[lineStart..<position].allSatisfy(Self.isBlank) }

  /// Returns whether there are only spaces between an offset and the position.
  func hasOnlySpaces(from offset: Int) -> Bool {
    bytes[min(offset, position)..<position].allSatisfy { $0 == 0x20 }
  }

  /// Moves behind the line break at the position.
  mutating func skipBreak() {
    position += next == 0x0D && peek(1) == 0x0A ? 2 : 1
    lineStart = position
  }

  /// Returns to an earlier position.
  mutating func restore(_ mark: YAMLScanner.Mark) {
    position = mark.position
    lineStart = mark.lineStart
  }

  struct Mark {
    let position: Int
    let lineStart: Int
  }

  var mark: Mark { Mark(position: position, lineStart: lineStart) }

  mutating func skipBlanks() {
    while Self.isBlank(next) { position += 1 }
  }

  /// Moves to the end of the line, and returns its text.
  mutating func restOfLine() -> String {
    let start = position
    while next != 0, !isAtBreak { position += 1 }
    return text(start..<position)
  }

  /// Skips blanks, comments and line breaks.
  ///
  /// - Throws: ``DocumentSyntaxError`` for a comment without a blank before it.
  mutating func skipSeparation() throws(DocumentSyntaxError) {
    while true {
      skipBlanks()
      if next == UInt8(ascii: "#") {
        guard position == lineStart || Self.isBlank(peek(-1)) else {
          throw error("expected a space before a comment")
        }
        while next != 0, !isAtBreak { position += 1 }
      }
      guard isAtBreak else { return }
      skipBreak()
    }
  }

  /// Skips the line break at the position and the empty lines after it.
  ///
  /// - Returns: The number of line breaks.
  mutating func skipEmptyLines() -> Int {
    var count = 0
    while isAtBreak {
      skipBreak()
      count += 1
      skipBlanks()
    }
    return count
  }

  func error(_ reason: String, at offset: Int? = nil) -> DocumentSyntaxError {
    DocumentSyntaxError(offset: min(offset ?? position, count), reason: reason)
  }
}
