/// The ends of values in free text.
extension TextMasker {
  /// Returns the position a number of bytes after a position, at most that of the end.
  static func end(of limit: Int, from start: Int, before end: Int = .max) -> Int {
    limit < end - start ? start + limit : end
  }

  /// Returns the secret value of a name, or a sample from its start.
  mutating func read(_ value: Value, named name: String, _ limit: Int) -> String {
    guard limit != .max else { return scanner.text(value.start..<end(of: value, named: name)) }
    let limit = budget.sampleLength(limit, at: value.start)
    let end = end(of: value, limit: Self.end(of: limit, from: value.start))
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
      ?? endOfField(namedBefore: end)
      ?? separator.flatMap({ endOfListField(separatedBy: $0, after: end) })
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
      return min(groupsEnd(from: start, bareEnd(from: start, limit: limit)), limit)
    }
  }

  private static func schemeLengths(_ scanner: ByteScanner, at start: Int) -> [Int] {
    scanner.hasText("Bearer", at: start) || scanner.hasText("Digest", at: start)
      ? [6] : scanner.hasText("Basic", at: start) ? [5] : []
  }

  /// Returns the end of the groups of digits after a value, as in `5555 0000 0000 0000`.
  private func groupsEnd(from start: Int, _ end: Int) -> Int {
    func isDigit(_ position: Int) -> Bool {
      scanner.byte(at: position).map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } == true
    }
    guard 3...6 ~= end - start, isDigit(end - 1), isDigit(end - 2) else { return end }
    var end = end
    for _ in 0..<Self.maximumGroups where scanner.byte(at: end) == UInt8(ascii: " ") {
      var next = end + 1
      while next - end <= 7, isDigit(next) { next += 1 }
      guard 3...7 ~= next - end, scanner.byte(at: next)?.isASCIIAlphanumeric != true else { break }
      end = next
    }
    return end
  }

  private static let maximumGroups = 8

  /// Returns whether a value is a number after the name of a member of JSON, as in `"pin": 1234`.
  func isNumber(_ range: Range<Int>, _ value: Value) -> Bool {
    guard case .bare = value.kind, range.count <= Self.maximumNumberLength,
      scanner.bytes[range].allSatisfy({ $0.is(.number) }),
      Double(scanner.text(range)) != nil
    else { return false }
    func skipSpaceBack(from position: Int) -> Int {
      var position = position
      while position > 0, scanner.isByte(at: position - 1, in: .space) { position -= 1 }
      return position
    }
    let colon = skipSpaceBack(from: range.lowerBound) - 1
    guard colon > 0, scanner.byte(at: colon) == UInt8(ascii: ":") else { return false }
    return scanner.byte(at: skipSpaceBack(from: colon) - 1) == UInt8(ascii: "\"")
  }

  private static let maximumNumberLength = 32

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
      scanner.byte(at: mark - backslashes - 1) == UInt8(ascii: "=")
      && !scanner.isByte(at: mark + 1, in: .afterClosingMark)
    guard isOpening || separator != nil else { return nil }
    let close = closingMarkEnd(ofMarkAt: mark, backslashes)
    guard isOpening || close.map({ isEndOfListField(at: $0, separator) }) ?? false else {
      return nil
    }
    return bareEnd(from: close ?? mark + 1)
  }

  private func isEndOfListField(at position: Int, _ separator: UInt8?) -> Bool {
    guard position < scanner.end, let byte = scanner.byte(at: position) else { return true }
    return byte == separator || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// Returns the end of a further field of a list, such as `; b=2` or `, response="1"`, or `nil` if
  /// there is none.
  private mutating func endOfListField(separatedBy separator: UInt8, after end: Int) -> Int? {
    guard scanner.byte(at: end) == separator else { return nil }
    let name = skipSpace(from: end + 1)
    let nameEnd = scanner.end(of: .name, from: name)
    guard nameEnd > name, scanner.byte(at: nameEnd) == UInt8(ascii: "=") else { return nil }
    return bareEnd(from: nameEnd + 1)
  }

  /// Returns the number of backslashes before a quotation mark in a value, or `nil` if there is no
  /// mark.
  private mutating func backslashCount(beforeMarkAt mark: Int, in value: Value) -> Int? {
    guard scanner.byte(at: mark) == UInt8(ascii: "\"") else { return nil }
    var start = mark
    while start > value.start, scanner.isByte(at: start - 1, in: .backslash) { start -= 1 }
    scanner.add(work: mark - start)
    return mark - start
  }

  /// Returns the position after the mark that closes a quotation, or `nil` if there is none.
  private mutating func closingMarkEnd(ofMarkAt mark: Int, _ backslashes: Int) -> Int? {
    quoteEnd(
      UInt8(ascii: "\""), Self.level(ofBackslashes: backslashes), from: mark + 1, limit: .max
    ).map { scanner.end(of: .backslash, from: $0) + 1 }
  }
}
