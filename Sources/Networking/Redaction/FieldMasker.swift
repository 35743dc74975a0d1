/// A masker for `name=value` fields and user information in a URL or a text.
///
/// It also masks them in URLs that are themselves values of fields.
///
/// The masker makes one pass over the bytes. Each delimiter has a depth, the number of times that
/// it is percent-encoded: `=` has the depth 0, `%3D` in a URL that is itself a value has the depth
/// 1, and `%253D` has the depth 2. A value ends at a separator of the same or a lower depth. A
/// separator of a greater depth is part of the value.
///
/// The end of a value is searched again for each field within it, so the nesting is limited to keep
/// the time linear.
///
/// Source: RFC 3986 sections 2.1, 3.2.1, 3.3 and 3.4.
struct FieldMasker {
  /// The kind of the input.
  enum Mode {
    /// A path, with or without a query.
    case url
    /// Free text.
    ///
    /// Only fields with an encoded delimiter are masked, because ``Redactor/maskedText(_:by:)``
    /// masks the fields of depth 0 itself.
    case text
  }

  /// A byte of the decoded input.
  private struct Token {
    let character: UInt8
    /// The number of times that the character is percent-encoded.
    let depth: Int
    /// The position after the character in the input.
    let end: Int
  }

  /// The limit for nested values and for repeated encoding.
  ///
  /// Deeper values are masked as a whole.
  private static let maximumDepth = 8

