import CatenaSystem

/// A masker for `name=value` fields and user information in a URL or a text.
///
/// It also masks them in URLs that are themselves values of fields.
///
/// The masker makes one pass over the bytes. Each delimiter has a depth, the number of times that
/// it is percent-encoded: `=` has the depth 0, `%3D` in a URL that is itself a value has the depth
/// 1, and `%253D` has the depth 2. A value ends at a separator of the same or a lower depth. A
/// separator of a greater depth is part of the value.
///
/// The end of a value is searched only if its name is secret, and the search then continues after
/// the value. A value that is JSON is searched once, by a ``TextMasker``: `filter={"password":"a"}`.
/// So the time is linear in the length of the text.
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
    case text(SearchedText)
  }

  /// A byte of the decoded input.
  private struct Token {
    let character: UInt8
    /// The number of times that the character is percent-encoded.
    let depth: Int
    /// The position after the character in the input.
    let end: Int
  }

  /// The limit for repeated encoding.
  ///
  /// Deeper delimiters count as delimiters of this depth.
  private static let maximumDepth = 8

  private let bytes: UnsafeBufferPointer<UInt8>
  private let classes = ByteClass.table
  /// Whether the input is a path, with or without a query.
  private let isURL: Bool
  /// The end of the searched part.
  private var end: Int
  /// Whether the position is before the first `?` of a URL.
  private var isInPath: Bool
  private var nameStart = 0
  /// The number of bytes that were read so far, with repetitions.
  private var work = 0
  private var builder: MaskedTextBuilder
  private var budget = JudgingBudget()
  private let names: SecretNames
  /// The end of the last value that was searched as JSON.
  private var jsonEnd = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>, isURL: Bool, _ names: SecretNames) {
    self.bytes = bytes
    self.names = names
    self.isURL = isURL
    end = bytes.count
    builder = MaskedTextBuilder(of: bytes)
    isInPath = isURL
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
  ///   - names: The rules that decide which values are secret.
  /// - Returns: The masked text.
  static func masked(
    _ text: String, in mode: Mode, by masking: Redactor.MaskProvider, names: SecretNames
  ) -> String {
    var work = 0
    return masked(text, in: mode, by: masking, names: names, counting: &work)
  }

  /// Masks the secrets in a text, and adds the number of bytes read to `work`.
  static func masked(
    _ text: String, in mode: Mode, by masking: Redactor.MaskProvider,
    names: SecretNames = .standard, counting work: inout Int
  ) -> String {
    var (isURL, search) = (true, SearchedText.whole)
    if case .text(let parts) = mode { (isURL, search) = (false, parts) }
    guard text.utf8.contains(where: { isTrigger($0, isURL: isURL) }) else { return text }
    var text = text
    let masked = text.withUTF8 { bytes in
      var fields = FieldMasker(bytes, isURL: isURL, names)
      search.forEachPart(of: bytes) { part in
        fields.end = part.upperBound
        fields.mask(from: part.lowerBound, masking)
      }
      work += fields.work
      return fields.builder.text
    }
    return masked ?? text
  }

  /// Whether a text without such a byte has nothing to mask.
  private static func isTrigger(_ byte: UInt8, isURL: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "%"): true
    case UInt8(ascii: "="), UInt8(ascii: "@"): isURL
    default: false
    }
  }

  private mutating func mask(from start: Int, _ masking: Redactor.MaskProvider) {
    var position = start
    nameStart = start
    // The number of characters of `://` before the position.
    var matched = 0
    while position < end {
      let token = token(at: position)
      let name = nameStart..<position
      position = token.end
      guard isCharacter(token.character, in: .fieldDelimiter) else {
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
  }

  /// Masks the value after an equals sign if it is secret.
  ///
  /// - Returns: The next position: after a masked value, or at the start of an unmasked value.
  private mutating func maskField(
    _ name: Range<Int>, _ equals: Token, _ masking: Redactor.MaskProvider
  ) -> Int {
    guard !name.isEmpty else { return equals.end }
    guard isMaskable(equals) else { return maskJSON(after: equals, masking) }
    // The name is encoded as often as the delimiter, and once more if it has brackets.
    let decoded = EscapedBytes.decoded(text(name), times: equals.depth)
    let mask = masking(decoded) { limit in
      let limit = budget.sampleLength(limit, at: equals.end)
      let end = end(of: equals, atSemicolons: true, limit: limit)
      if limit != .max { budget.add(end - equals.end) }
      return text(equals.end..<end)
    }
    guard let mask else { return maskJSON(after: equals, masking) }
    // Text after a semicolon may still be part of the secret.
    return replace(equals.end..<end(of: equals, atSemicolons: false), with: mask)
  }

  /// Masks the secrets in a value that is JSON, which may be percent-encoded.
  ///
  /// - Returns: The next position, at the start of the value.
  private mutating func maskJSON(after equals: Token, _ masking: Redactor.MaskProvider) -> Int {
    // A value within JSON is searched with it.
    guard equals.end >= jsonEnd, equals.end < end else { return equals.end }
    let first = token(at: equals.end)
    // JSON in free text that is not encoded is searched as text.
    guard first.character == UInt8(ascii: "{") || first.character == UInt8(ascii: "["),
      isURL || first.depth > 0
    else { return equals.end }
    jsonEnd = end(of: equals, atSemicolons: false)
    var (json, offsets, position) = ([UInt8](), [Int](), equals.end)
    while position < jsonEnd {
      let token = token(at: position)
      offsets.append(position)
      let isSpace = token.character == UInt8(ascii: "+") && token.depth == 0
      json.append(isSpace ? UInt8(ascii: " ") : token.character)
      position = token.end
    }
    offsets.append(jsonEnd)
    let replacements = json.withUnsafeBufferPointer {
      TextMasker.replacements(inJSON: $0, by: masking, names: names, counting: &work)
    }
    for (range, text) in replacements {
      builder.replace(offsets[range.lowerBound]..<offsets[range.upperBound], with: text)
    }
    return equals.end
  }

  /// Masks the user information after `://`, if there is any.
  ///
  /// - Returns: The next position.
  private mutating func maskUserInfo(_ slash: Token, _ masking: Redactor.MaskProvider) -> Int {
    guard isMaskable(slash) else { return slash.end }
    var position = slash.end
    var user: Range<Int>?
    while position < end {
      let token = token(at: position)
      let isAuthorityEnd =
        token.character == UInt8(ascii: "/") || token.character == UInt8(ascii: "?")
      if ends(token, atDepth: slash.depth)
        || token.depth <= slash.depth && isAuthorityEnd
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
    return replace(user, with: masking("credential", { _ in text(user) }) ?? Redactor.mask)
  }

  private mutating func replace(_ range: Range<Int>, with mask: String) -> Int {
    builder.replace(range, with: mask)
    return range.upperBound
  }

  // MARK: Characters

  private func isMaskable(_ token: Token) -> Bool { isURL || token.depth > 0 }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }

  private mutating func token(at position: Int) -> Token {
    work += 1
    guard bytes[position] == UInt8(ascii: "%"), var character = encodedByte(at: position + 1) else {
      return Token(character: bytes[position], depth: 0, end: position + 1)
    }
    var (depth, end) = (1, position + 3)
    while character == UInt8(ascii: "%"), let next = encodedByte(at: end) {
      (character, depth, end) = (next, depth + 1, end + 2)
    }
    work += end - position
    return Token(character: character, depth: min(depth, Self.maximumDepth), end: end)
  }

  /// Returns the value of two hexadecimal digits, or `nil` if there are no two digits at the
  /// position.
  private func encodedByte(at position: Int) -> UInt8? {
    guard position + 1 < end, let high = bytes[position].hexDigitValue,
      let low = bytes[position + 1].hexDigitValue
    else { return nil }
    return high << 4 | low
  }

  /// Returns the end of the value after an equals sign.
  ///
  /// The search stops after a number of bytes.
  private mutating func end(of equals: Token, atSemicolons: Bool, limit: Int = .max) -> Int {
    var position = equals.end
    let end = limit < end - position ? position + limit : end
    while position < end {
      let token = token(at: position)
      if ends(token, atDepth: equals.depth) { break }
      if atSemicolons, token.character == UInt8(ascii: ";"), token.depth <= equals.depth,
        startsField(at: token.end, limit: limit)
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
    if token.depth == 0, isInPath { return isCharacter(token.character, in: .pathDelimiter) }
    if token.depth == 0, !isURL, isCharacter(token.character, in: .textDelimiter) { return true }
    return token.character == UInt8(ascii: "&") || token.character == UInt8(ascii: "#")
  }

  /// Returns whether a name and an equals sign follow a position.
  private mutating func startsField(at start: Int, limit: Int) -> Bool {
    var position = start
    let end = limit < end - start ? start + limit : end
    while position < end {
      let token = token(at: position)
      if isCharacter(token.character, in: .fieldDelimiter) {
        return token.character == UInt8(ascii: "=") && position > start
      }
      position = token.end
    }
    return false
  }

  /// Returns whether a character is in a set.
  @inline(__always) private func isCharacter(_ character: UInt8, in set: ByteClass) -> Bool {
    !classes[Int(character)].isDisjoint(with: set)
  }
}
