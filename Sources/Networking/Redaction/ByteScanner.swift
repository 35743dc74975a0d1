import CatenaSystem

/// A set of the bytes that a masker searches for.
///
/// It is a table, so that a search takes one step for each byte whatever it searches for.
///
/// `@unchecked Sendable` because the table is protected by being constant: its memory is never changed or
/// released.
struct ByteClass: @unchecked Sendable {
  /// Whether each byte is in the set.
  ///
  /// A pointer, because a search would retain and release an array.
  private let table: UnsafePointer<Bool>

  init(_ characters: String, alphanumeric: Bool = false, beyondASCII: Bool = false) {
    let table = UnsafeMutablePointer<Bool>.allocate(capacity: 256)
    for byte in UInt8.min...UInt8.max {
      let isMember =
        characters.utf8.contains(byte) || alphanumeric && byte.isASCIIAlphanumeric
        || beyondASCII && byte >= 0x80
      (table + Int(byte)).initialize(to: isMember)
    }
    self.table = UnsafePointer(table)
  }

  @inline(__always) subscript(byte: UInt8) -> Bool { table[Int(byte)] }

  private static let spaces = " \t\r\n\u{0B}\u{0C}"

  static let space = ByteClass(spaces)
  /// The characters of names in free text, which may have letters beyond ASCII.
  static let name = ByteClass("_.-[]%", alphanumeric: true, beyondASCII: true)
  /// The characters at which something may begin in free text.
  static let stop = ByteClass("_.-[]%{}<:", alphanumeric: true, beyondASCII: true)
  /// The end of a value that is not in quotation marks.
  static let bareEnd = ByteClass(spaces + "\"&,;{}[]<>")
  /// The characters of credentials.
  ///
  /// Source: RFC 9110 section 11.2.
  static let token = ByteClass("+/=._~-", alphanumeric: true)
  static let elementName = ByteClass("_:.-", alphanumeric: true, beyondASCII: true)
  static let angle = ByteClass("<>")
  static let tag = ByteClass("<")
  /// The ends of the authority and of the path of a URL in free text.
  static let authorityEnd = ByteClass(spaces + "/?#\"'<>")
  static let pathEnd = ByteClass(spaces + "?#\"'<>")
  static let backslash = ByteClass("\\")
  /// Quotation marks, and the backslash that escapes them.
  static let quote = ByteClass("\\\"'")
  /// The brackets and quotation marks of JSON.
  static let bracket = ByteClass("[]{}\"")
  static let closingBracket = ByteClass("]")
  /// The characters between names in a URL or a form.
  static let fieldDelimiter = ByteClass("?&;#/=,:@(){}<>\"' \t\r\n")
  /// The characters between the segments and parameters of a path.
  static let pathDelimiter = ByteClass("/?;")
  /// The characters after a value in free text.
  static let textDelimiter = ByteClass(" \t\r\n\"'&,;{}[]<>\\")
  /// The characters after a quotation mark that closes a string around a value.
  static let afterClosingMark = ByteClass(spaces + ",;]})>")
}

/// Matches a byte with a character of ASCII, so that characters can be the cases of a `switch`.
@inline(__always) func ~= (character: Unicode.Scalar, byte: UInt8?) -> Bool {
  byte == UInt8(ascii: character)
}

extension UInt8 {
  /// Whether the byte is white space in ASCII.
  @inline(__always) var isASCIISpace: Bool { self == 0x20 || 0x09...0x0D ~= self }

  /// Returns whether the byte is one of a few characters.
  @inline(__always) func isOne(of characters: StaticString) -> Bool {
    for index in 0..<characters.utf8CodeUnitCount where characters.utf8Start[index] == self {
      return true
    }
    return false
  }
}

extension BidirectionalCollection<UInt8> {
  /// The bytes without spaces and tabs at both ends.
  var trimmed: SubSequence {
    let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard let last = lastIndex(where: { !isSpace($0) }) else { return self[endIndex...] }
    return self[...last].drop(while: isSpace)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns whether a text is at a position.
  @inline(__always) func has(_ text: StaticString, at position: Int) -> Bool {
    guard position >= 0, position + text.utf8CodeUnitCount <= count else { return false }
    for index in 0..<text.utf8CodeUnitCount
    where self[position + index] != text.utf8Start[index] { return false }
    return true
  }

  /// Returns the position of the first byte in a range that meets a condition, or the end.
  @inline(__always) func first(
    from start: Int, to end: Int? = nil, where isMatch: (UInt8) -> Bool
  ) -> Int {
    var position = start
    let end = end ?? count
    while position < end, !isMatch(self[position]) { position += 1 }
    return position
  }

  /// Returns the text of a range.
  func text(_ range: Range<Int>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: self[range]), as: UTF8.self)
  }
}

/// The part of a text that is searched.
enum SearchedText {
  /// The whole text.
  case whole
  /// Each line by itself, so that a name at the end of a line has no value in the next one.
  ///
  /// The lines of a tag such as `<input name="a"`, a line break, and `value="b">` are one part.
  case lines
  /// The whole text, which is a path with or without a query.
  case url