  private let bytes: UnsafeBufferPointer<UInt8>
  private let mode: Mode
  /// Whether the position is before the first `?` of a URL.
  private var isInPath: Bool
  private var nameStart = 0
  /// The end positions of the enclosing values that are not masked, outermost first.
  private var openEnds: [Int] = []
  private var builder: MaskedTextBuilder

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ mode: Mode) {
    self.bytes = bytes
    self.mode = mode
    builder = MaskedTextBuilder(of: bytes)
    isInPath = mode == .url
  }

  /// Masks the secrets in a text.
  ///
  /// The rest of the text is unchanged.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - mode: The kind of the text.
  ///   - masking: The provider of the replacements. It receives `credential` as the name of user
  ///     information.
  /// - Returns: The masked text.
  static func masked(_ text: String, in mode: Mode, by masking: Redactor.MaskProvider) -> String {
    guard text.utf8.contains(where: { "=%@".utf8.contains($0) }) else { return text }
    var text = text
    let masked = text.withUTF8 { bytes in
      var fields = FieldMasker(bytes, mode)
      return fields.masked(by: masking)
    }
    return masked ?? text
  }

  /// Returns the masked text, or `nil` if there is nothing to mask.
  private mutating func masked(by masking: Redactor.MaskProvider) -> String? {
    var position = 0
    // The number of characters of `://` before the position.
    var matched = 0
    while position < bytes.count {
      let token = token(at: position)
      let name = nameStart..<position
      position = token.end
      guard Self.isNameDelimiter(token.character) else {
        matched = 0
        continue
      }
      nameStart = position
      switch token.character {
      case UInt8(ascii: "="): position = maskField(name, token, masking)
      case UInt8(ascii: "?") where token.depth == 0: isInPath = false
      case UInt8(ascii: ":"): matched = 1
      case UInt8(ascii: "/") where matched > 0:
        matched += 1
        if matched == 3 {
          position = maskUserInfo(token, masking)
          matched = 0
        }
        continue
      default: break
      }
      if token.character != UInt8(ascii: ":") { matched = 0 }
      nameStart = position
    }
    return builder.text
  }

  /// Masks the value after an equals sign if it is secret.
  ///
  /// - Returns: The next position: after a masked value, or at the start of an unmasked value.
  private mutating func maskField(
    _ name: Range<Int>, _ equals: Token, _ masking: Redactor.MaskProvider
  ) -> Int {
    guard !name.isEmpty, isMaskable(equals) else { return equals.end }
    while let end = openEnds.last, end <= name.lowerBound { openEnds.removeLast() }
    let end = end(of: equals, atSemicolons: true)
    let mask =
      openEnds.count < Self.maximumDepth
      ? masking(text(name), text(equals.end..<end)) : Redactor.mask
    guard let mask else {
      openEnds.append(end)
      return equals.end
    }
    // Text after a semicolon may still be part of the secret.
    return replace(equals.end..<self.end(of: equals, atSemicolons: false), with: mask)
  }

  /// Masks the user information after `://`, if there is any.
  ///
  /// - Returns: The next position.
  private mutating func maskUserInfo(_ slash: Token, _ masking: Redactor.MaskProvider) -> Int {
    guard isMaskable(slash) else { return slash.end }
    var position = slash.end
    var user: Range<Int>?
    while position < bytes.count {
      let token = token(at: position)
      if ends(token, atDepth: slash.depth)
        || token.depth <= slash.depth && "/?".utf8.contains(token.character)
      {
        break
      }
      if token.character == UInt8(ascii: "@"), token.depth <= slash.depth {
        user = slash.end..<position
      }
      position = token.end
    }
    guard let user else { return slash.end }
    nameStart = user.upperBound
    return replace(user, with: masking("credential", text(user)) ?? Redactor.mask)
  }

  private mutating func replace(_ range: Range<Int>, with mask: String) -> Int {
    builder.replace(range, with: mask)
    return range.upperBound
  }

  // MARK: Characters

  private func isMaskable(_ token: Token) -> Bool { mode == .url || token.depth > 0 }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private func token(at position: Int) -> Token {
    guard bytes[position] == UInt8(ascii: "%"), var character = encodedByte(at: position + 1) else {
      return Token(character: bytes[position], depth: 0, end: position + 1)
    }
    var (depth, end) = (1, position + 3)
    while character == UInt8(ascii: "%"), let next = encodedByte(at: end) {
      (character, depth, end) = (next, depth + 1, end + 2)
    }
    return Token(character: character, depth: min(depth, Self.maximumDepth), end: end)
  }

  /// Returns the value of two hexadecimal digits, or `nil` if there are no two digits at the
  /// position.
  private func encodedByte(at position: Int) -> UInt8? {
    guard position + 1 < bytes.count, let high = bytes[position].hexDigitValue,
      let low = bytes[position + 1].hexDigitValue
    else { return nil }
    return high << 4 | low
  }

  /// Returns the end of the value after an equals sign.
  private func end(of equals: Token, atSemicolons: Bool) -> Int {
    var position = equals.end
    while position < bytes.count {
      let token = token(at: position)
      if ends(token, atDepth: equals.depth) { break }
      if atSemicolons, token.character == UInt8(ascii: ";"), token.depth <= equals.depth,
        startsField(at: token.end)
      {
        break
      }
      position = token.end
    }
    return position
  }

  /// Returns whether a character ends a value of the given depth.
  private func ends(_ token: Token, atDepth depth: Int) -> Bool {
    guard token.depth <= depth else { return false }
    if token.depth == 0, isInPath { return "/?;".utf8.contains(token.character) }
    if token.depth == 0, mode == .text, " \t\r\n\"'&,;{}[]<>\\".utf8.contains(token.character) {
      return true
    }
    return token.character == UInt8(ascii: "&") || token.character == UInt8(ascii: "#")
  }

  /// Returns whether a name and an equals sign follow a position.
  private func startsField(at start: Int) -> Bool {
    var position = start
    while position < bytes.count {
      let token = token(at: position)
      if Self.isNameDelimiter(token.character) {
        return token.character == UInt8(ascii: "=") && position > start
      }
      position = token.end
    }
    return false
  }

  /// Returns whether a character separates names.
  ///
  /// A name cannot contain the character, and may start after it.
  private static func isNameDelimiter(_ character: UInt8) -> Bool {
    // Fast path: most characters are letters or digits.
    !character.isASCIIAlphanumeric && "?&;#/=,:@(){}<>\"' \t\r\n".utf8.contains(character)
  }
}

/// A builder that copies a text and replaces ranges of it in ascending order.
struct MaskedTextBuilder {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var output: [UInt8] = []
  /// The number of input bytes that have been copied or replaced.
  private var processedCount = 0

  init(of bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// Replaces a range, which starts at or after the end of the previous range.
  mutating func replace(_ range: Range<Int>, with mask: String) {
    output += bytes[processedCount..<range.lowerBound]
    output += mask.utf8
    processedCount = range.upperBound
  }

  /// The whole text, or `nil` if no range is replaced.
  var text: String? {
    processedCount > 0 ? String(decoding: output + bytes[processedCount...], as: UTF8.self) : nil
  }
}
