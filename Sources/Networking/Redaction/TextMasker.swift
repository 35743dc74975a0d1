/// A masker for secrets in free text, in one pass over the bytes.
///
/// It finds named values in JSON, forms, header fields, XML elements, and dumps of programs; pairs
/// such as `{"name": "password", "value": "s3cret"}`; credentials after `Bearer` or `Basic`; and
/// user information and webhook paths in URLs.
///
/// The end of a value is searched only if its name is secret, and the search then continues after
/// the value. Otherwise the search continues within the value, and a ``JudgingBudget`` limits the
/// repeated reading. The value of a pair whose name follows is searched unless a masked one contains
/// it. So the time is linear in the length of the text, whatever the text is.
struct TextMasker {
  /// A longer name is judged by its last bytes.
  private static let maximumNameLength = 256

  var scanner: ByteScanner
  var builder: MaskedTextBuilder
  var budget = JudgingBudget()
  /// The rules that decide which values are secret.
  let names: SecretNames
  /// The provider of the replacements for numbers in JSON, or `nil` if they are replaced as text.
  private let numbers: Redactor.NumberMask?
  /// The members such as `name` and `value` of the current object.
  var pair = Pair()
  /// The number of braces that are open.
  private var depth = 0
  /// The name that an element or an attribute has given to the following elements.
  var elementName: Range<Int>?
  /// The end of the last tag of an element.
  var tagEnd = 0
  /// The name of the element of the last tag, or `nil` if that element has no content.
  var openTag: Range<Int>?
  /// The secret element that contains the position.
  var secretElement: SecretElement?
  /// The end of the last text of an element that was masked.
  var maskedTextEnd = 0
  /// The end of the last value that was masked because of a following name.
  var maskedPairEnd = 0
  /// The end of the last path that was searched for webhooks.
  var searchedPathEnd = 0
  /// The start of the last search that found no quotation mark up to the end, for each mark and
  /// level.
  var unclosedQuotes: [Int: Int] = [:]

  private init(
    _ bytes: UnsafeBufferPointer<UInt8>, _ names: SecretNames, _ numbers: Redactor.NumberMask?
  ) {
    self.names = names
    self.numbers = numbers
    scanner = ByteScanner(bytes)
    builder = MaskedTextBuilder(of: bytes)
  }

  /// Masks the secrets in a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - search: The parts that are searched by themselves.
  ///   - masking: The provider of the replacements.
  ///   - names: The rules that decide which values are secret.
  ///   - numbers: The provider of the replacements for numbers in JSON. Without it, they are replaced
  ///     as text.
  ///   - work: The number of bytes read. This method adds its own.
  /// - Returns: The masked text.
  static func masked(
    _ text: String, _ search: SearchedText = .whole, by masking: Redactor.MaskProvider,
    names: SecretNames, numbers: Redactor.NumberMask? = nil, counting work: inout Int
  ) -> String {
    var text = text
    let masked = text.withUTF8 { bytes -> String? in
      var masker = TextMasker(bytes, names, numbers)
      search.forEachPart(of: bytes) { part in
        // The text of an element may have several lines.
        let start = max(part.lowerBound, masker.maskedTextEnd)
        guard start < part.upperBound else { return }
        masker.scanner.search(to: part.upperBound)
        // The members of an object may be on several lines.
        if masker.depth == 0 { masker.pair = Pair() }
        (masker.searchedPathEnd, masker.unclosedQuotes) = (0, [:])
        masker.mask(from: start, masking)
      }
      work += masker.scanner.work
      return masker.builder.text
    }
    return masked ?? text
  }

  /// Returns the ranges of the secrets in JSON, and their replacements.
  static func replacements(
    inJSON bytes: UnsafeBufferPointer<UInt8>, by masking: Redactor.MaskProvider,
    names: SecretNames, counting work: inout Int
  ) -> [MaskedTextBuilder.Replacement] {
    var masker = TextMasker(bytes, names, nil)
    masker.mask(from: 0, masking)
    work += masker.scanner.work
    return masker.builder.replacements
  }

