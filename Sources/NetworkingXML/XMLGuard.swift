import Foundation

/// The checks of a document before the parser reads it.
///
/// libxml2 compares each attribute of an element with all others, and reads a document type
/// declaration before the program sees it. So the attributes are counted and declarations are refused
/// here. The checks do not replace those of the parser. They make two passes over the bytes.
struct XMLGuard {
  private let bytes: UnsafeRawBufferPointer
  private let limits: XML.Limits

  /// Checks a document.
  ///
  /// - Parameters:
  ///   - bytes: The document, in valid UTF-8.
  ///   - limits: The limits.
  /// - Throws: ``XMLError`` with the code `documentType`, `limitExceeded` or `notWellFormed`.
  static func check(_ bytes: UnsafeRawBufferPointer, _ limits: XML.Limits) throws(XMLError) {
    let document = XMLGuard(bytes: bytes, limits: limits)
    try document.checkCharacters()
    try document.checkMarkup()
  }

  // MARK: - Characters

  /// Refuses characters that XML cannot contain.
  ///
  /// Source: Extensible Markup Language (XML) 1.0, section 2.2.
  private func checkCharacters() throws(XMLError) {
    guard let position = Self.firstNonCharacter(in: bytes) else { return }
    throw error(.notWellFormed, "the document has a character that XML cannot contain", position)
  }

  /// Returns the position of the first character that XML cannot contain in a text in UTF-8.
  static func firstNonCharacter(in bytes: UnsafeRawBufferPointer) -> Int? {
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      if byte < 0x20 {
        guard byte == 0x09 || byte == 0x0A || byte == 0x0D else { return position }
      } else if byte == 0xEF, position + 2 < bytes.count, bytes[position + 1] == 0xBF,
        bytes[position + 2] >= 0xBE
      {
        return position
      }
      position += 1
    }
    return nil
  }

  // MARK: - Markup

  /// Source: Extensible Markup Language (XML) 1.0, sections 2.5 to 2.8 and 3.1.
  private func checkMarkup() throws(XMLError) {
    var position = 0
    while let start = find("<", from: position) {
      if hasPrefix("<!--", at: start) {
        position = try end(of: "-->", "the comment", from: start, after: 4)
      } else if hasPrefix("<![CDATA[", at: start) {
        position = try end(of: "]]>", "the CDATA section", from: start, after: 9)
      } else if hasPrefix("<!DOCTYPE", at: start) {
        throw error(.documentType, "a document type declaration is not allowed", start)
      } else if hasPrefix("<!", at: start) {
        throw error(.notWellFormed, "a markup declaration is not allowed", start)
      } else if hasPrefix("<?", at: start) {
        position = try end(of: "?>", "the processing instruction", from: start, after: 2)
        // After such an error, the parser would read the rest of the instruction as elements.
        guard startsName(at: start + 2) else {
          throw error(.notWellFormed, "the processing instruction has no target", start)
        }
      } else if hasPrefix("</", at: start) {
        position = start + 2
      } else {
        position = try endOfTag(from: start)
      }
    }
  }

  /// Returns the position after a start tag.
  private func endOfTag(from start: Int) throws(XMLError) -> Int {
    var (position, count) = (start + 1, 0)
    var quote: UInt8?
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "<") {
        throw error(.notWellFormed, "a tag contains the character <", position)
      } else if quote != nil {
        if byte == quote { quote = nil }
      } else if byte == UInt8(ascii: ">") {
        return position + 1
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
        count += 1
        guard count <= limits.attributes else {
          throw error(
            .limitExceeded, "an element has more than \(limits.attributes) attributes", start)
        }
      }
      position += 1
    }
    return position
  }

  /// Whether the target of a processing instruction starts with an ASCII letter, a colon or an
  /// underscore, or with a letter beyond ASCII.
  private func startsName(at position: Int) -> Bool {
    guard position < bytes.count else { return false }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[position..<min(position + 4, bytes.count)])
    guard let scalar = String(decoding: rest, as: UTF8.self).unicodeScalars.first else {
      return false
    }
    return scalar == ":" || XMLNameSyntax.isStart(scalar)
  }

  private func end(
    of terminator: StaticString, _ part: String, from start: Int, after length: Int
  ) throws(XMLError) -> Int {
    guard let end = find(terminator, from: start + length) else {
      throw error(.notWellFormed, "\(part) has no end", start)
    }
    return end + terminator.utf8CodeUnitCount
  }

  private func hasPrefix(_ text: StaticString, at position: Int) -> Bool {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count else { return false }
    for offset in 0..<count where bytes[position + offset] != text.utf8Start[offset] {
      return false
    }
    return true
  }

  /// Returns the first position of an ASCII text.
  private func find(_ text: StaticString, from start: Int) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let offset = text.utf8CodeUnitCount - 1
    let last = Int32(text.utf8Start[offset])
    var position = start + offset
    while position < bytes.count, let found = memchr(base + position, last, bytes.count - position)
    {
      let end = UnsafeRawPointer(found) - base
      if hasPrefix(text, at: end - offset) { return end - offset }
      position = end + 1
    }
    return nil
  }

  private func error(_ code: XMLError.Code, _ reason: String, _ position: Int) -> XMLError {
    var (line, lineStart) = (1, 0)
    for index in 0..<position where bytes[index] == 0x0A {
      line += 1
      lineStart = index + 1
    }
    return XMLError(code, reason, line: line, column: position - lineStart + 1)
  }
}
