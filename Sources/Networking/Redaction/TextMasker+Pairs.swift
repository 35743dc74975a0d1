import Foundation

/// Pairs in free text, such as `{"name": "password", "value": "s3cret"}`, and elements of XML.
///
/// A pair can also be two attributes, as in `<input name="password" value="s3cret">`; an attribute and
/// the text of the element, as in `<param name="password">s3cret</param>`; or two elements, as in
/// `<key>password</key><string>s3cret</string>`.
extension TextMasker {
  /// The limit for the value of a member such as `name`, which may itself be the name of a secret.
  private static let maximumPairNameLength = 32
  /// The limit for the reported part of a value within a masked value.
  private static let maximumNestedLength = 1_024
  /// The limit for the members such as `name` and `type` that name one value.
  static let maximumPairNames = 4

  /// The members of an object that name a value, and the value.
  struct Pair {
    /// The values of the last members such as `name`, until the end of the object.
    var names: [Range<Int>] = []
    /// The start of the last member `value` that no `name` has preceded in its object.
    var value: Int?
    /// The text of the element whose attributes are read.
    var elementText: Range<Int>?
  }

  enum PairRole {
    case name
    case value
  }

  /// Returns the role of a member in a pair such as `{"name": "password", "value": "s3cret"}`.
  static func pairRole(of name: String) -> PairRole? {
    // Fast path: most names are no roles.
    guard 2...9 ~= name.utf8.count, let first = name.utf8.first,
      (first | 0x20).is(.roleStart)
    else { return nil }
    let name = name.lowercased()
    return pairNameRoles.contains(name) ? .name : valueRoles.contains(name) ? .value : nil
  }

  private static let pairNameRoles: [String] = [
    "name", "key", "field", "header", "param", "parameter", "property", "id", "type", "label",
    "attribute",
  ]
  private static let valueRoles: [String] = ["value", "val", "values", "content"]

  /// The names of members that name a value, in the usual cases: `name`, `Name`, `NAME`.
  static let pairNames = pairNameRoles.flatMap { [$0, $0.capitalized, $0.uppercased()] }

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
      if let mask = masking(name, { read(value, named: name, $0) }) {
        return replace(value, named: name, with: mask)
      }
    }
    return nil
  }

  /// Notes the value of a member such as `name`, and masks a preceding member `value`, or the text
  /// of the element, if that name is secret.
  mutating func noteName(_ value: Value, _ masking: Redactor.MaskProvider) {
    let limit =
      value.start + budget.sampleLength(Self.maximumPairNameLength, at: value.start)
    let nameEnd = end(of: value, limit: limit)
    budget.add(nameEnd - value.start)
    guard nameEnd < limit else { return }
    let range = value.start..<max(nameEnd, value.start)
    let name = scanner.text(range)
    guard Self.isPairName(name) else { return }
    if range.upperBound < tagEnd {
      elementName = range
      if let text = pair.elementText, maskText(text, named: [name], masking) {
        pair.elementText = nil
      }
    }
    guard let start = pair.value else {
      if pair.names.count == Self.maximumPairNames { pair.names.removeFirst() }
      return pair.names.append(range)
    }
    guard let paired = self.value(at: start) else { return pair.value = nil }
    if paired.start < maskedPairEnd {
      // Already masked. Without a limit, each such value could be searched to the end of the text.
      let mask = masking(name, { read(paired, named: name, min($0, Self.maximumNestedLength)) })
      if mask != nil { pair.value = nil }
    } else if let mask = masking(name, { read(paired, named: name, $0) }) {
      pair.value = nil
      maskedPairEnd = replace(paired, named: name, with: mask)
    }
  }
}

// MARK: - Elements