  mutating func mask(from start: Int, _ masking: Redactor.MaskProvider) {
    var position = start
    while true {
      position = scanner.first(in: .stop, from: position)
      switch scanner.byte(at: position) {
      case nil: return
      case UInt8(ascii: "{"):
        (pair, depth) = (Pair(), depth + 1)
        position += 1
      case UInt8(ascii: "}"):
        (pair, depth) = (Pair(), max(depth - 1, 0))
        position += 1
      case UInt8(ascii: "<"):
        pair = Pair()
        position = maskElement(at: position, masking)
      case UInt8(ascii: ":"): position = maskURL(at: position, masking) ?? position + 1
      default:
        let end = scanner.end(of: .name, from: position)
        let name = max(position, end - Self.maximumNameLength)..<end
        position =
          maskURL(at: end, masking) ?? maskField(name, masking) ?? maskArrayPair(name, masking)
          ?? maskCredentials(name, masking) ?? end
      }
    }
  }

  mutating func replace(_ range: Range<Int>, with mask: String) -> Int {
    builder.replace(range, with: mask)
    return range.upperBound
  }
}

// MARK: - Fields

extension TextMasker {
  /// The start of a value, and its delimiters.
  struct Value {
    enum Kind {
      /// A value up to white space or punctuation.
      case bare
      /// A value in quotation marks, which are escaped this many times.
      case quoted(UInt8, level: Int)
      /// An array or an object.
      case container
    }

    let kind: Kind
    /// The position of the content, after a quotation mark.
    let start: Int
  }

  /// Masks the value after a name, if there is one and it is secret.
  ///
  /// - Returns: The next position: after a masked value, or at the start of another value. `nil` if
  ///   the name has no value.
  private mutating func maskField(
    _ range: Range<Int>, _ masking: Redactor.MaskProvider
  ) -> Int? {
    guard let value = value(afterNameEndingAt: range.upperBound) else { return nil }
    let name = scanner.text(range)
    switch Self.pairRole(of: name) {
    case .name: noteName(value, of: name, isPath: false, masking)
    case .path: noteName(value, of: name, isPath: true, masking)
    case .value: if let end = maskPaired(value, isContent: false, masking) { return end }
    case .content: if let end = maskPaired(value, isContent: true, masking) { return end }
    case nil: break
    }
    if let mask = masking(name, { read(value, named: name, $0) }) {
      return replace(value, named: name, with: mask)
    }
    // The letters before a name may belong to prose: `请输入pin=1234`.
    guard let letter = scanner.bytes[range].lastIndex(where: { $0 >= 0x80 }),
      letter + 1 < range.upperBound
    else { return value.start }
    let word = scanner.text(letter + 1..<range.upperBound)
    return masking(word, { read(value, named: word, $0) }).map {
      replace(value, named: word, with: $0)
    } ?? value.start
  }

  /// Replaces the secret value of a name, and returns its end.
  ///
  /// A number in JSON is replaced by a number.
  mutating func replace(_ value: Value, named name: String, with mask: String) -> Int {
    let range = value.start..<end(of: value, named: name)
    guard let numbers, isNumber(range, value) else { return replace(range, with: mask) }
    return replace(range, with: numbers(scanner.text(range)))
  }

  /// The position from which ``value(at:)`` finds a value again.
  static func opening(of value: Value) -> Int {
    switch value.kind {
    case .quoted(_, let level): value.start - 1 - (level == 0 ? 0 : (1 << level) - 1)
    case .bare, .container: value.start
    }
  }

  /// Returns the value after the end of a name and a separator, or `nil` if there is none.
  ///
  /// The name may be in quotation marks. The separator is `:`, `=`, `:=`, or `=>`.
  private mutating func value(afterNameEndingAt end: Int) -> Value? {
    var position = end
    if scanner.byte(at: position) == UInt8(ascii: "\\") {
      position = scanner.end(of: .backslash, from: position)
    }
    if let quote = scanner.byte(at: position),
      quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    {
      position += 1
    }
    position = skipSpace(from: position)
    switch scanner.byte(at: position) {
    case UInt8(ascii: "="):
      position += scanner.byte(at: position + 1) == UInt8(ascii: ">") ? 2 : 1
    case UInt8(ascii: ":"):
      position += scanner.byte(at: position + 1) == UInt8(ascii: "=") ? 2 : 1
    default: return nil
    }
    return value(at: skipSpace(from: position))
  }

