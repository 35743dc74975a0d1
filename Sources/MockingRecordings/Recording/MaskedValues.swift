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
      if RecordingPlaceholder.matches(text, recorded: recorded) { return 1 }
      guard let masked = masked.string, masked != text else { return nil }
      return RecordingPlaceholder.matches(recorded, recorded: masked) ? 1 : nil
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
    case .string(let text):
      text.contains(Redactor.mask) || !RecordingPlaceholder.ranges(in: text).isEmpty
    case .int(let number): RecordingPlaceholder.isPlaceholder(number)
    case .array(let values): values.contains { isContained(in: $0) }
    case .dictionary(let members): members.values.contains { isContained(in: $0) }
    case .null, .bool, .decimal, .double: false
    }
  }

  private static func isPlaceholder(_ json: JSON) -> Bool {
    switch json {
    case .string(let text): RecordingPlaceholder.isPlaceholder(text)
    case .int(let number): RecordingPlaceholder.isPlaceholder(number)
    case .null, .bool, .decimal, .double, .array, .dictionary: false
    }
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
