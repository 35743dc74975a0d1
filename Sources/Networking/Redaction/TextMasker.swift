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
struct TextMasker: ~Copyable {
  /// A longer name is judged by its last bytes.
  static let maximumNameLength = 256

  var scanner: ByteScanner
  var builder = MaskedTextBuilder()
  var budget = JudgingBudget()
  let masking: Redactor.MaskProvider
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
  /// The text of an element that was masked after its tag, and is not searched.
  var maskedText = 0..<0
  /// The end of the last text of an element that was masked.
  var maskedTextEnd = 0
  /// The end of the last value that was masked because of a following name.
  var maskedPairEnd = 0
  /// The end of the last path that was searched for webhooks.
  private var searchedPathEnd = 0
  /// The start of the last search that found no quotation mark up to the end, for each mark and
  /// level.
  var unclosedQuotes: [Int: Int] = [:]

  private init(
    _ bytes: UnsafeBufferPointer<UInt8>, _ masking: @escaping Redactor.MaskProvider,
    _ names: SecretNames, _ numbers: Redactor.NumberMask? = nil
  ) {
    (self.masking, self.names, self.numbers) = (masking, names, numbers)
    scanner = ByteScanner(bytes)
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
    _ text: String, _ search: SearchedText, by masking: Redactor.MaskProvider,
    names: SecretNames, numbers: Redactor.NumberMask?, counting work: inout Int
  ) -> String {
    withoutActuallyEscaping(masking) { masking in
      func masked(_ text: String, _ mask: (inout TextMasker) -> Void) -> String {
        MaskedTextBuilder.masked(text) { bytes, builder in
          var masker = TextMasker(bytes, masking, names, numbers)
          mask(&masker)
          work += masker.scanner.work
          builder = masker.builder
        }
      }
      // Character data may contain any delimiter, so it is masked first.
      let text =
        text.utf8.contains(UInt8(ascii: "<")) ? masked(text) { $0.maskCharacterData() } : text
      return masked(text) { masker in
        search.forEachPart(of: masker.scanner.bytes) { masker.maskPart($0) }
      }
    }
  }

  /// Returns the ranges of the secrets in JSON, and their replacements.
  static func replacements(
    inJSON bytes: UnsafeBufferPointer<UInt8>, by masking: @escaping Redactor.MaskProvider,
    names: SecretNames, counting work: inout Int
  ) -> [(range: Range<Int>, text: String)] {
    var masker = TextMasker(bytes, masking, names)
    masker.mask(from: 0)
    work += masker.scanner.work
    return masker.builder.replacements
  }

  private mutating func maskPart(_ part: Range<Int>) {
    // The text of an element may have several lines.
    let start = max(part.lowerBound, maskedTextEnd)
    guard start < part.upperBound else { return }
    scanner.end = part.upperBound
    // The members of an object may be on several lines.
    if depth == 0 { pair = Pair() }
    (searchedPathEnd, unclosedQuotes) = (0, [:])
    mask(from: start)
  }

  private mutating func mask(from start: Int) {
    var position = start
    while true {
      position = scanner.first(in: .stop, from: position)
      if maskedText.contains(position) { position = maskedText.upperBound }
      switch scanner.byte(at: position) {
      case nil: return
      case "{":
        (pair, depth) = (Pair(), depth + 1)
        position += 1
      case "}":
        (pair, depth) = (Pair(), max(depth - 1, 0))
        position += 1
      case "<":
        pair = Pair()
        position = maskElement(at: position)
      case ":": position = maskURL(at: position) ?? position + 1
      default:
        let end = scanner.end(of: .name, from: position)
        let name = max(position, end - Self.maximumNameLength)..<end
        position =
          maskURL(at: end) ?? maskField(name) ?? maskArrayPair(name) ?? maskCredentials(name) ?? end
      }
    }
  }

  mutating func skipSpace(from position: Int) -> Int {
    guard scanner.isByte(at: position, in: .space) else { return position }
    return scanner.end(of: .space, from: position)
  }
}

