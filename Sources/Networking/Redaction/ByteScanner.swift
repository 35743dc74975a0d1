/// A set of the bytes that a masker searches for.
///
/// A table has the classes of each byte, so that a search takes one step for each byte whatever it
/// searches for.
struct ByteClass: OptionSet {
  let rawValue: UInt32

  /// The characters of names in free text, which may have letters beyond ASCII.
  static var name: ByteClass { ByteClass(rawValue: 1 << 0) }
  /// The characters at which something may begin in free text.
  static var stop: ByteClass { ByteClass(rawValue: 1 << 1) }
  static var space: ByteClass { ByteClass(rawValue: 1 << 2) }
  static var backslash: ByteClass { ByteClass(rawValue: 1 << 3) }
  /// The end of a value that is not in quotation marks.
  static var bareEnd: ByteClass { ByteClass(rawValue: 1 << 4) }
  /// The characters of credentials.
  ///
  /// Source: RFC 9110 section 11.2.
  static var token: ByteClass { ByteClass(rawValue: 1 << 5) }
  static var elementName: ByteClass { ByteClass(rawValue: 1 << 6) }
  static var angle: ByteClass { ByteClass(rawValue: 1 << 7) }
  /// The end of the authority of a URL in free text.
  static var authorityEnd: ByteClass { ByteClass(rawValue: 1 << 8) }
  /// The end of the path of a URL in free text.
  static var pathEnd: ByteClass { ByteClass(rawValue: 1 << 9) }
  /// Quotation marks, and the backslash that escapes them.
  static var quote: ByteClass { ByteClass(rawValue: 1 << 10) }
  /// The brackets and quotation marks of JSON.
  static var bracket: ByteClass { ByteClass(rawValue: 1 << 11) }
  static var tag: ByteClass { ByteClass(rawValue: 1 << 12) }
  static var closingBracket: ByteClass { ByteClass(rawValue: 1 << 13) }
  /// The characters between names in a URL or a form.
  static var fieldDelimiter: ByteClass { ByteClass(rawValue: 1 << 14) }
  /// The characters between the segments and parameters of a path.
  static var pathDelimiter: ByteClass { ByteClass(rawValue: 1 << 15) }
  /// The characters after a value in free text.
  static var textDelimiter: ByteClass { ByteClass(rawValue: 1 << 16) }
  /// The characters after a private key that was cut.
  static var keyEnd: ByteClass { ByteClass(rawValue: 1 << 17) }
  /// The first letters of the roles of a pair.
  static var roleStart: ByteClass { ByteClass(rawValue: 1 << 18) }
  /// The characters of a number in JSON.
  static var number: ByteClass { ByteClass(rawValue: 1 << 19) }
  /// The letters of escapes in JSON that are white space.
  static var escapeLetter: ByteClass { ByteClass(rawValue: 1 << 20) }
  /// The first digits of payment cards.
  static var cardStart: ByteClass { ByteClass(rawValue: 1 << 21) }
  /// The characters beside letters and digits in base64.
  static var tokenSeparator: ByteClass { ByteClass(rawValue: 1 << 22) }
  /// The characters after a quotation mark that closes a string around a value.
  static var afterClosingMark: ByteClass { ByteClass(rawValue: 1 << 23) }