  /// Calls a closure with each part that is searched by itself.
  func forEachPart(of bytes: UnsafeBufferPointer<UInt8>, _ body: (_ part: Range<Int>) -> Void) {
    guard self == .lines else { return body(bytes.indices) }
    var (start, position) = (0, 0)
    while start < bytes.count {
      while position < bytes.count, bytes[position] != UInt8(ascii: "\n") {
        position += 1
        guard bytes[position - 1] == UInt8(ascii: "<"), position < bytes.count,
          bytes[position].isASCIIAlphanumeric
        else { continue }
        // The next `<` ends the search, so that the searches of a text take linear time.
        let end = bytes.first(from: position) { ByteClass.angle[$0] }
        if bytes.has(">", at: end) { position = end }
      }
      if start < position { body(start..<position) }
      position += 1
      start = position
    }
  }
}

/// A limit for the bytes that are read to judge values that contain each other.
///
/// A value that is kept is searched for other values. Without a limit, each value of
/// `key=key=key=` would be read up to the length of a sample. After too many of them, the samples
/// are shorter, so that the work is linear with a small factor.
struct JudgingBudget {
  private var count = 0

  /// Returns the limit for the sample of a value.
  ///
  /// - Parameters:
  ///   - limit: The limit that is sufficient to judge the value; `.max` reads the whole value, which
  ///     is then replaced, and therefore not read again.
  ///   - position: The position of the value, which grows during the search.
  /// - Returns: The limit.
  func sampleLength(_ limit: Int, at position: Int) -> Int {
    limit == .max || count <= 2 * position + 4_096 ? limit : min(limit, 16)
  }

  /// Adds the length of a sample.
  mutating func add(_ count: Int) { self.count += max(count, 0) }
}

/// The bytes of a text, and the number of bytes that searches have read.
///
/// Every search of a masker goes through a scanner, so that a test can assert that the work grows
/// in proportion to the text.
struct ByteScanner {
  let bytes: UnsafeBufferPointer<UInt8>
  /// The end of the searched part: of the text, or of the current line.
  var end: Int
  /// The number of bytes that were read so far, with repetitions.
  var work = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    end = bytes.count
  }

  /// Returns the byte at a position, or `nil` outside of the searched part.
  @inline(__always) func byte(at position: Int) -> UInt8? {
    position < end && position >= 0 ? bytes[position] : nil
  }

  /// Returns whether the byte at a position is in a set.
  @inline(__always) func isByte(at position: Int, in set: ByteClass) -> Bool {
    position < end && set[bytes[position]]
  }

  /// Returns whether a text is at a position.
  @inline(__always) func has(_ text: StaticString, at position: Int) -> Bool {
    position + text.utf8CodeUnitCount <= end && bytes.has(text, at: position)
  }

  /// Returns the position of the first byte that is in a set, or the end.
  @inline(__always) mutating func first(
    in set: ByteClass, from start: Int, limit: Int = .max
  ) -> Int {
    let position = bytes.first(from: start, to: min(end, limit)) { set[$0] }
    work += position - start + 1
    return position
  }

  /// Returns the position of the first byte that is not in a set, or the end.
  @inline(__always) mutating func end(
    of set: ByteClass, from start: Int, limit: Int = .max
  ) -> Int {
    let position = bytes.first(from: start, to: min(end, limit)) { !set[$0] }
    work += position - start + 1
    return position
  }

  /// Returns the position of the first byte of a run of bytes in a set that ends at a position.
  mutating func start(of set: ByteClass, before end: Int, limit: Int = 0) -> Int {
    var position = end
    while position > limit, isByte(at: position - 1, in: set) { position -= 1 }
    work += end - position + 1
    return position
  }

  /// Returns the range of the next occurrence of a text that begins with the only byte of a set.
  ///
  /// The range is empty and at the end if there is none.
  mutating func range(of text: StaticString, _ set: ByteClass, from start: Int) -> Range<Int> {
    var position = first(in: set, from: start)
    while position < end, !has(text, at: position) { position = first(in: set, from: position + 1) }
    return position..<min(position + text.utf8CodeUnitCount, end)
  }

  /// Returns the text of a range.
  func text(_ range: Range<Int>) -> String { bytes.text(range) }
}

/// The ranges of a text that are replaced.
struct MaskedTextBuilder {
  private(set) var replacements: [(range: Range<Int>, text: String)] = []

  /// Replaces a range.
  ///
  /// Ranges that overlap are replaced together, by the text of the one that starts first.
  ///
  /// - Returns: The end of the range.
  @discardableResult
  mutating func replace(_ range: Range<Int>, with text: String) -> Int {
    replacements.append((range, text))
    return range.upperBound
  }

  /// Returns the bytes with the replacements.
  func masked(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var (output, position) = ([UInt8](), 0)
    output.reserveCapacity(bytes.count)
    for (range, text) in replacements.sortedByPositions(by: { $0.0.lowerBound < $1.0.lowerBound }) {
      if range.lowerBound >= position {
        output += bytes[position..<range.lowerBound]
        output += text.utf8
      }
      position = max(position, range.upperBound)
    }
    return output + bytes[position...]
  }

  /// Returns a text in which a closure has replaced ranges.
  static func masked(
    _ text: String,
    _ mask: (_ bytes: UnsafeBufferPointer<UInt8>, _ builder: inout MaskedTextBuilder) -> Void
  ) -> String {
    var text = text
    let masked = text.withUTF8 { bytes -> String? in
      var builder = MaskedTextBuilder()
      mask(bytes, &builder)
      return builder.replacements.isEmpty
        ? nil : String(decoding: builder.masked(bytes), as: UTF8.self)
    }
    return masked ?? text
  }
}
