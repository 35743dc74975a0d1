import Networking

/// The form of the placeholders that stand for secrets in a recording.
///
/// | secret | placeholder |
/// |---|---|
/// | text | `***-` and an even number of 6 to 64 lower-case hexadecimal digits: `***-3f2a9c` |
/// | number in JSON | 9 digits that start with `999` and have a remainder of 11 modulo 97 |
/// | any, in recordings of earlier versions and other programs | the whole text is `***` |
///
/// Equal secrets of one recording have equal placeholders. The digits depend on a random key that
/// is not kept, so they do not reveal the secret. In a URL the asterisks may be percent-encoded. A
/// placeholder that a letter or a digit follows ends with another asterisk: `***-3f2a9c*x`.
///
/// When requests are compared with a recording, a placeholder in the recorded text stands for any
/// text; see ``matches(_:recorded:)``.
package enum RecordingPlaceholder {
  /// The least number of hexadecimal digits.
  static let minimumDigits = 6
  /// The largest number of hexadecimal digits.
  static let maximumDigits = 64

  /// Returns whether a whole text is a placeholder, including `***`.
  ///
  /// - Parameter text: The text.
  /// - Returns: `true` for `***`, `***-3f2a9c`, and `%2A%2A%2A-3f2a9c`.
  package static func isPlaceholder(_ text: String) -> Bool {
    // Fast path: most texts do not start with an asterisk.
    guard let first = text.utf8.first, first == UInt8(ascii: "*") || first == UInt8(ascii: "%")
    else { return false }
    var text = text
    return text.withUTF8 { bytes in
      guard let mark = asterisks(in: bytes, at: 0) else { return false }
      return mark == bytes.count || end(in: bytes, at: 0) == bytes.count
    }
  }

  /// Returns whether a number is the placeholder of a number.
  ///
  /// - Parameter number: The number.
  /// - Returns: `true` for a placeholder.
  package static func isPlaceholder(_ number: Int) -> Bool {
    999_000_000..<1_000_000_000 ~= number && number % 97 == 11
  }

  /// Returns the ranges of the placeholders in a text, except for a plain `***`.
  ///
  /// They include the placeholders of numbers in JSON within the text.
  ///
  /// - Parameter text: The text.
  /// - Returns: The ranges in ascending order, which do not overlap.
  package static func ranges(in text: String) -> [Range<String.Index>] {
    // Fast path: most texts have no asterisks.
    let mayBegin: (UInt8) -> Bool = {
      $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "9")
    }
    guard text.utf8.contains(where: mayBegin) else { return [] }
    var text = text
    let offsets = text.withUTF8 { bytes in byteRanges(in: bytes) }
    return offsets.map { range in
      text.utf8.index(
        text.startIndex, offsetBy: range.lowerBound)..<text.utf8.index(
          text.startIndex, offsetBy: range.upperBound)
    }
  }

  /// Replaces the digits of all placeholders in a text: `a=***-3f2a9c` becomes `a=***`.
  ///
  /// - Parameter text: The text.
  /// - Returns: The text, which is equal for texts that differ in their placeholders only.
  static func generalized(_ text: String) -> String {
    if isPlaceholder(text) { return Redactor.mask }
    return pieces(of: text).joined(separator: Redactor.mask)
  }

  /// Returns whether a text matches a recorded text, in which each placeholder stands for one or
  /// more characters.
  ///
  /// The time is linear in the length of both texts.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - recorded: The recorded text. Here `***` is a placeholder also within a text.
  /// - Returns: Whether the text matches. A recorded text without placeholders matches an equal text
  ///   only.
  static func matches(_ text: String, recorded: String) -> Bool {
    var pattern = recorded
    let pieces = pattern.withUTF8 { bytes in
      var (pieces, start, position) = ([[UInt8]](), 0, 0)
      while position < bytes.count {
        if let end = end(in: bytes, at: position) ?? numberEnd(in: bytes, at: position)
          ?? asterisks(in: bytes, at: position)
        {
          pieces.append(Array(bytes[start..<position]))
          (start, position) = (end, end)
        } else {
          position += 1
        }
      }
      return pieces + [Array(bytes[start...])]
    }
    guard pieces.count > 1, let first = pieces.first, let last = pieces.last else {
      return text == recorded
    }
    let bytes = Array(text.utf8)
    guard bytes.starts(with: first) else { return false }
    var position = first.count
    for piece in pieces.dropFirst().dropLast() {
      guard let end = endOfFirst(piece, in: bytes, from: position + 1) else { return false }
      position = end
    }
    return bytes.count - position > last.count && bytes.suffix(last.count).elementsEqual(last)
  }

  /// Returns the end of the first occurrence of a pattern, by the algorithm of Knuth, Morris and
  /// Pratt.
  private static func endOfFirst(_ pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard start <= bytes.count else { return nil }
    guard !pattern.isEmpty else { return start }
    var borders = Array(repeating: 0, count: pattern.count)
    var length = 0
    for index in pattern.indices.dropFirst() {
      while length > 0, pattern[index] != pattern[length] { length = borders[length - 1] }
      if pattern[index] == pattern[length] { length += 1 }
      borders[index] = length
    }
    length = 0
    for index in start..<bytes.count {
      while length > 0, bytes[index] != pattern[length] { length = borders[length - 1] }
      if bytes[index] == pattern[length] { length += 1 }
      if length == pattern.count { return index + 1 }
    }
    return nil
  }

  /// Returns the parts of a text between its placeholders.
  private static func pieces(of text: String) -> [Substring] {
    var pieces: [Substring] = []
    var start = text.startIndex
    for range in ranges(in: text) {
      pieces.append(text[start..<range.lowerBound])
      start = range.upperBound
    }
    return pieces + [text[start...]]
  }

  // MARK: Bytes

  /// Returns the ranges of the placeholders in bytes, except for a plain `***`.
  private static func byteRanges(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var position = 0
    while position < bytes.count {
      if let end = end(in: bytes, at: position) ?? numberEnd(in: bytes, at: position) {
        ranges.append(position..<end)
        position = end
      } else {
        position += 1
      }
    }
    return ranges
  }

  /// Returns the end of the placeholder that starts at a position, or `nil` if there is none.
  private static func end(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    guard let mark = asterisks(in: bytes, at: start), mark < bytes.count,
      bytes[mark] == UInt8(ascii: "-")
    else { return nil }
    var position = mark + 1
    while position < bytes.count, position - mark <= maximumDigits + 1, isDigit(bytes[position]) {
      position += 1
    }
    let count = position - mark - 1
    guard minimumDigits...maximumDigits ~= count, count.isMultiple(of: 2) else { return nil }
    if position < bytes.count, bytes[position] == UInt8(ascii: "*") { return position + 1 }
    return position < bytes.count && bytes[position].isASCIIAlphanumeric ? nil : position
  }

  /// Returns the end of the placeholder of a number that starts at a position, or `nil` if there is
  /// none.
  private static func numberEnd(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    let end = start + 9
    guard bytes[start] == UInt8(ascii: "9"), end <= bytes.count,
      start == 0 || !isNumberPart(bytes[start - 1]), end == bytes.count || !isNumberPart(bytes[end])
    else { return nil }
    var number = 0
    for byte in bytes[start..<end] {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return isPlaceholder(number) ? end : nil
  }

  private static func isNumberPart(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || ".-_%".utf8.contains(byte)
  }

  /// Returns the position after three asterisks, or `nil` if there are none.
  private static func asterisks(
    in bytes: UnsafeBufferPointer<UInt8>, at start: Int
  ) -> Int? {
    var position = start
    for _ in 0..<3 {
      guard position < bytes.count else { return nil }
      if bytes[position] == UInt8(ascii: "*") {
        position += 1
      } else if ["%2A", "%2a"].contains(where: { bytes[position...].starts(with: $0.utf8) }) {
        position += 3
      } else {
        return nil
      }
    }
    return position
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
  }
}
