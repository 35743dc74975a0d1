/// A masker for secrets in free text, in one pass over the bytes.
///
/// It finds named values in JSON, forms, header fields, XML elements, and dumps of programs; pairs
/// such as `{"name": "password", "value": "s3cret"}`; credentials after `Bearer` or `Basic`; and
/// user information and webhook paths in URLs.
///
/// The end of a value is searched only if its name is secret, and the search then continues after
/// the value. Otherwise the search continues within the value. The value of a pair whose name
/// follows is searched unless a masked one contains it. So the time is linear in the length of the
/// text, whatever the text is.
struct TextMasker {
  /// A longer name is judged by its last bytes.
  private static let maximumNameLength = 256

  var scanner: ByteScanner
  var builder: MaskedTextBuilder
  /// The members such as `name` and `value` of the current object.
  var pair = Pair()
  /// The end of the last value that was masked because of a following name.
  var maskedPairEnd = 0
  /// The end of the last path that was searched for webhooks.
  var searchedPathEnd = 0
  /// The start of the last search that found no quotation mark up to the end, for each mark and
  /// level.
  var unclosedQuotes: [Int: Int] = [:]

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    scanner = ByteScanner(bytes)
    builder = MaskedTextBuilder(of: bytes)
  }

  /// Masks the secrets in a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - search: The parts that are searched by themselves.
  ///   - masking: The provider of the replacements.
  ///   - work: The number of bytes read. This method adds its own.
  /// - Returns: The masked text.
  static func masked(
    _ text: String, _ search: SearchedText = .whole, by masking: Redactor.MaskProvider,
    counting work: inout Int
  ) -> String {
    var text = text
    let masked = text.withUTF8 { bytes -> String? in
      var masker = TextMasker(bytes)
      search.forEachPart(of: bytes) { part in
        masker.scanner.search(to: part.upperBound)
        (masker.pair, masker.searchedPathEnd) = (Pair(), 0)
        masker.unclosedQuotes = [:]
        masker.mask(from: part.lowerBound, masking)
      }
      work += masker.scanner.work
      return masker.builder.text
    }
    return masked ?? text
  }

  mutating func mask(from start: Int, _ masking: Redactor.MaskProvider) {
    var position = start
    while true {
      position = scanner.first(in: .stop, from: position)
      switch scanner.byte(at: position) {
      case nil: return
      case UInt8(ascii: "{"), UInt8(ascii: "}"):
        pair = Pair()
        position += 1
      case UInt8(ascii: "<"):
        pair = Pair()
        position = maskElement(at: position, masking)
      case UInt8(ascii: ":"): position = maskURL(at: position, masking) ?? position + 1
      default:
        let end = scanner.end(of: .name, from: position)
        let name = max(position, end - Self.maximumNameLength)..<end
        position =
          maskURL(at: end, masking) ?? maskField(name, masking) ?? maskCredentials(name, masking)
          ?? end
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
    var next = value.start
    switch Self.pairRole(of: name) {
    case .name: noteName(value, masking)
    case .value: if let end = maskPaired(value, masking) { return end }
    case nil: break
    }
    if let mask = masking(name, { lazyText(of: value, named: name, limit: $0) }) {
      next = replace(value.start..<end(of: value, named: name), with: mask)
    }
    return next
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
  private static let maximumLevel = 4

  /// Returns how many times a quotation mark after this many backslashes is escaped.
  ///
  /// JSON in a string of JSON has 1 backslash before a quotation mark, and within that 3, 7, 15.
  private static func level(ofBackslashes count: Int) -> Int {
    min((~count).trailingZeroBitCount, maximumLevel)
  }

  // MARK: Ends of values

  /// Returns the position a number of bytes after a position, at most that of the end.
  static func end(of limit: Int, from start: Int, before end: Int = .max) -> Int {
    limit < end - start ? start + limit : end
  }

  func lazyText(of value: Value, named name: String, limit: Int) -> String {
    guard limit == .max else {
      return lazyText(of: value, limit: Self.end(of: limit, from: value.start))
    }
    var copy = self
    return scanner.text(value.start..<copy.end(of: value, named: name))
  }

  func lazyText(of value: Value, limit: Int) -> String {
    var copy = self
    return scanner.text(value.start..<copy.end(of: value, limit: limit))
  }

  /// Returns the end of the secret value of a name.
  mutating func end(of value: Value, named name: String) -> Int {
    var end = end(of: value)
    guard case .bare = value.kind else { return end }
    // A list such as `Cookie: a=1; b=2` is one value.
    let name = name.lowercased()
    if name.hasSuffix("cookie") { end = listEnd(from: end, separator: UInt8(ascii: ";")) }
    if name.hasSuffix("authorization") { end = listEnd(from: end, separator: UInt8(ascii: ",")) }
    while let next = endOfField(namedBefore: end) { end = next }
    return end
  }

  /// Returns the end of the value of a field whose name ends at a position, or `nil` if there is
  /// no field.
  ///
  /// If a name has no value, the next field counts as its value, and is masked as a whole:
  /// `password:`, a line break, and `token: s3cret`.
  mutating func endOfField(namedBefore end: Int) -> Int? {
    var start = end
    if scanner.byte(at: end - 1) != UInt8(ascii: ":") {
      start = skipSpace(from: end)
      guard let byte = scanner.byte(at: start),
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: "=")
      else { return nil }
      start += 1
    }
    start = skipSpace(from: start)
    guard start > end, start < scanner.end, !scanner.isByte(at: start, in: .bareEnd) else {
      return nil
    }
    return bareEnd(from: start)
  }

  mutating func end(of value: Value, limit: Int = .max) -> Int {
    switch value.kind {
    case .quoted(let quote, let level):
      return quoteEnd(quote, level, from: value.start, limit: limit)
        ?? (quote == UInt8(ascii: "'")
          ? bareEnd(from: value.start, limit: limit) : min(scanner.end, limit))
    case .container: return containerEnd(from: value.start, limit: limit)
    case .bare:
      let start = value.start
      for length in Self.schemeLengths(scanner, at: start) {
        let credentials = skipSpace(from: start + length)
        if credentials > start + length, credentials < scanner.end,
          !scanner.isByte(at: credentials, in: .bareEnd)
        {
          return bareEnd(from: credentials, limit: limit)
        }
      }
      return bareEnd(from: start, limit: limit)
    }
  }

  private static func schemeLengths(_ scanner: ByteScanner, at start: Int) -> [Int] {
    scanner.hasText("Bearer", at: start) || scanner.hasText("Digest", at: start)
      ? [6] : scanner.hasText("Basic", at: start) ? [5] : []
  }

  private mutating func bareEnd(from start: Int, limit: Int = .max) -> Int {
    scanner.first(in: .bareEnd, from: start, limit: limit)
  }

  /// Returns the position of the closing quotation mark, or `nil` if there is none.
  ///
  /// A mark that is escaped more often than the opening one is part of the value. A mark that a
  /// search has not found is not searched again further on.
  private mutating func quoteEnd(
    _ quote: UInt8, _ level: Int, from start: Int, limit: Int
  ) -> Int? {
    let key = Int(quote) << 8 | level
    if let unclosed = unclosedQuotes[key], start >= unclosed { return nil }
    var position = start
    while true {
      position = scanner.first(in: .quote, from: position, limit: limit)
      guard position < limit, let byte = scanner.byte(at: position) else {
        if limit == .max { unclosedQuotes[key] = start }
        return nil
      }
      let mark =
        byte == UInt8(ascii: "\\") ? scanner.end(of: .backslash, from: position) : position
      guard scanner.byte(at: mark) == quote else {
        position = max(mark, position + 1)
        continue
      }
      if level == Self.maximumLevel || Self.level(ofBackslashes: mark - position) <= level {
        return position
      }
      position = mark + 1
    }
  }

  /// Returns the end of an array or an object, or the end of the text if it is not complete.
  private mutating func containerEnd(from start: Int, limit: Int) -> Int {
    var (position, depth) = (start, 0)
    while true {
      position = scanner.first(in: .bracket, from: position, limit: limit)
      guard position < limit, let byte = scanner.byte(at: position) else {
        return min(limit, scanner.end)
      }
      position += 1
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "\""):
        guard let end = quoteEnd(byte, 0, from: position, limit: limit) else {
          return min(limit, scanner.end)
        }
        // The closing mark may be preceded by an even number of backslashes.
        position = scanner.end(of: .backslash, from: end) + 1
      default: depth -= 1
      }
      if depth <= 0 { return min(position, scanner.end) }
    }
  }

  /// Returns the end of further fields such as `; b=2` or `, response="1"`.
  private mutating func listEnd(from start: Int, separator: UInt8) -> Int {
    var end = start
    while true {
      var position = end
      if scanner.byte(at: position) == UInt8(ascii: "\"") {
        // The value before was in quotation marks.
        guard let close = quoteEnd(UInt8(ascii: "\""), 0, from: position + 1, limit: .max) else {
          return end
        }
        position = close + 1
        end = position
      }
      guard scanner.byte(at: position) == separator else { return end }
      let name = skipSpace(from: position + 1)
      let nameEnd = scanner.end(of: .name, from: name)
      guard nameEnd > name, scanner.byte(at: nameEnd) == UInt8(ascii: "=") else { return end }
      end = bareEnd(from: nameEnd + 1)
    }
  }
}
