import Networking

/// A comparison of recorded values, which may be masked, with those of a request.
enum MaskedValues {
  /// Returns the number of masked values in which a recorded value and that of a request differ.
  ///
  /// - Parameters:
  ///   - recorded: The recorded value. Each placeholder in it matches any text.
  ///   - value: The value of the request.
  ///   - masked: The masked value of the request. A value that masking has changed is a secret, and
  ///     matches any recorded secret.
  /// - Returns: The number, or `nil` if the values do not match.
  static func count(in recorded: JSON, matching value: JSON, masked: JSON) -> Int? {
    if recorded == value { return 0 }
    if isPlaceholder(recorded) || isPlaceholder(masked) { return 1 }
    switch (recorded, value) {
    case (.string(let recorded), .string(let text)):
      if Placeholder.matches(pattern: recorded, text) { return 1 }
      guard let masked = masked.string, masked != text else { return nil }
      return Placeholder.matches(pattern: masked, recorded) ? 1 : nil
    case (.array(let recorded), .array(let values)):
      let hasMasked = masked.array?.count == values.count
      guard recorded.count == values.count else { return nil }
      return sum(recorded.indices) { index in
        count(
          in: recorded[index], matching: values[index],
          masked: hasMasked ? masked[index] : values[index])
      }
    case (.dictionary(let recorded), .dictionary(let members)):
      guard recorded.count == members.count else { return nil }
      return sum(recorded) { name, value in
        guard let member = members[name] else { return nil }
        return count(in: value, matching: member, masked: masked.dictionary?[name] ?? member)
      }
    case (.array, _), (.dictionary, _), (_, .array), (_, .dictionary): return nil
    default:
      // A masked number remains a number.
      return masked == value ? nil : 1
    }
  }

  /// Returns whether a value contains a placeholder.
  static func isContained(in json: JSON) -> Bool {
    switch json {
    case .string(let text): Placeholder.isContained(in: text)
    case .array(let values): values.contains { isContained(in: $0) }
    case .dictionary(let members): members.values.contains { isContained(in: $0) }
    case .null, .bool, .int, .decimal, .double: false
    }
  }

  private static func isPlaceholder(_ json: JSON) -> Bool {
    guard let text = json.string, text.hasPrefix(Redactor.mask) else { return false }
    return Placeholder.end(at: 0, in: Array(text.utf8)) == text.utf8.count
  }

  private static func sum<Values: Sequence>(
    _ values: Values, _ count: (Values.Element) -> Int?
  ) -> Int? {
    var sum = 0
    for value in values {
      guard let next = count(value) else { return nil }
      sum += next
    }
    return sum
  }
}

/// The placeholders of masked values in a recording, such as `***` and `***-3f2a9c`.
enum Placeholder {
  /// Returns the end of a placeholder that begins at a position, or `nil` if there is none.
  static func end(at position: Int, in bytes: [UInt8]) -> Int? {
    let mask = Array(Redactor.mask.utf8)
    guard bytes[position...].starts(with: mask) else { return nil }
    let end = position + mask.count
    guard end < bytes.count, bytes[end] == UInt8(ascii: "-") else { return end }
    let digits = bytes[(end + 1)...].prefix {
      (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
    }
    return digits.isEmpty ? end : digits.endIndex
  }

  /// Returns whether a text contains a placeholder.
  static func isContained(in text: String) -> Bool { text.contains(Redactor.mask) }

  /// Returns whether a text is equal to a pattern in which each placeholder matches any text.
  ///
  /// The time is linear. A pattern without a placeholder does not match.
  static func matches(pattern: String, _ text: String) -> Bool {
    guard isContained(in: pattern) else { return false }
    let bytes = Array(pattern.utf8)
    var (fragments, start, position) = ([ArraySlice<UInt8>](), 0, 0)
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "*"), let end = end(at: position, in: bytes) {
        fragments.append(bytes[start..<position])
        (start, position) = (end, end)
      } else {
        position += 1
      }
    }
    let last = bytes[start...]
    guard let first = fragments.first else { return false }
    var rest = ArraySlice(Array(text.utf8))
    guard rest.starts(with: first) else { return false }
    rest = rest.dropFirst(first.count)
    for fragment in fragments.dropFirst() where !fragment.isEmpty {
      guard let end = endOfMatch(of: Array(fragment), in: rest) else { return false }
      rest = rest[end...]
    }
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }

  /// Returns the end of the first match of a pattern, by the algorithm of Knuth, Morris and Pratt.
  private static func endOfMatch(of pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    var borders = Array(repeating: 0, count: pattern.count)
    var length = 0
    for index in pattern.indices.dropFirst() {
      while length > 0, pattern[index] != pattern[length] { length = borders[length - 1] }
      if pattern[index] == pattern[length] { length += 1 }
      borders[index] = length
    }
    length = 0
    for index in bytes.indices {
      while length > 0, bytes[index] != pattern[length] { length = borders[length - 1] }
      if bytes[index] == pattern[length] { length += 1 }
      if length == pattern.count { return index + 1 }
    }
    return nil
  }
}
