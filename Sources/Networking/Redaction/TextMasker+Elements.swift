/// Elements of XML and HTML in free text.
///
/// The text of a secret element is masked: `<password>s3cret</password>`. So are its texts between
/// comments, character data and other elements: `<password><!-- a -->s3cret</password>`.
///
/// Source: Extensible Markup Language (XML) 1.0, sections 2.5, 2.7 and 3.1.
extension TextMasker {
  /// A secret element whose end tag is searched.
  struct SecretElement {
    /// The name in the tags of the element.
    let tag: Range<Int>
    /// The name of the secret: that of the element, or the value of an attribute such as `name`.
    let name: Range<Int>
    /// The number of elements within it that are open.
    var depth = 0
    /// The texts after tags of other elements within it.
    ///
    /// They are masked at the end tag, because text such as `login <password> <host> [options]` has
    /// no end tag.
    var texts: [Range<Int>] = []
  }

  /// Masks the text of an XML element if it is secret.
  ///
  /// The text may have several lines if the end tag of the element follows it.
  ///
  /// - Returns: The next position.
  mutating func maskElement(at tag: Int, _ masking: Redactor.MaskProvider) -> Int {
    let name = tag + 1..<scanner.end(of: .elementName, from: tag + 1)
    guard !name.isEmpty else {
      return secretElement == nil ? tag + 1 : maskMarkup(at: tag, masking)
    }
    let end = scanner.first(in: .angle, from: name.upperBound)
    guard scanner.byte(at: end) == UInt8(ascii: ">") else { return tag + 1 }
    tagEnd = end
    let element = scanner.text(name.suffix(Self.maximumElementNameLength))
    let isEmpty =
      scanner.byte(at: end - 1) == UInt8(ascii: "/")
      || Self.emptyElements.contains(element, ignoringCase: true)
    let text = isEmpty ? nil : self.text(from: end + 1, of: name)
    let names = names(of: element, text)
    openTag = isEmpty ? nil : name
    if secretElement != nil {
      if !isEmpty { secretElement?.depth += 1 }
      noteText(after: end + 1)
    } else if !isEmpty, !isEndTag(of: name, at: text?.upperBound ?? end + 1),
      isSecretElement(element)
    {
      secretElement = SecretElement(tag: name, name: name)
    }
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
  mutating func maskText(
    _ text: Range<Int>, named names: [String], _ masking: Redactor.MaskProvider
  ) -> Bool {
    for name in names {
      let mask = masking(name) { limit in
        scanner.text(
          text.lowerBound..<Self.end(of: limit, from: text.lowerBound, before: text.upperBound))
      }
      guard let mask else { continue }
      maskedTextEnd = max(maskedTextEnd, replace(text, with: mask))
      return true
    }
    return false
  }

  /// Notes that an attribute of the last start tag names a secret, whose value may be the text of
  /// an element within it: `<Field Name="password"><V>s3cret</V></Field>`.
  mutating func noteSecretElement(named name: Range<Int>, by attribute: String) {
    // In HTML, other attributes name elements with any content.
    guard let openTag, secretElement == nil,
      !["id", "type", "label"].contains(attribute.lowercased()),
      isSecretElement(scanner.text(name))
    else { return }
    secretElement = SecretElement(tag: openTag, name: name)
  }

  /// Returns whether all texts within the elements of an element are secret.
  private func isSecretElement(_ name: String) -> Bool {
    [.strong, .cookies].contains(names.sensitivity(of: name))
  }

  /// Reads an end tag, a comment, character data or another declaration within a secret element,
  /// and masks the text after a comment.
  ///
  /// - Returns: The next position.
  private mutating func maskMarkup(at tag: Int, _ masking: Redactor.MaskProvider) -> Int {
    // Not the element, whose list of texts would be copied by the next addition.
    guard let element = secretElement.map({ (tag: $0.tag, name: $0.name, depth: $0.depth) }) else {
      return tag + 1
    }
    let name = scanner.text(element.name)
    // The texts of the elements within `cookies` are the values of cookies.
    let innerName = names.sensitivity(of: name) == .cookies ? "cookie" : name
    if scanner.hasText("</", at: tag) {
      if element.depth == 0 {
        let texts = secretElement?.texts ?? []
        secretElement = nil
        guard isEndTag(of: element.tag, at: tag) else { return tag + 1 }
        for text in texts { _ = maskText(text, named: [innerName], masking) }
        return tag + 1
      }
      secretElement?.depth -= 1
    }
    if let content = characterData(at: tag) {
      let name = element.depth == 0 ? name : innerName
      return maskText(content, named: [name], masking) ? content.upperBound : tag + 1
    }
    let end = scanner.first(in: .angle, from: tag + 1)
    guard scanner.byte(at: end) == UInt8(ascii: ">") else { return tag + 1 }
    if !scanner.hasText("<!", at: tag) || element.depth > 0 {
      noteText(after: end + 1)
    } else if let text = text(from: end + 1, of: element.tag),
      maskText(text, named: [name], masking)
    {
      return text.upperBound
    }
    return tag + 1
  }

  /// Notes the text after a tag within a secret element.
  private mutating func noteText(after tag: Int) {
    guard let name = secretElement?.tag, let text = text(from: tag, of: name) else { return }
    secretElement?.texts.append(text)
  }

  /// Returns the content of a section of character data at a position, or `nil` if there is none.
  private mutating func characterData(at tag: Int) -> Range<Int>? {
    guard scanner.hasText("<![CDATA[", at: tag) else { return nil }
    let partEnd = scanner.end
    scanner.search(to: scanner.bytes.count)
    defer { scanner.search(to: partEnd) }
    var end = scanner.first(in: .closingBracket, from: tag + 9)
    while end < scanner.end, !scanner.hasText("]]>", at: end) {
      end = scanner.first(in: .closingBracket, from: end + 1)
    }
    return tag + 9 < end ? tag + 9..<end : nil
  }

  /// Finds the text of an element without white space at its ends.
  ///
  /// - Parameters:
  ///   - start: The position after a tag.
  ///   - name: The name of the element.
  /// - Returns: The text, or `nil` if there is none.
  private mutating func text(from start: Int, of name: Range<Int>) -> Range<Int>? {
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
    if role == .value || role == .content || Self.valueElements.contains(name) {
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