  /// The classes of each byte.
  ///
  /// A pointer, because a search would retain and release an array. `nonisolated(unsafe)` because the memory
  /// is never changed or released.
  nonisolated(unsafe) static let table: UnsafePointer<ByteClass> = {
    let table = UnsafeMutablePointer<ByteClass>.allocate(capacity: 256)
    table.initialize(repeating: [], count: 256)
    func add(
      _ set: ByteClass, _ characters: StaticString, alphanumeric: Bool = false,
      nonASCII: Bool = false
    ) {
      characters.withUTF8Buffer { for byte in $0 { table[Int(byte)].insert(set) } }
      for byte in UInt8.min...UInt8.max
      where alphanumeric && byte.isASCIIAlphanumeric || nonASCII && byte >= 0x80 {
        table[Int(byte)].insert(set)
      }
    }
    add(.name, "_.-[]%", alphanumeric: true, nonASCII: true)
    add(.stop, "_.-[]%{}<:", alphanumeric: true, nonASCII: true)
    add(.space, " \t\r\n\u{0B}\u{0C}")
    add(.backslash, "\\")
    add(.bareEnd, " \t\r\n\u{0B}\u{0C}\"&,;{}[]<>")
    add(.token, "+/=._~-", alphanumeric: true)
    add(.elementName, "_:.-", alphanumeric: true, nonASCII: true)
    add(.angle, "<>")
    add(.authorityEnd, "/?# \t\r\n\u{0B}\u{0C}\"'<>")
    add(.pathEnd, "?# \t\r\n\u{0B}\u{0C}\"'<>")
    add(.quote, "\\\"'")
    add(.bracket, "[]{}\"")
    add(.tag, "<")
    add(.closingBracket, "]")
    add(.fieldDelimiter, "?&;#/=,:@(){}<>\"' \t\r\n")
    add(.pathDelimiter, "/?;")
    add(.textDelimiter, " \t\r\n\"'&,;{}[]<>\\")
    add(.keyEnd, "\"'<>{}&")
    add(.roleStart, "nkfhpvitlac")
    add(.number, "0123456789.+-eE")
    add(.escapeLetter, "nrtbf")
    add(.cardStart, "23456")
    add(.tokenSeparator, "-_+/=")
    add(.afterClosingMark, " \t\r\n\u{0B}\u{0C},;]})>")
    return UnsafePointer(table)
  }()
}

extension UInt8 {
  /// Returns whether the byte is in a class.
  func `is`(_ set: ByteClass) -> Bool { !ByteClass.table[Int(self)].isDisjoint(with: set) }
}

/// The part of a text that is searched.
enum SearchedText {
  /// The whole text.
  case whole
  /// Each line by itself, so that a name at the end of a line has no value in the next one.
  ///
  /// The lines of a tag such as `<input name="a"`, a line break, and `value="b">` are one part.
  case lines

  /// Calls a closure with each part that is searched by itself.
  func forEachPart(of bytes: UnsafeBufferPointer<UInt8>, _ body: (_ part: Range<Int>) -> Void) {
    guard self == .lines else { return body(bytes.indices) }
    var (start, position) = (0, 0)
    while start < bytes.count {
      while position < bytes.count, bytes[position] != UInt8(ascii: "\n") {
        let isTag = bytes[position] == UInt8(ascii: "<")
        position = isTag ? Self.tagEnd(in: bytes, at: position) : position + 1
      }
      if start < position { body(start..<position) }
      position += 1
      start = position
    }
  }

  /// Returns the position of the `>` of the tag at a position, or the next position if there is no
  /// tag.
  ///
  /// The search ends at the next `<`, so that the searches of a text take linear time.
  private static func tagEnd(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
    guard start + 1 < bytes.count, bytes[start + 1].isASCIIAlphanumeric,
      let end = bytes[(start + 1)...].firstIndex(where: {
        $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">")
      }), bytes[end] == UInt8(ascii: ">")
    else { return start + 1 }
    return end
  }
}

/// A limit for the bytes that are read to judge values that contain each other.
///
/// A value that is kept is searched for other values. Without a limit, each value of
/// `key=key=key=` would be read up to the length of a sample. After too many of them, the samples
/// are shorter, so that the work is linear with a small factor.
struct JudgingBudget {
  /// The length of a sample after too many bytes were read.
  private static let minimumSampleLength = 16
  private var count = 0

  /// Returns the limit for the sample of a value.
  ///
  /// - Parameters:
  ///   - limit: The limit that is sufficient to judge the value; `.max` reads the whole value, which
  ///     is then replaced, and therefore not read again.
  ///   - position: The position of the value, which grows during the search.
  /// - Returns: The limit.
  func sampleLength(_ limit: Int, at position: Int) -> Int {
    limit == .max || count <= 2 * position + 4_096 ? limit : min(limit, Self.minimumSampleLength)
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
  private let classes = ByteClass.table
  /// The end of the searched part: of the text, or of the current line.
  private(set) var end: Int
  /// The number of bytes that were read so far, with repetitions.
  private(set) var work = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    end = bytes.count
  }

