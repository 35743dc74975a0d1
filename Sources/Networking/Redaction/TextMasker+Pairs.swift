/// Pairs of members in free text, such as `{"name": "password", "value": "s3cret"}`.
///
/// The same applies to the attributes of an element, as in `<input name="password" value="s3cret">`,
/// and to an attribute and the text of the element, as in `<param name="password">s3cret</param>`.
extension TextMasker {
  /// The limit for the value of a member such as `name`, which may itself be the name of a secret.
  private static let maximumPairNameLength = 32
  /// The limit for the reported part of a value within a masked value.
  private static let maximumNestedLength = 1_024
  /// The limit for the members such as `name` and `type` that name one value.
  private static let maximumPairNames = 4

  /// The members of an object that name a value, and the value.
  struct Pair {
    /// The values of the last members such as `name`, until the end of the object.
    var names: [Range<Int>] = []
    /// The start of the last member `value` that no `name` has preceded in its object.
    var value: Int?
    /// The start of the text of the element whose attributes are read.
    var elementText: Int?
  }

  enum PairRole {
    case name
    case value
  }

  /// Returns the role of a member in a pair such as `{"name": "password", "value": "s3cret"}`.
  static func pairRole(of name: String) -> PairRole? {
    // Fast path: most names are no roles.
    guard 2...9 ~= name.utf8.count, let first = name.utf8.first,
      "nkfhpvitlac".utf8.contains(first | 0x20)
    else { return nil }
    return switch name.lowercased() {
    case "name", "key", "field", "header", "param", "parameter", "property", "id", "type", "label",
      "attribute":
      .name
    case "value", "val", "values", "content": .value
    default: nil
    }
  }

  /// Returns whether the value of a member such as `label` can be the name of a secret.
  ///
  /// A sentence is not a name.
  static func isPairName(_ text: String) -> Bool {
    text.utf8.count < maximumPairNameLength && text.utf8.count(where: { $0 == 0x20 }) < 2
  }

  /// Masks the value of a member such as `value` if one of the preceding names is secret.
  ///
  /// - Returns: The end of the masked value, or `nil` if the value is kept.
  mutating func maskPaired(_ value: Value, _ masking: Redactor.MaskProvider) -> Int? {
    guard !pair.names.isEmpty else {
      pair.value = Self.opening(of: value)
      return nil
    }
    let names = pair.names.map(scanner.text)
    pair.names = []
    for name in names {
      if let mask = masking(name, { lazyText(of: value, named: name, limit: $0) }) {
        return replace(value.start..<end(of: value, named: name), with: mask)
      }
    }
    return nil
  }

  /// Notes the value of a member such as `name`, and masks a preceding member `value`, or the text
  /// of the element, if that name is secret.
  mutating func noteName(_ value: Value, _ masking: Redactor.MaskProvider) {
    let limit = value.start + Self.maximumPairNameLength
    let nameEnd = end(of: value, limit: limit)
    guard nameEnd < limit else { return }
    let range = value.start..<max(nameEnd, value.start)
    let name = scanner.text(range)
    guard Self.isPairName(name) else { return }
    if let text = pair.elementText, range.upperBound < text {
      maskElementText(from: text, named: name, masking)
    }
    guard let start = pair.value else {
      if pair.names.count == Self.maximumPairNames { pair.names.removeFirst() }
      return pair.names.append(range)
    }
    guard let paired = self.value(at: start) else { return pair.value = nil }
    if paired.start < maskedPairEnd {
      // Already masked. Without a limit, each such value could be searched to the end of the text.
      let mask = masking(name) { limit in
        let length = min(limit, Self.maximumNestedLength)
        return lazyText(of: paired, limit: Self.end(of: length, from: paired.start))
      }
      if mask != nil { pair.value = nil }
    } else if let mask = masking(name, { lazyText(of: paired, named: name, limit: $0) }) {
      pair.value = nil
      maskedPairEnd = replace(paired.start..<end(of: paired, named: name), with: mask)
    }
  }

  /// Masks the text of an element that has an attribute such as `name="password"`.
  private mutating func maskElementText(
    from start: Int, named name: String, _ masking: Redactor.MaskProvider
  ) {
    var copy = scanner
    let mask = masking(name) { limit in
      copy.text(
        start..<copy.first(in: .angle, from: start, limit: Self.end(of: limit, from: start)))
    }
    guard let mask else { return }
    pair.elementText = nil
    _ = replace(start..<scanner.first(in: .angle, from: start), with: mask)
  }
}
