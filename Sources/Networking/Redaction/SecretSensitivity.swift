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
/// ``RandomText``. Empty values, `true`, `false`, `null`, `on`, `off`, `yes` and `no` are never
/// secret.
enum SecretSensitivity: Int, Sendable {
  /// No value is secret because of the name.
  case none
  /// Long random values are secret.
  case described
  /// Values that look like secrets are secret.
  case weak
  /// All values are secret that can be cookies of HTTP: all but numbers, words such as `oatmeal and
  /// ginger`, and objects and arrays without texts.
  case cookies
  /// Values that look like secrets, and six digits, are secret.
  case code
  /// Numbers of cards and bank accounts are secret.
  case card
  /// Numbers such as PINs, and values that look like secrets, are secret.
  case short
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
    // Text may follow a sample of white space.
    guard self != .none,
      value.utf8.count >= Self.sampleLength || !value.utf8.allSatisfy({ $0.isASCIISpace })
    else { return false }
    var decoded = EscapedBytes.decoded(value, times: EscapedBytes.maximumDepth)
    // A field after a mask may be a part of the value.
    if decoded.withUTF8({ RandomText.maskEnd(in: $0, at: 0) == $0.count }) { return true }
    let text = Self.trimmed(decoded)
    // Fast path: most values are longer, or start with another letter.
    if text.utf8.count <= 9, text.utf8.first?.isOne(of: "tfnuoyTFNUOY") == true,
      Self.constants.contains(text.lowercased())
    {
      return false
    }
    return switch self {
    case .none: false
    case .strong: true
    case .text: !Self.isNumber(text, of: 1...9, withFraction: true)
    case .card: PaymentNumbers.isCardLike(text) || PaymentNumbers.isIBANLike(text)
    case .short: Self.isNumber(text, of: 3...12) || Self.looksSecret(text)
    case .code: Self.isNumber(text, of: 6...6) || Self.looksSecret(text)
    case .cookies: !Self.isProse(text)
    case .weak: Self.looksSecret(text)
    case .described: !TokenDetector.tokens(in: text).isEmpty || SecretShapes.contains(text)
    }
  }

  /// Returns whether a number is secret.
  ///
  /// - Parameter number: The digits of the number.
  /// - Returns: `true` if the number is masked.
  func isSecret(number: String) -> Bool { rawValue > Self.cookies.rawValue && isSecret(number) }

  /// Returns a text without white space at its ends.
  private static func trimmed(_ value: String) -> String {
    // Fast path: most values have no white space at their ends.
    guard let first = value.utf8.first, let last = value.utf8.last,
      !(0x21..<0x7F ~= first && 0x21..<0x7F ~= last)
    else { return value }
    let scalars = value.unicodeScalars
    guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(scalars[start...end])
  }

  /// The values that are never secret.
  private static let constants: Set<String> = [
    "true", "false", "null", "nil", "none", "undefined", "on", "off", "yes", "no",
  ]

  /// Returns whether a value is a number of some digits, possibly with hyphens, spaces, or a sign.
  private static func isNumber(
    _ value: String, of lengths: ClosedRange<Int>, withFraction: Bool = false
  ) -> Bool {
    let isFormed = value.utf8.allSatisfy {
      $0.isASCIIDigit || $0.isOne(of: "- +") || withFraction && $0 == UInt8(ascii: ".")
    }
    return isFormed && lengths ~= value.utf8.count(where: \.isASCIIDigit)
  }

  /// Returns whether a value is a list of words and short numbers, or an array of numbers.
  ///
  /// Text may follow a sample.
  private static func isProse(_ value: String) -> Bool {
    guard value.utf8.count < sampleLength else { return false }
    let isArray = value.utf8.first?.isOne(of: "[{") == true
    let punctuation: StaticString = isArray ? " \t\r\n,.-[]{}" : " \t\r\n,.-+&'!?_"
    let isWord: (UInt8) -> Bool = { $0.isASCIIAlphanumeric || $0 >= 0x80 }
    guard value.utf8.allSatisfy({ isWord($0) || $0.isOne(of: punctuation) }) else { return false }
    let words = value.utf8.split { !isWord($0) }
    return words.allSatisfy { word in
      word.allSatisfy(\.isASCIIDigit) && word.count <= 9
        || !isArray && word.count <= 24 && !word.contains(where: \.isASCIIDigit)
    } && !looksSecret(value)
  }

  private static func looksSecret(_ value: String) -> Bool {
    if SecretShapes.contains(value) { return true }
    guard RandomText.isRandom(value) else { return false }
    // A URL is searched by itself. An object is not a value.
    var value = value
    return value.withUTF8 { bytes in
      !bytes.has("{", at: 0) && !bytes.has("/", at: 0)
        && !bytes.indices.contains { bytes.has("://", at: $0) }
    }
  }
}