  /// Limits all searches to a part that ends at a position.
  mutating func search(to end: Int) {
    self.end = end
  }

  /// Returns the byte at a position, or `nil` at the end.
  @inline(__always) func byte(at position: Int) -> UInt8? {
    position < end ? bytes[position] : nil
  }

  /// Returns the byte before a position, or `nil` at the start.
  func byte(before position: Int) -> UInt8? { position > 0 ? bytes[position - 1] : nil }

  /// Returns whether the byte at a position is in a set.
  @inline(__always) func isByte(at position: Int, in set: ByteClass) -> Bool {
    position < end && !classes[Int(bytes[position])].isDisjoint(with: set)
  }

  /// Adds a number of bytes that a copy of this scanner has read.
  mutating func add(work count: Int) { work += count }

  /// Returns the position of the first byte that is in a set, or the end.
  mutating func first(in set: ByteClass, from start: Int, limit: Int = .max) -> Int {
    let end = min(end, limit)
    var position = start
    while position < end, classes[Int(bytes[position])].isDisjoint(with: set) { position += 1 }
    work += position - start + 1
    return position
  }

  /// Returns the position of the first byte that is not in a set, or the end.
  mutating func end(of set: ByteClass, from start: Int, limit: Int = .max) -> Int {
    let end = min(end, limit)
    var position = start
    while position < end, !classes[Int(bytes[position])].isDisjoint(with: set) { position += 1 }
    work += position - start + 1
    return position
  }

  /// Returns the position of the first byte of a run of bytes in a set that ends at a position.
  mutating func start(of set: ByteClass, before end: Int) -> Int {
    var position = end
    while position > 0, isByte(at: position - 1, in: set) { position -= 1 }
    work += end - position + 1
    return position
  }

  /// Returns whether a text is at a position.
  func hasText(_ text: StaticString, at position: Int) -> Bool {
    text.withUTF8Buffer { text in
      guard position >= 0, position + text.count <= end else { return false }
      for index in 0..<text.count where bytes[position + index] != text[index] { return false }
      return true
    }
  }

  /// Returns the position of the next occurrence of a text, or `nil` if there is none.
  ///
  /// The text must not contain its first character again.
  func position(of text: StaticString, from start: Int) -> Int? {
    let first = text.utf8Start.pointee
    var position = start
    while position < end {
      if bytes[position] == first, hasText(text, at: position) { return position }
      position += 1
    }
    return nil
  }

  /// Returns the text of a range.
  func text(_ range: Range<Int>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }
}

/// A builder that copies a text and replaces ranges of it.
struct MaskedTextBuilder {
  typealias Replacement = (range: Range<Int>, text: String)

  private let bytes: UnsafeBufferPointer<UInt8>
  private(set) var replacements: [Replacement] = []
  private var isSorted = true

  init(of bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// Replaces a range.
  ///
  /// Ranges that overlap are replaced together, by the text of the one that starts first.
  mutating func replace(_ range: Range<Int>, with text: String) {
    if let last = replacements.last, last.range.lowerBound > range.lowerBound { isSorted = false }
    replacements.append((range, text))
  }

  /// The whole text, or `nil` if no range is replaced.
  var text: String? {
    guard !replacements.isEmpty else { return nil }
    let sorted =
      isSorted
      ? replacements : replacements.sorted { $0.range.lowerBound < $1.range.lowerBound }
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var position = 0
    for (range, text) in sorted {
      if range.lowerBound >= position {
        output += bytes[position..<range.lowerBound]
        output += text.utf8
      }
      position = max(position, range.upperBound)
    }
    output += bytes[position...]
    return String(decoding: output, as: UTF8.self)
  }
}
