import Mocking
package import Networking

/// An error in the text of a template.
package struct TemplateSyntaxError: Error, Hashable {
  /// The path of the string in a JSON template.
  package var path = JSONValuePath()
  /// Whether the error is in the name of a member of a JSON template instead of its value.
  package var isInName = false
  /// The offset of the error in the string, in bytes of UTF-8.
  package var offset: Int
  /// A description of the error.
  package let text: String
  /// The end of a message about an unknown name: a similar known name, or all known names.
  package var hint: String {
    guard let name else { return "" }
    // The segments that `**` matches have no name.
    if candidates == ["**"] { return "; write {\(name)*} in place of ** in the path" }
    if let suggestion = NameSuggestion.of(name, among: candidates) {
      return "; did you mean \"\(suggestion)\"?"
    }
    return candidates.isEmpty
      ? "; there are none" : "; known are: \(candidates.joined(separator: ", "))"
  }
  /// The unknown name.
  ///
  /// `nil` if the error is not an unknown name.
  var name: String?
  /// The known names in place of an unknown one.
  var candidates: [String] = []

  init(_ text: String, at offset: Int) {
    self.text = text
    self.offset = offset
  }

  /// Creates the error for an unknown name.
  ///
  /// - Parameters:
  ///   - name: The unknown name.
  ///   - kind: The kind of the name, such as `filter`.
  ///   - offset: The offset of the name.
  ///   - candidates: The known names.
  init(unknown name: String, _ kind: String, at offset: Int, among candidates: [String]) {
    self.init("unknown \(kind) \"\(name)\"", at: offset)
    self.name = name
    self.candidates = candidates
  }
}

extension TemplateSyntaxError: CustomStringConvertible {
  /// The error with its position in the string: `unknown name "x" at character 4`.
  package var description: String { "\(text) at byte \(offset + 1)" }
}

/// A reader of the tokens between `{{` and `}}`.
struct TemplateLexer {
  enum Token: Hashable {
    case name(String)
    case string(String)
    case number(JSON)
    /// A punctuation mark or an operator.
    case symbol(String)
    /// The closing braces.
    case close
    /// The end of the text.
    case end
  }

  let bytes: [UInt8]
  private(set) var position: Int
  /// The next token.
  private(set) var token = Token.end
  /// The offset of the next token.
  private(set) var offset = 0

  /// Creates a lexer and reads the first token.
  init(_ bytes: [UInt8], from position: Int) throws(TemplateSyntaxError) {
    self.bytes = bytes
    self.position = position
    try advance()
  }

  private func byte(_ distance: Int = 0) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  /// Reads the next token.
  mutating func advance() throws(TemplateSyntaxError) {
    while let byte = byte(), byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
    offset = position
    guard let first = byte() else { return token = .end }
    switch first {
    case UInt8(ascii: "}"):
      guard byte(1) == first else { throw error("expected \"}}\"") }
      position += 2
      token = .close
    case UInt8(ascii: "\""), UInt8(ascii: "'"): token = .string(try string(quotedBy: first))
    case UInt8(ascii: "0")...UInt8(ascii: "9"): token = .number(try number())
    case UInt8(ascii: "-") where byte(1)?.isASCIIDigit == true: token = .number(try number())
    case _ where Self.isNameStart(first): token = .name(name())
    case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"):
      let isDouble = byte(1) == UInt8(ascii: "=")
      let text = String(decoding: bytes[position..<(position + (isDouble ? 2 : 1))], as: UTF8.self)
      if text == "=" || text == "!" {
        throw error(text == "=" ? "expected \"==\"" : "expected \"!=\" or the word \"not\"")
      }
      position += isDouble ? 2 : 1
      token = .symbol(text)
    case _ where "()[],.:|#/+-*".utf8.contains(first):
      position += 1
      token = .symbol(String(decoding: [first], as: UTF8.self))
    default:
      let character = String(decoding: bytes[position...].prefix(4), as: UTF8.self).first
      throw error("unexpected character \"\(character.map(String.init) ?? "")\"")
    }
  }

  /// Reads the name of a member after a dot, which may begin with a digit.
  ///
  /// The dot must be the current token.
  mutating func memberName() throws(TemplateSyntaxError) -> String {
    offset = position
    guard let first = byte(), Self.isName(first) else {
      throw error("expected the name of a member after \".\"")
    }
    let name = name()
    try advance()
    return name
  }

  func error(_ text: String) -> TemplateSyntaxError { TemplateSyntaxError(text, at: offset) }

  // MARK: Tokens

  private static func isNameStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "$"), 0x80...0xFF:
      true
    default: false
    }
  }

  private static func isName(_ byte: UInt8) -> Bool {
    isNameStart(byte) || byte.isASCIIDigit || byte == UInt8(ascii: "-")
  }

  private mutating func name() -> String {
    let start = position
    while let byte = byte(), Self.isName(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func number() throws(TemplateSyntaxError) -> JSON {
    let start = position
    position += 1
    while let byte = byte(), byte.isASCIIDigit { position += 1 }
    if byte() == UInt8(ascii: "."), byte(1)?.isASCIIDigit == true {
      position += 1
      while let byte = byte(), byte.isASCIIDigit { position += 1 }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if let integer = Int(text) { return .int(integer) }
    guard let value = Double(text), value.isFinite else { throw error("expected a number") }
    return .double(value)
  }

  /// Reads a string.
  ///
  /// `\` escapes the quotation mark and itself; `\n` is a line break, and `\t` is a tab.
  private mutating func string(quotedBy quote: UInt8) throws(TemplateSyntaxError) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = byte() {
      position += 1
      if byte == quote { return String(decoding: text, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\"), let escaped = self.byte() else {
        text.append(byte)
        continue
      }
      position += 1
      switch escaped {
      case UInt8(ascii: "n"): text.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "t"): text.append(UInt8(ascii: "\t"))
      case quote, UInt8(ascii: "\\"): text.append(escaped)
      default: text += [byte, escaped]
      }
    }
    throw error("the string has no closing quotation mark")
  }
}
