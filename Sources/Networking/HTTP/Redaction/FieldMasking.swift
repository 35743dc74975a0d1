/// Masks the values of telling names in a URL or a text, those in the URLs that are values in it included.
///
/// It is one way through the bytes. `=` is an equals sign at the depth 0, `%3D` one at the depth 1, in a URL that is
/// a value, and `%253D` one at 2. A value ends at a separator of its own depth or a lower one; a separator of a
/// greater depth belongs to it.
///
/// A value in which there are others is looked at once for each, so that there is a limit to that.
///
/// Source: RFC 3986 sections 2.1, 3.2.1, 3.3 and 3.4.
struct FieldMasker {
  /// Where the fields stand.
  enum Mode {
    /// In a path, with or without a query.
    case url
    /// In words; there the fields of depth 0 are left to others.
    case text
  }

  /// A character, as it is or percent-encoded once or several times.
  private struct Token {
    let character: UInt8
    let depth: Int
    /// Where the next one begins.
    let end: Int
  }

  /// Nobody who means well nests or encodes more often.
  private static let maximumDepth = 8

  private let bytes: UnsafeBufferPointer<UInt8>
  private let place: Mode
  /// Before the first `?` of a URL.
  private var isInPath: Bool
  private var nameStart = 0
  /// Where the values end that are being looked into.
  private var openEnds: [Int] = []
  private var copy: MaskedTextBuilder

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Mode) {
    self.bytes = bytes
    self.place = place
    copy = MaskedTextBuilder(of: bytes)
    isInPath = place == .url
  }

  /// A text with its secrets masked; what is no secret stays as it is written.
  static func masked(_ text: String, in place: Mode, by masking: Redaction.MaskProvider) -> String {
    guard text.utf8.contains(where: { "=%@".utf8.contains($0) }) else { return text }
    var text = text
    let masked = text.withUTF8 { bytes in
      var fields = FieldMasker(bytes, place)
      return fields.masked(by: masking)
    }
    return masked ?? text
  }

  /// Nil when there is nothing to mask.
  private mutating func masked(by masking: Redaction.MaskProvider) -> String? {
    var position = 0
    // How much of `://` has just been read.
    var start = 0
    while position < bytes.count {
      let token = token(at: position)
      let name = nameStart..<position
      position = token.end
      guard Self.isNameDelimiter(token.character) else {
        start = 0
        continue
      }
      nameStart = position
      switch token.character {
      case UInt8(ascii: "="): position = maskField(name, token, masking)
      case UInt8(ascii: "?") where token.depth == 0: isInPath = false
      case UInt8(ascii: ":"): start = 1
      case UInt8(ascii: "/") where start > 0:
        start += 1
        if start == 3 {
          position = maskUserInfo(token, masking)
          start = 0
        }
        continue
      default: break
      }
      if token.character != UInt8(ascii: ":") { start = 0 }
      nameStart = position
    }
    return copy.text
  }

  /// Looks at the value behind an equals sign.
  ///
  /// - Returns: where to go on: behind the value when it has been masked, or within it.
  private mutating func maskField(
    _ name: Range<Int>, _ equals: Token, _ masking: Redaction.MaskProvider
  ) -> Int {
    guard !name.isEmpty, isMaskable(equals) else { return equals.end }
    while let end = openEnds.last, end <= name.lowerBound { openEnds.removeLast() }
    let end = end(of: equals, atSemicolons: true)
    let mask =
      openEnds.count < Self.maximumDepth
      ? masking(text(name), text(equals.end..<end)) : Redaction.mask
    guard let mask else {
      openEnds.append(end)
      return equals.end
    }
    // What is behind a semicolon may still belong to the secret.
    return replace(equals.end..<self.end(of: equals, atSemicolons: false), with: mask)
  }

  /// Looks for a user name and a password behind `://`.
  ///
  /// - Returns: where to go on.
  private mutating func maskUserInfo(_ slash: Token, _ masking: Redaction.MaskProvider) -> Int {
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
    return replace(user, with: masking("credential", text(user)) ?? Redaction.mask)
  }

  private mutating func replace(_ range: Range<Int>, with mask: String) -> Int {
    copy.replace(range, with: mask)
    return range.upperBound
  }

  // MARK: Characters

  private func isMaskable(_ token: Token) -> Bool { place == .url || token.depth > 0 }

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

  /// What two hexadecimal digits stand for.
  private func encodedByte(at position: Int) -> UInt8? {
    guard position + 1 < bytes.count, let high = bytes[position].hexDigitValue,
      let low = bytes[position + 1].hexDigitValue
    else { return nil }
    return high << 4 | low
  }

  /// Where the value behind an equals sign ends.
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

  /// Whether a character ends a value of some depth.
  private func ends(_ token: Token, atDepth depth: Int) -> Bool {
    guard token.depth <= depth else { return false }
    if token.depth == 0, isInPath { return "/?;".utf8.contains(token.character) }
    if token.depth == 0, place == .text, " \t\r\n\"'&,;{}[]<>\\".utf8.contains(token.character) {
      return true
    }
    return token.character == UInt8(ascii: "&") || token.character == UInt8(ascii: "#")
  }

  /// Whether a name and an equals sign stand there.
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

  /// Whether no name has this character in it; behind it a name may begin.
  private static func isNameDelimiter(_ character: UInt8) -> Bool {
    // The first is all of most texts, and quicker to see.
    !character.isASCIIAlphanumeric && "?&;#/=,:@(){}<>\"' \t\r\n".utf8.contains(character)
  }
}

/// A text being copied with parts of it masked, from its beginning to its end.
struct MaskedTextBuilder {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var output: [UInt8] = []
  /// How much of the bytes is in the output.
  private var copied = 0

  init(of bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// Puts a mask in the place of a part, which lies behind those before it.
  mutating func replace(_ range: Range<Int>, with mask: String) {
    output += bytes[copied..<range.lowerBound]
    output += mask.utf8
    copied = range.upperBound
  }

  /// The whole text; nil when nothing is masked.
  var text: String? {
    copied > 0 ? String(decoding: output + bytes[copied...], as: UTF8.self) : nil
  }
}