// MARK: - Fields, credentials, and URLs

extension TextMasker {
  /// Masks the value after a name, if there is one and it is secret.
  ///
  /// - Returns: The next position: after a masked value, or at the start of another value. `nil` if
  ///   the name has no value.
  private mutating func maskField(_ range: Range<Int>) -> Int? {
    guard let value = value(afterNameEndingAt: range.upperBound) else { return nil }
    let name = scanner.text(range)
    switch Self.pairRole(of: name) {
    case .name: noteName(value, of: name, isPath: false)
    case .path: noteName(value, of: name, isPath: true)
    case .value: if let end = maskPaired(value, isContent: false) { return end }
    case .content: if let end = maskPaired(value, isContent: true) { return end }
    case nil: break
    }
    if let end = mask(value, named: name) { return end }
    // The letters before a name may belong to prose: `请输入pin=1234`.
    guard let letter = scanner.bytes[range].lastIndex(where: { $0 >= 0x80 }),
      letter + 1 < range.upperBound
    else { return value.start }
    return mask(value, named: scanner.text(letter + 1..<range.upperBound)) ?? value.start
  }

  /// Masks the value of a name if it is secret.
  ///
  /// A number in JSON is replaced by a number.
  ///
  /// - Returns: The end of the masked value, or `nil` if the value is kept.
  mutating func mask(_ value: Value, named name: String, limit: Int = .max) -> Int? {
    guard let mask = masking(name, { read(value, named: name, min($0, limit)) }) else { return nil }
    guard limit == .max else { return value.start }
    let range = value.start..<end(of: value, named: name)
    guard let numbers, isNumber(range, value) else { return builder.replace(range, with: mask) }
    return builder.replace(range, with: numbers(scanner.text(range)))
  }

  /// Masks the credentials after `Bearer` or `Basic`.
  ///
  /// - Returns: The next position, or `nil` if there are no credentials.
  private mutating func maskCredentials(_ name: Range<Int>) -> Int? {
    let end = name.upperBound
    guard scanner.has("Bearer", at: end - 6) || scanner.has("Basic", at: end - 5) else {
      return nil
    }
    let start = skipSpace(from: end)
    guard start > end, scanner.isByte(at: start, in: .token) else { return nil }
    var valueEnd = scanner.end(of: .token, from: start)
    // The equals signs of credentials are at their end; `status=200` is a field.
    let rest = scanner.bytes[start..<valueEnd].drop { $0 != UInt8(ascii: "=") }
    guard rest.allSatisfy({ $0 == UInt8(ascii: "=") }) else { return start }
    while let next = endOfField(namedBefore: valueEnd) { valueEnd = next }
    let text = scanner.text(start..<valueEnd)
    return masking(Redactor.schemeName) { _ in text }
      .map { builder.replace(start..<valueEnd, with: $0) } ?? start
  }

  /// Masks the user information and the webhook path of a URL at `://`.
  ///
  /// - Returns: The next position, or `nil` if there is no URL.
  private mutating func maskURL(at colon: Int) -> Int? {
    guard scanner.has("://", at: colon) else { return nil }
    let start = colon + 3
    let authority = start..<scanner.first(in: .authorityEnd, from: start)
    if start >= searchedPathEnd {
      searchedPathEnd = scanner.first(in: .pathEnd, from: authority.upperBound)
      for secret in WebhookPath.secrets(in: scanner.bytes[start..<searchedPathEnd]) {
        maskCredential(secret)
      }
    }
    guard let at = scanner.bytes[authority].lastIndex(of: UInt8(ascii: "@")), at > start else {
      return start
    }
    maskCredential(start..<at)
    return at
  }

  private mutating func maskCredential(_ range: Range<Int>) {
    let text = scanner.text(range)
    builder.replace(range, with: masking("credential") { _ in text } ?? Redactor.mask)
  }
}