extension TextMasker {
  /// Masks the text of an XML element if it is secret.
  ///
  /// The text may have several lines if the end tag of the element follows it.
  ///
  /// - Returns: The next position.
  mutating func maskElement(at tag: Int, _ masking: Redactor.MaskProvider) -> Int {
    let name = tag + 1..<scanner.end(of: .elementName, from: tag + 1)
    guard !name.isEmpty else { return tag + 1 }
    let end = scanner.first(in: .angle, from: name.upperBound)
    guard scanner.byte(at: end) == UInt8(ascii: ">") else { return tag + 1 }
    tagEnd = end
    let element = scanner.text(name.suffix(Self.maximumElementNameLength))
    let isEmpty =
      scanner.byte(at: end - 1) == UInt8(ascii: "/")
      || Self.emptyElements.contains(element, ignoringCase: true)
    let text = isEmpty ? nil : self.text(of: name, from: end + 1)
    let names = names(of: element, text)
    guard let text else { return tag + 1 }
    guard maskText(text, named: names, masking) else {
      pair.elementText = text
      return tag + 1
    }
    maskAttributes(in: name.upperBound..<end, masking)
    return text.upperBound
  }

  /// Masks the text of an element if one of its names is secret.
  ///
  /// - Returns: Whether the text was masked.
  private mutating func maskText(
    _ text: Range<Int>, named names: [String], _ masking: Redactor.MaskProvider
  ) -> Bool {
    for name in names {
      let mask = masking(name) { limit in
        scanner.text(
          text.lowerBound..<Self.end(of: limit, from: text.lowerBound, before: text.upperBound))
      }
      guard let mask else { continue }
      maskedTextEnd = replace(text, with: mask)
      return true
    }
    return false
  }

  /// Finds the text of an element without white space at its ends.
  ///
  /// - Parameters:
  ///   - name: The name of the element.
  ///   - start: The position after the start tag.
  /// - Returns: The text, or `nil` if there is none.
  private mutating func text(of name: Range<Int>, from start: Int) -> Range<Int>? {
    let partEnd = scanner.end
    scanner.search(to: scanner.bytes.count)
    defer { scanner.search(to: partEnd) }
    let textStart = skipSpace(from: start)
    var end = scanner.first(in: .tag, from: textStart)
    if end > partEnd, !isEndTag(of: name, at: end) { end = partEnd }
    while end > textStart, scanner.isByte(at: end - 1, in: .space) { end -= 1 }
    return textStart < end ? textStart..<end : nil
  }

  private func isEndTag(of name: Range<Int>, at position: Int) -> Bool {
    scanner.hasText("</", at: position)
      && scanner.bytes[(position + 2)...].starts(with: scanner.bytes[name])
  }

  /// Returns the names of the text of an element: its own name, and the name that a preceding element
  /// or attribute has given.
  private mutating func names(of name: String, _ text: Range<Int>?) -> [String] {
    let role = Self.pairRole(of: name)
    if role == .value || Self.valueElements.contains(name) {
      return [name] + (elementName.map { [scanner.text($0)] } ?? [])
    }
    elementName = text.flatMap { role == .name && $0.count < Self.maximumPairNameLength ? $0 : nil }
    return [name]
  }

  /// The elements of values in property lists and remote procedure calls.
  private static let valueElements: NameSet = [
    "string", "integer", "real", "data", "date", "int", "i4", "double", "array",
  ]
  /// The elements of HTML that have attributes, but no text.
  ///
  /// Source: HTML Living Standard, section 13.1.2.
  private static let emptyElements: NameSet = ["input", "meta", "img", "br", "hr", "link"]
  /// A longer name is judged by its last bytes.
  private static let maximumElementNameLength = 256

  /// Masks the attributes of an element whose text is masked by the caller.
  private mutating func maskAttributes(in range: Range<Int>, _ masking: Redactor.MaskProvider) {
    let (end, unclosedQuotes) = (scanner.end, self.unclosedQuotes)
    scanner.search(to: range.upperBound)
    mask(from: range.lowerBound, masking)
    scanner.search(to: end)
    self.unclosedQuotes = unclosedQuotes
  }
}

/// A set of names that looks at the length of a name first, because most names are in no set.
private struct NameSet: ExpressibleByArrayLiteral {
  private let names: Set<String>
  private let lengths: ClosedRange<Int>

  init(arrayLiteral names: String...) {
    self.names = Set(names)
    let lengths = names.map(\.utf8.count)
    self.lengths = (lengths.min() ?? 0)...(lengths.max() ?? 0)
  }

  func contains(_ name: String, ignoringCase: Bool = false) -> Bool {
    lengths ~= name.utf8.count && names.contains(ignoringCase ? name.lowercased() : name)
  }
}
