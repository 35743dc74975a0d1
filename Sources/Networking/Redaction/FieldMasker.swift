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
  /// A byte of the decoded input.
  private struct Token {
    let character: UInt8
    /// The number of times that the character is percent-encoded.
    let depth: Int
    /// The position after the character in the input.
    let end: Int
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let masking: Redactor.MaskProvider
  private let names: SecretNames
  /// Whether the input is a path, with or without a query.
  private let isURL: Bool
  /// The end of the searched part.
  private var end = 0
  /// Whether the position is before the first `?` of a URL.
  private var isInPath: Bool
  /// The number of bytes that were read so far, with repetitions.
  private var work = 0
  private var builder = MaskedTextBuilder()
  private var budget = JudgingBudget()
  /// The end of the last value that was searched as JSON.
  private var jsonEnd = 0

  /// Masks the secrets in a text, and adds the number of bytes read to `work`.
  ///
  /// The rest of the text is unchanged.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - search: The parts that are searched by themselves. Only fields with an encoded delimiter are
  ///     masked outside of URLs, because ``TextMasker`` masks the others.
  ///   - masking: The provider of the replacements. It receives `credential` as the name of user
  ///     information.
  ///   - names: The rules that decide which values are secret.
  ///   - work: The number of bytes read. This method adds its own.
  /// - Returns: The masked text.
  static func masked(
    _ text: String, in search: SearchedText, by masking: Redactor.MaskProvider,
    names: SecretNames = .standard, counting work: inout Int
  ) -> String {
    let isURL = search == .url
    // Without such a byte, there is nothing to mask.
    guard
      text.utf8.contains(where: { $0 == UInt8(ascii: "%") || isURL && $0.isOne(of: "=@") })
    else { return text }
    return withoutActuallyEscaping(masking) { masking in
      MaskedTextBuilder.masked(text) { bytes, builder in
        var masker = FieldMasker(
          bytes: bytes, masking: masking, names: names, isURL: isURL, isInPath: isURL)
        search.forEachPart(of: bytes) { part in
          guard isURL || bytes[part].contains(UInt8(ascii: "%")) else { return }
          masker.end = part.upperBound
          masker.mask(from: part.lowerBound)
        }
        work += masker.work
        builder = masker.builder
      }
    }
  }

  private mutating func mask(from start: Int) {
    var (position, nameStart) = (start, start)
    // The number of characters of `:/` before the position.
    var matched = 0
    while position < end {
      let (token, name) = (token(at: position), nameStart..<position)
      position = token.end
      let isSlash = token.character == UInt8(ascii: "/")
      if ByteClass.fieldDelimiter[token.character] {
        switch token.character {
        case "=": position = maskField(name, token)
        case "?" where token.depth == 0: isInPath = false
        case "/" where matched == 2: position = maskUserInfo(token)
        default: break
        }
        nameStart = position
      }
      matched = token.character == UInt8(ascii: ":") ? 1 : isSlash && matched == 1 ? 2 : 0
    }
  }

  /// Masks the value after an equals sign if it is secret.
  ///
  /// - Returns: The next position: after a masked value, or at the start of an unmasked value.
  private mutating func maskField(_ name: Range<Int>, _ equals: Token) -> Int {
    let start = equals.end
    guard !name.isEmpty else { return start }
    if isURL || equals.depth > 0 {
      // The name is encoded as often as the delimiter, and once more if it has brackets.
      let name = EscapedBytes.decoded(bytes.text(name), times: equals.depth)
      let mask = masking(name) { limit in
        let limit = budget.sampleLength(limit, at: start)
        let end = end(of: equals, atSemicolons: true, limit: limit)
        if limit != .max { budget.add(end - start) }
        return bytes.text(start..<end)
      }
      if let mask {
        // Text after a semicolon may still be part of the secret.
        return builder.replace(start..<end(of: equals, atSemicolons: false), with: mask)
      }
    }
    maskJSON(after: equals)
    return start
  }

  /// Masks the secrets in a value that is JSON, which may be percent-encoded.
  private mutating func maskJSON(after equals: Token) {
    // A value within JSON is searched with it.
    guard equals.end >= jsonEnd, equals.end < end else { return }
    let first = token(at: equals.end)
    // JSON in free text that is not encoded is searched as text.
    guard first.character.isOne(of: "{["), isURL || first.depth > 0 else { return }
    jsonEnd = end(of: equals, atSemicolons: false)
    var (json, offsets, position) = ([UInt8](), [Int](), equals.end)
    while position < jsonEnd {
      let token = token(at: position)
      let isSpace = token.character == UInt8(ascii: "+") && token.depth == 0
      json.append(isSpace ? UInt8(ascii: " ") : token.character)
      offsets.append(position)
      position = token.end
    }
    offsets.append(jsonEnd)
    let replacements = json.withUnsafeBufferPointer {
      TextMasker.replacements(inJSON: $0, by: masking, names: names, counting: &work)
    }
    for (range, text) in replacements {
      builder.replace(offsets[range.lowerBound]..<offsets[range.upperBound], with: text)
    }
  }

  /// Masks the user information after `://`, if there is any.
  ///
  /// - Returns: The next position.
  private mutating func maskUserInfo(_ slash: Token) -> Int {
    let start = slash.end
    guard isURL || slash.depth > 0 else { return start }
    var (position, user) = (start, start)
    while position < end {
      let token = token(at: position)
      let isAuthorityEnd = token.depth <= slash.depth && token.character.isOne(of: "/?")
      if isAuthorityEnd || ends(token, atDepth: slash.depth) { break }
      if token.character == UInt8(ascii: "@"), token.depth <= slash.depth { user = position }
      position = token.end
    }
    guard user > start else { return start }
    let secret = bytes.text(start..<user)
    return builder.replace(
      start..<user, with: masking("credential", { _ in secret }) ?? Redactor.mask)
  }

  private mutating func token(at position: Int) -> Token {
    var end = position
    // The digits of an encoded character are on its line.
    let (character, depth) = EscapedBytes.nextNestedByte(of: bytes, at: &end)
    work += end - position
    return Token(character: character, depth: depth, end: end)
  }

  /// Returns the end of the value after an equals sign.
  ///
  /// The search stops after a number of bytes.
  private mutating func end(of equals: Token, atSemicolons: Bool, limit: Int = .max) -> Int {
    var position = equals.end
    let limited = limit < end - position ? position + limit : end
    while position < limited {
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
    if token.depth == 0, isInPath { return ByteClass.pathDelimiter[token.character] }
    if token.depth == 0, !isURL, ByteClass.textDelimiter[token.character] { return true }
    return token.character.isOne(of: "&#")
  }

  /// Returns whether a name and an equals sign follow a position.
  private mutating func startsField(at start: Int, limit: Int) -> Bool {
    var position = start
    let limited = limit < end - start ? start + limit : end
    while position < limited {
      let token = token(at: position)
      if ByteClass.fieldDelimiter[token.character] {
        return token.character == UInt8(ascii: "=") && position > start
      }
      position = token.end
    }
    return false
  }
}
