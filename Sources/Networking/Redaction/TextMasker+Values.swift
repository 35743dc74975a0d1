/// The starts and ends of values in free text.
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

  /// Returns the value after the end of a name and a separator, or `nil` if there is none.
  ///
  /// The name may be in quotation marks. The separator is `:`, `=`, `:=`, or `=>`.
  mutating func value(afterNameEndingAt end: Int) -> Value? {
    var position = end
    if scanner.has("\\", at: position) { position = scanner.end(of: .backslash, from: position) }
    if scanner.has("\"", at: position) || scanner.has("'", at: position) { position += 1 }
    position = skipSpace(from: position)
    guard scanner.has("=", at: position) || scanner.has(":", at: position) else { return nil }
    let isLong = scanner.has("=>", at: position) || scanner.has(":=", at: position)
    return value(at: skipSpace(from: position + (isLong ? 2 : 1)))
  }

  /// Returns the value at a position, or `nil` if there is none.
  mutating func value(at start: Int) -> Value? {
    let mark = scanner.has("\\", at: start) ? scanner.end(of: .backslash, from: start) : start
    if scanner.has("\"", at: mark) {
      let level = Self.level(ofBackslashes: mark - start)
      return Value(kind: .quoted(UInt8(ascii: "\""), level: level), start: mark + 1)
    }
    switch scanner.byte(at: start) {
    case nil: return nil
    case "'": return Value(kind: .quoted(UInt8(ascii: "'"), level: 0), start: start + 1)
    case "[", "{": return Value(kind: .container, start: start)
    default:
      return scanner.isByte(at: start, in: .bareEnd) ? nil : Value(kind: .bare, start: start)
    }
  }

  /// The position from which ``value(at:)`` finds a value again.
  static func opening(of value: Value) -> Int {
    guard case .quoted(_, let level) = value.kind else { return value.start }
    return value.start - (1 << level)
  }

  /// The limit for the number of times that JSON is nested in strings of JSON.
  private static let maximumLevel = 4

  /// Returns how many times a quotation mark after this many backslashes is escaped.
  ///
  /// JSON in a string of JSON has 1 backslash before a quotation mark, and within that 3, 7, 15.
  private static func level(ofBackslashes count: Int) -> Int {
    min((~count).trailingZeroBitCount, maximumLevel)
  }

  /// Returns the secret value of a name, or a sample from its start.
  mutating func read(_ value: Value, named name: String, _ limit: Int) -> String {
    guard limit != .max else { return scanner.text(value.start..<end(of: value, named: name)) }
    let limit = budget.sampleLength(limit, at: value.start)
    let end = end(of: value, limit: value.start + limit)
    budget.add(end - value.start)
    return scanner.text(value.start..<end)
  }

  /// Returns the end of the secret value of a name.
  mutating func end(of value: Value, named name: String) -> Int {
    var end = end(of: value)
    guard case .bare = value.kind else { return end }
    // A list such as `Cookie: a=1; b=2` is one value.
    let name = name.lowercased()
    let separator =
      name.hasSuffix("cookie")
      ? UInt8(ascii: ";") : name.hasSuffix("authorization") ? UInt8(ascii: ",") : nil
    // The loop ends where nothing continues the value, so that the mask is not continued either if
    // the text is masked again.
    while let next = endOfQuotedPart(openedAt: end, of: value, separator)
      ?? endOfField(namedBefore: end) ?? endOfListField(separatedBy: separator, after: end)
    {
      end = next
    }
    // The backslashes of a mark that closes a string around the value are not part of the value.
    if let backslashes = backslashCount(beforeMarkAt: end, in: value) {
      end = max(end - backslashes, min(end, value.start + 1))
    }
    return end
  }

  /// Returns the end of the value of a field whose name ends at a position, or `nil` if there is
  /// no field.
  ///
  /// If a name has no value, the next field counts as its value, and is masked as a whole:
  /// `password:`, a line break, and `token: s3cret`.
  mutating func endOfField(namedBefore end: Int) -> Int? {
    var start = end
    if !scanner.has(":", at: end - 1) {
      start = skipSpace(from: end)
      guard scanner.has(":", at: start) || scanner.has("=", at: start) else { return nil }
      start += 1
    }
    return wordEnd(from: skipSpace(from: start), after: end)
  }

  /// Returns the end of the bare value at a position after another one, or `nil` if there is none.
  private mutating func wordEnd(from start: Int, after end: Int, limit: Int = .max) -> Int? {
    guard start > end, start < scanner.end, !scanner.isByte(at: start, in: .bareEnd) else {
      return nil
    }
    return bareEnd(from: start, limit: limit)
  }

  mutating func end(of value: Value, limit: Int = .max) -> Int {
    let start = value.start
    switch value.kind {
    case .quoted(let quote, let level):
      return quoteEnd(quote, level, from: start, limit: limit)
        ?? (quote == UInt8(ascii: "'")
          ? bareEnd(from: start, limit: limit) : min(scanner.end, limit))
    case .container: return containerEnd(from: start, limit: limit)
    case .bare:
      for scheme in ["Bearer", "Digest", "Basic"] as [StaticString]
      where scanner.has(scheme, at: start) {
        let end = start + scheme.utf8CodeUnitCount
        if let end = wordEnd(from: skipSpace(from: end), after: end, limit: limit) { return end }
      }
      let end = bareEnd(from: start, limit: limit)
      return min(groupsEnd(from: start, end), limit)
    }
  }

  /// Returns the end of the groups of digits after a value, as in `5555 0000 0000 0000`.
  private func groupsEnd(from start: Int, _ end: Int) -> Int {
    func isDigit(_ position: Int) -> Bool { scanner.byte(at: position)?.isASCIIDigit == true }
    guard 3...6 ~= end - start, isDigit(end - 1), isDigit(end - 2) else { return end }
    var end = end
    for _ in 0..<8 where scanner.has(" ", at: end) {
      var next = end + 1
      while next - end <= 7, isDigit(next) { next += 1 }
      guard 3...7 ~= next - end, scanner.byte(at: next)?.isASCIIAlphanumeric != true else { break }
      end = next
    }
    return end
  }

  /// Returns whether a value is a number after the name of a member of JSON, as in `"pin": 1234`.
  mutating func isNumber(_ range: Range<Int>, _ value: Value) -> Bool {
    guard case .bare = value.kind, range.count <= 32,
      scanner.bytes[range].allSatisfy({ $0.isASCIIDigit || $0.isOne(of: ".+-eE") }),
      Double(scanner.text(range)) != nil
    else { return false }
    let colon = scanner.start(of: .space, before: range.lowerBound) - 1
    return scanner.has(":", at: colon)
      && scanner.has("\"", at: scanner.start(of: .space, before: colon) - 1)
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
      guard position < min(limit, scanner.end) else {
        if limit == .max { unclosedQuotes[key] = start }
        return nil
      }
      let mark =
        scanner.has("\\", at: position) ? scanner.end(of: .backslash, from: position) : position
      let isQuote = scanner.byte(at: mark) == quote
      if isQuote,
        level == Self.maximumLevel || Self.level(ofBackslashes: mark - position) <= level
      {
        return position
      }
      position = isQuote ? mark + 1 : max(mark, position + 1)
    }
  }

  /// Returns the end of an array or an object, or the end of the text if it is not complete.
  private mutating func containerEnd(from start: Int, limit: Int) -> Int {
    let limited = min(limit, scanner.end)
    var (position, depth) = (start, 0)
    repeat {
      position = scanner.first(in: .bracket, from: position, limit: limit)
      guard position < limited else { return limited }
      position += 1
      switch scanner.bytes[position - 1] {
      case "[", "{": depth += 1
      case "]", "}": depth -= 1
      default:
        guard let end = quoteEnd(UInt8(ascii: "\""), 0, from: position, limit: limit) else {
          return limited
        }
        // The closing mark may be preceded by an even number of backslashes.
        position = scanner.end(of: .backslash, from: end) + 1
      }
    } while depth > 0
    return min(position, scanner.end)
  }

  /// Returns the end of a part of a bare value that is in quotation marks, such as `username="ada"`,
  /// and of the text next to it.
  ///
  /// A quotation mark opens such a part if an equals sign precedes it, and neither white space nor
  /// punctuation follows; in a list also if the separator or the end of the line follows the next
  /// mark. Another mark closes a string that contains the value: in `"Cookie: a=1","b":""`, the text
  /// `","` is not a part of the value.
  ///
  /// - Parameters:
  ///   - mark: The end of the value so far.
  ///   - value: The value.
  ///   - separator: The separator of a list. `nil` for a value that is not a list.
  /// - Returns: The end, or `nil` if there is no such part. A part without a closing mark ends like a
  ///   bare value.
  private mutating func endOfQuotedPart(
    openedAt mark: Int, of value: Value, _ separator: UInt8?
  ) -> Int? {
    guard let backslashes = backslashCount(beforeMarkAt: mark, in: value), mark + 1 < scanner.end
    else { return nil }
    let isOpening =
      scanner.has("=", at: mark - backslashes - 1)
      && !scanner.isByte(at: mark + 1, in: .afterClosingMark)
    guard isOpening || separator != nil else { return nil }
    let level = Self.level(ofBackslashes: backslashes)
    let close = quoteEnd(UInt8(ascii: "\""), level, from: mark + 1, limit: .max)
      .map { scanner.end(of: .backslash, from: $0) + 1 }
    if !isOpening {
      guard let close else { return nil }
      let next = scanner.byte(at: close)
      guard next.map({ $0 == separator || $0.isOne(of: "\r\n") }) != false else { return nil }
    }
    return bareEnd(from: close ?? mark + 1)
  }

  /// Returns the end of a further field of a list, such as `; b=2` or `, response="1"`, or `nil` if
  /// there is none.
  private mutating func endOfListField(separatedBy separator: UInt8?, after end: Int) -> Int? {
    guard let separator, scanner.byte(at: end) == separator else { return nil }
    let name = skipSpace(from: end + 1)
    let nameEnd = scanner.end(of: .name, from: name)
    guard nameEnd > name, scanner.has("=", at: nameEnd) else { return nil }
    return bareEnd(from: nameEnd + 1)
  }

  /// Returns the number of backslashes before a quotation mark in a value, or `nil` if there is no
  /// mark.
  private mutating func backslashCount(beforeMarkAt mark: Int, in value: Value) -> Int? {
    guard scanner.has("\"", at: mark) else { return nil }
    return mark - scanner.start(of: .backslash, before: mark, limit: value.start)
  }
}
