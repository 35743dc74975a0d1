import Foundation

/// The rule that decides which values of a name are secret.
///
/// | rule | names | secret values |
/// |---|---|---|
/// | `strong` | `password`, `access_token`, `X-Api-Key` | all |
/// | `text` | `tokens`, `pass`, `session_id` | all but numbers of up to 9 digits |
/// | `short` | `pin`, `otp`, `cvc` | 3 to 12 digits, and values that look like secrets |
/// | `card` | `card_number`, `pan`, `iban` | 12 to 19 digits, and numbers like an IBAN |
/// | `code` | `code` | 6 digits, and values that look like secrets |
/// | `cookies` | `cookies` | all but words and numbers; in objects and arrays, all texts |
/// | `weak` | `key`, `user_session`, `signature` | values that look like secrets |
/// | `described` | `token_type`, `signature_algorithm` | tokens, see ``TokenDetector`` |
///
/// A value looks like a secret if it has a form of ``SecretShapes``, or is random, see
/// ``looksRandom(_:)``. Empty values, `true`, `false`, `null`, `on`, `off`, `yes` and `no` are never
/// secret.
package enum SecretSensitivity: Sendable, Hashable {
  /// No value is secret because of the name.
  case none
  /// Long random values are secret.
  case described
  /// Values that look like secrets are secret.
  case weak
  /// Values that look like secrets, and six digits, are secret.
  case code
  /// All values are secret that can be cookies of HTTP: all but numbers, words such as `oatmeal and
  /// ginger`, and objects and arrays without texts.
  case cookies
  /// Numbers such as PINs, and values that look like secrets, are secret.
  case short
  /// Numbers of cards and bank accounts are secret.
  case card
  /// Values that are not short numbers are secret.
  case text
  /// All values are secret.
  case strong

  /// The length of the start of a value that is sufficient to decide.
  static let sampleLength = 128

  /// Returns whether a value is secret.
  ///
  /// - Parameter value: The value, or its first ``sampleLength`` bytes.
  /// - Returns: `true` if the value is masked.
  func isSecret(_ value: String) -> Bool {
    guard self != .none, !Self.isBlank(value) else { return false }
    if RecordingPlaceholder.isPlaceholder(value) { return true }
    let value = Self.trimmed(EscapedBytes.decoded(value, times: EscapedBytes.maximumDepth))
    if Self.isConstant(value) { return false }
    switch self {
    case .none: return false
    case .strong: return true
    case .text: return !Self.isNumber(value, of: 1...9, withFraction: true)
    case .card: return PaymentNumbers.isCardLike(value) || PaymentNumbers.isIBANLike(value)
    case .short: return Self.isNumber(value, of: 3...12) || Self.looksSecret(value)
    case .code: return Self.isNumber(value, of: 6...6) || Self.looksSecret(value)
    case .cookies: return !Self.isProse(value)
    case .weak: return Self.looksSecret(value)
    case .described: return !TokenDetector.tokens(in: value).isEmpty || SecretShapes.contains(value)
    }
  }

  /// Returns whether a number is secret.
  ///
  /// - Parameter number: The digits of the number.
  /// - Returns: `true` if the number is masked.
  func isSecret(number: String) -> Bool {
    switch self {
    case .none, .weak, .described, .cookies: false
    case .strong: true
    case .text: !Self.isNumber(number, of: 1...9, withFraction: true)
    case .short: Self.isNumber(number, of: 3...12)
    case .code: Self.isNumber(number, of: 6...6)
    case .card: PaymentNumbers.isCardLike(number)
    }
  }

  /// Returns whether a value has only white space.
  ///
  /// Text may follow a sample of white space.
  private static func isBlank(_ value: String) -> Bool {
    value.utf8.count < sampleLength && value.utf8.allSatisfy { $0.is(.space) }
  }

  /// Returns a text without white space at its ends.
  private static func trimmed(_ value: String) -> String {
    // Fast path: most values have no white space at their ends.
    if let first = value.utf8.first, let last = value.utf8.last, first < 0x80, last < 0x80,
      !first.is(.space), !last.is(.space)
    {
      return value
    }
    let scalars = value.unicodeScalars
    guard let start = scalars.firstIndex(where: isText), let end = scalars.lastIndex(where: isText)
    else { return "" }
    return String(scalars[start...end])
  }

  private static func isText(_ scalar: Unicode.Scalar) -> Bool {
    // Fast path: the properties of a scalar are searched in a table.
    scalar.isASCII ? !UInt8(scalar.value).is(.space) : !scalar.properties.isWhitespace
  }

  /// Returns whether a text is one of the constants that are never secret.
  private static func isConstant(_ value: String) -> Bool {
    // Fast path: most values begin with another letter.
    guard value.utf8.count <= 9, let first = value.utf8.first, "tfnuoyTFNUOY".utf8.contains(first)
    else { return false }
    return switch value.lowercased() {
    case "true", "false", "null", "nil", "none", "undefined", "on", "off", "yes", "no": true
    default: false
    }
  }

  /// Returns whether a value is a number of some digits, possibly with hyphens, spaces, or a sign.
  private static func isNumber(
    _ value: String, of lengths: ClosedRange<Int>, withFraction: Bool = false
  ) -> Bool {
    var count = 0
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): count += 1
      case UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "+"): continue
      case UInt8(ascii: ".") where withFraction: continue
      default: return false
      }
    }
    return lengths ~= count
  }

  /// Returns whether a value is a list of words and short numbers, or an array of numbers.
  ///
  /// Text may follow a sample.
  private static func isProse(_ value: String) -> Bool {
    guard value.utf8.count < sampleLength else { return false }
    var bytes = value.utf8[...]
    let isArray = bytes.first == UInt8(ascii: "[") || bytes.first == UInt8(ascii: "{")
    while let byte = bytes.first {
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      let end = bytes.firstIndex { !$0.isASCIIAlphanumeric && $0 < 0x80 } ?? bytes.endIndex
      let word = bytes[..<end]
      let hasDigits = word.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      if word.isEmpty {
        guard (isArray ? " \t\r\n,.-[]{}" : " \t\r\n,.-+&'!?_").utf8.contains(byte) else {
          return false
        }
        bytes = bytes.dropFirst()
      } else {
        let isNumber = isDigit && word.count <= 9 && word.allSatisfy { $0 < 0x3A }
        guard isNumber || !hasDigits && !isArray && word.count <= 24 else { return false }
        bytes = bytes[end...]
      }
    }
    return !looksSecret(value)
  }

  private static func looksSecret(_ value: String) -> Bool {
    // A URL is searched by itself. An object is not a value.
    guard value.utf8.first != UInt8(ascii: "{"), value.utf8.first != UInt8(ascii: "/"),
      !isURL(value)
    else { return SecretShapes.contains(value) }
    return looksRandom(value) || SecretShapes.contains(value)
  }

  /// Returns whether a value has the text `://`.
  private static func isURL(_ value: String) -> Bool {
    var value = value
    return value.withUTF8 { bytes in
      bytes.indices.contains {
        bytes[$0] == UInt8(ascii: ":") && SecretShapes.hasBytes("://", bytes, $0)
      }
    }
  }

  /// Returns whether a value has a random piece.
  ///
  /// A piece is a run of letters and digits. It is random if one of these conditions is met:
  ///
  /// - It has at least 6 characters, and letters and digits alternate in at least 2 places, as in
  ///   `s3cret`. Timestamps such as `20261121T060923Z` are not random.
  /// - It has at least 16 letters, of which at least a third are capitals and a quarter are small,
  ///   and at least 3 capitals follow small letters. Camel case has fewer capitals.
  /// - It has at least 25 letters of one case.
  /// - It has at least 24 digits.
  ///
  /// A value is also random if letters and digits alternate in at least 3 places of its pieces of 4
  /// or more characters, as in a UUID. Placeholders of a recording, durations such as `PT1H30M`, and
  /// colors such as `#ff00aa` are not random.
  package static func looksRandom(_ value: String) -> Bool {
    var value = value
    return value.withUTF8 { bytes in
      var (position, total) = (0, 0)
      while position < bytes.count {
        let byte = bytes[position]
        guard byte.isASCIIAlphanumeric else {
          if byte == UInt8(ascii: "*"), let end = RecordingPlaceholder.end(in: bytes, at: position)
          {
            position = end
          } else if byte == UInt8(ascii: "#") {
            position = pieceEnd(in: bytes, from: position + 1)
          } else {
            let start = position
            _ = EscapedBytes.nextByte(of: bytes, at: &position)
            position = max(position, start + 1)
          }
          continue
        }
        let piece = position..<pieceEnd(in: bytes, from: position)
        let statistics = PieceStatistics(bytes[piece])
        let isTime = statistics.alternations > 0 && isTime(bytes[piece])
        if statistics.isRandom, !isTime { return true }
        // In `2026-11-21T06:09:23Z`, the pieces are short.
        if piece.count >= 4, !isTime { total += statistics.alternations }
        position = piece.upperBound
      }
      return total >= 3
    }
  }

  private static func pieceEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard start < bytes.count else { return bytes.count }
    return bytes[start...].firstIndex { !$0.isASCIIAlphanumeric } ?? bytes.count
  }

  private static func isTime(_ piece: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    isTimestamp(piece) || isDuration(piece)
  }

  /// Returns whether a piece is a duration such as `PT1H30M` or `1h30m0s`: numbers with units.
  private static func isDuration(_ piece: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var (hasNumber, hasUnit) = (false, true)
    for byte in piece {
      switch byte | 0x20 {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): (hasNumber, hasUnit) = (true, false)
      case UInt8(ascii: "p") where !hasNumber, UInt8(ascii: "t") where hasUnit: break
      case UInt8(ascii: "y"), UInt8(ascii: "w"), UInt8(ascii: "d"), UInt8(ascii: "h"),
        UInt8(ascii: "m"), UInt8(ascii: "s"):
        guard hasNumber else { return false }
        hasUnit = true
      default: return false
      }
    }
    return hasNumber && hasUnit
  }

  /// Returns whether a piece is a date and a time without separators, or the part of one.
  private static func isTimestamp(_ piece: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard let time = piece.firstIndex(of: UInt8(ascii: "T")) else { return false }
    let isDigit: (UInt8) -> Bool = { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    let rest = piece[(time + 1)...]
    let digits = rest.last == UInt8(ascii: "Z") ? rest.dropLast() : rest
    return piece[..<time].allSatisfy(isDigit) && digits.allSatisfy(isDigit)
  }

  /// The statistics of a run of letters and digits.
  private struct PieceStatistics {
    private var (small, capital, digits, count) = (0, 0, 0, 0)
    /// The number of capitals after small letters.
    private var humps = 0
    /// The number of places where a letter is next to a digit.
    private(set) var alternations = 0

    init(_ piece: Slice<UnsafeBufferPointer<UInt8>>) {
      count = piece.count
      var (wasDigit, wasSmall, isFirst) = (false, false, true)
      for byte in piece {
        let isDigit = byte <= UInt8(ascii: "9")
        let isSmall = byte >= UInt8(ascii: "a")
        if isDigit { digits += 1 } else if isSmall { small += 1 } else { capital += 1 }
        if !isFirst, isDigit != wasDigit { alternations += 1 }
        if wasSmall, !isSmall, !isDigit { humps += 1 }
        (wasDigit, wasSmall, isFirst) = (isDigit, isSmall, false)
      }
    }

    var isRandom: Bool {
      if count >= 6, alternations >= 2 { return true }
      if count >= 16, capital * 3 >= count, small * 4 >= count, humps >= 3 { return true }
      if count >= 25, small == count || capital == count { return true }
      return digits == count && count >= 24
    }
  }
}