  /// Returns the value at a position, or `nil` if there is none.
  mutating func value(at start: Int) -> Value? {
    let quote =
      scanner.byte(at: start) == UInt8(ascii: "\\")
      ? scanner.end(of: .backslash, from: start) : start
    switch scanner.byte(at: quote) {
    case UInt8(ascii: "\""):
      return Value(
        kind: .quoted(UInt8(ascii: "\""), level: Self.level(ofBackslashes: quote - start)),
        start: quote + 1)
    case UInt8(ascii: "'") where quote == start:
      return Value(kind: .quoted(UInt8(ascii: "'"), level: 0), start: start + 1)
    default: break
    }
    switch scanner.byte(at: start) {
    case nil: return nil
    case UInt8(ascii: "["), UInt8(ascii: "{"): return Value(kind: .container, start: start)
    case .some:
      return scanner.isByte(at: start, in: .bareEnd) ? nil : Value(kind: .bare, start: start)
    }
  }

  mutating func skipSpace(from position: Int) -> Int {
    guard scanner.isByte(at: position, in: .space) else { return position }
    return scanner.end(of: .space, from: position)
  }

  /// The limit for the number of times that JSON is nested in strings of JSON.
  static let maximumLevel = 4

  /// Returns how many times a quotation mark after this many backslashes is escaped.
  ///
  /// JSON in a string of JSON has 1 backslash before a quotation mark, and within that 3, 7, 15.
  static func level(ofBackslashes count: Int) -> Int {
    min((~count).trailingZeroBitCount, maximumLevel)
  }
}

// MARK: - Credentials and URLs

extension TextMasker {
  /// Masks the credentials after `Bearer` or `Basic`.
  ///
  /// - Returns: The next position, or `nil` if there are no credentials.
  private mutating func maskCredentials(
    _ name: Range<Int>, _ masking: Redactor.MaskProvider
  ) -> Int? {
    let end = name.upperBound
    guard scanner.hasText("Bearer", at: end - 6) || scanner.hasText("Basic", at: end - 5) else {
      return nil
    }
    let start = skipSpace(from: end)
    guard start > end, scanner.isByte(at: start, in: .token) else { return nil }
    var valueEnd = scanner.end(of: .token, from: start)
    guard !isField(start..<valueEnd) else { return start }
    while let next = endOfField(namedBefore: valueEnd) { valueEnd = next }
    let value = start..<valueEnd
    let text = scanner.text(value)
    guard let mask = masking(Redactor.schemeName, { _ in text }) else { return start }
    return replace(value, with: mask)
  }

  /// Returns whether a run of the characters of credentials is a field such as `status=200`.
  ///
  /// The equals signs of credentials are at their end.
  private func isField(_ range: Range<Int>) -> Bool {
    guard let equals = scanner.bytes[range].firstIndex(of: UInt8(ascii: "=")) else { return false }
    return scanner.bytes[equals..<range.upperBound].contains { $0 != UInt8(ascii: "=") }
  }

  /// Masks the user information and the webhook path of a URL at `://`.
  ///
  /// - Returns: The next position, or `nil` if there is no URL.
  private mutating func maskURL(at colon: Int, _ masking: Redactor.MaskProvider) -> Int? {
    guard scanner.hasText("://", at: colon) else { return nil }
    let start = colon + 3
    let authority = start..<scanner.first(in: .authorityEnd, from: start)
    if authority.lowerBound >= searchedPathEnd {
      searchedPathEnd = scanner.first(in: .pathEnd, from: authority.upperBound)
      let secrets = WebhookPath.secrets(in: scanner.bytes[start..<searchedPathEnd])
      for secret in secrets {
        let text = scanner.text(secret)
        builder.replace(secret, with: masking("credential", { _ in text }) ?? Redactor.mask)
      }
    }
    guard let at = scanner.bytes[authority].lastIndex(of: UInt8(ascii: "@")), at > start else {
      return start
    }
    let text = scanner.text(start..<at)
    return replace(start..<at, with: masking("credential", { _ in text }) ?? Redactor.mask)
  }
}
