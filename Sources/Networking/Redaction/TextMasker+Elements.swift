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
    let name: String
    /// The name of the texts of the elements within it.
    let innerName: String
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
  mutating func maskElement(at tag: Int) -> Int {
    let name = tag + 1..<scanner.end(of: .elementName, from: tag + 1)
    if name.isEmpty { return maskMarkup(at: tag) ?? tag + 1 }
    let end = scanner.first(in: .angle, from: name.upperBound)
    guard scanner.has(">", at: end) else { return tag + 1 }
    tagEnd = end
    let element = scanner.text(name.suffix(Self.maximumNameLength))
    let isEmpty = scanner.has("/", at: end - 1) || Self.isMember(element, of: Self.emptyElements)
    let text = isEmpty ? nil : self.text(from: end + 1, of: name)
    let names = names(of: element, text)
    openTag = isEmpty ? nil : name
    if secretElement != nil {
      if !isEmpty { secretElement?.depth += 1 }
      noteText(after: end + 1)
    } else if !isEmpty, !isEndTag(of: name, at: text?.upperBound ?? end + 1) {
      noteSecretElement(name, named: element)
    }
    pair.elementText = text
    guard let text, names.contains(where: { maskText(text, named: $0) }) else { return tag + 1 }
    // The attributes are searched, too.
    (pair.elementText, maskedText) = (nil, text)
    return name.upperBound
  }

  /// Masks the text of an element if its name is secret.
  ///
  /// - Returns: Whether the text was masked.
  mutating func maskText(_ text: Range<Int>, named name: String) -> Bool {
    guard let mask = masking(name, { scanner.text(text.prefix($0)) }) else { return false }
    maskedTextEnd = max(maskedTextEnd, builder.replace(text, with: mask))
    return true
  }

  /// Notes that an attribute of the last start tag names a secret, whose value may be the text of
  /// an element within it: `<Field Name="password"><V>s3cret</V></Field>`.
  mutating func noteSecretElement(named name: String, by attribute: String) {
    // In HTML, other attributes name elements with any content.
    guard let openTag, secretElement == nil,
      !["id", "type", "label"].contains(attribute.lowercased())
    else { return }
    noteSecretElement(openTag, named: name)
  }

  /// Notes that an element starts, if all texts within its elements are secret.
  private mutating func noteSecretElement(_ tag: Range<Int>, named name: String) {
    let sensitivity = names.sensitivity(of: name)
    guard sensitivity == .strong || sensitivity == .cookies else { return }
    // The texts of the elements within `cookies` are the values of cookies.
    secretElement = SecretElement(
      tag: tag, name: name, innerName: sensitivity == .cookies ? "cookie" : name)
  }

  /// Reads an end tag, a comment, character data or another declaration within a secret element,
  /// and masks the text after a comment.
  ///
  /// - Returns: The next position, or `nil` if nothing was masked.
  private mutating func maskMarkup(at tag: Int) -> Int? {
    // Not the element, whose list of texts would be copied by the next addition.
    guard
      let (element, name, inner, depth) = secretElement.map({
        ($0.tag, $0.name, $0.innerName, $0.depth)
      })
    else { return nil }
    if scanner.has("</", at: tag) {
      if depth == 0 {
        let texts = secretElement?.texts ?? []
        secretElement = nil
        guard isEndTag(of: element, at: tag) else { return nil }
        for text in texts { _ = maskText(text, named: inner) }
        return nil
      }
      secretElement?.depth -= 1
    }
    if scanner.has("<![CDATA[", at: tag) {
      let content = withWholeText {
        tag + 9..<$0.scanner.range(of: "]]>", .closingBracket, from: tag + 9).lowerBound
      }
      if !content.isEmpty {
        return maskText(content, named: depth == 0 ? name : inner) ? content.upperBound : nil
      }
    }
    let end = scanner.first(in: .angle, from: tag + 1)
    guard scanner.has(">", at: end) else { return nil }
    if !scanner.has("<!", at: tag) || depth > 0 {
      noteText(after: end + 1)
    } else if let text = text(from: end + 1, of: element), maskText(text, named: name) {
      return text.upperBound
    }
    return nil
  }

  /// Notes the text after a tag within a secret element.
  private mutating func noteText(after tag: Int) {
    guard let name = secretElement?.tag, let text = text(from: tag, of: name) else { return }
    secretElement?.texts.append(text)
  }

  /// Searches beyond the end of the part.
  private mutating func withWholeText<Result>(_ search: (inout TextMasker) -> Result) -> Result {
    let partEnd = scanner.end
    scanner.end = scanner.bytes.count
    defer { scanner.end = partEnd }
    return search(&self)
  }

  /// Finds the text of an element without white space at its ends.
  ///
  /// - Parameters:
  ///   - start: The position after a tag.
  ///   - name: The name of the element.
  /// - Returns: The text, or `nil` if there is none.
  private mutating func text(from start: Int, of name: Range<Int>) -> Range<Int>? {
    let partEnd = scanner.end
    return withWholeText {
      let text = $0.scanner.end(of: .space, from: start)
      var end = $0.scanner.first(in: .tag, from: text)
      if end > partEnd, !$0.isEndTag(of: name, at: end) { end = partEnd }
      end = $0.scanner.start(of: .space, before: end, limit: text)
      return text < end ? text..<end : nil
    }
  }

  private func isEndTag(of name: Range<Int>, at position: Int) -> Bool {
    scanner.bytes.has("</", at: position)
      && scanner.bytes[(position + 2)...].starts(with: scanner.bytes[name])
  }

  /// Returns the names of the text of an element: its own name, and the name that a preceding element
  /// or attribute has given.
  private mutating func names(of name: String, _ text: Range<Int>?) -> [String] {
    let role = Self.pairRole(of: name)
    if role == .value || role == .content || Self.isMember(name, of: Self.valueElements) {
      return [name] + (elementName.map { [scanner.text($0)] } ?? [])
    }
    elementName = text.flatMap { role == .name && $0.count < Self.maximumPairNameLength ? $0 : nil }
    return [name]
  }

  /// Returns whether a name is in a set of short names in lower case.
  private static func isMember(_ name: String, of names: Set<String>) -> Bool {
    2...7 ~= name.utf8.count && names.contains(name.lowercased())
  }

  /// The elements of values in property lists and remote procedure calls.
  private static let valueElements: Set<String> = [
    "string", "integer", "real", "data", "date", "int", "i4", "double", "array",
  ]
  /// The elements of HTML that have attributes, but no text.
  ///
  /// Source: HTML Living Standard, section 13.1.2.
  private static let emptyElements: Set<String> = ["input", "meta", "img", "br", "hr", "link"]
}

// MARK: - Character data

extension TextMasker {
  /// Masks the content of secret elements with a section of character data:
  /// `<password><![CDATA[s3cret]]></password>`.
  ///
  /// The content of an element is searched only if its name is secret, and the search then continues
  /// after the content. A secret without an end tag is masked to the end of the text.
  ///
  /// Source: Extensible Markup Language (XML) 1.0, section 2.7.
  mutating func maskCharacterData() {
    // Fast path: most texts have no character data.
    guard scanner.range(of: "<![CDATA[", .tag, from: 0).lowerBound < scanner.end else { return }
    var element: (name: Range<Int>, start: Int)?
    var position = 0
    while true {
      let tag = scanner.first(in: .tag, from: position)
      guard tag < scanner.end else { return }
      if scanner.has("<![CDATA[", at: tag) {
        position = element.flatMap { maskContent(from: $0.start, named: $0.name) } ?? tag + 9
        element = nil
      } else {
        let name = tag + 1..<scanner.end(of: .elementName, from: tag + 1)
        position = name.isEmpty ? tag + 1 : scanner.first(in: .angle, from: name.upperBound)
        let isStart =
          !name.isEmpty && scanner.has(">", at: position) && !scanner.has("/", at: position - 1)
        element = isStart ? (name, position + 1) : nil
      }
    }
  }

  /// Masks the content of an element with character data if it is secret, and returns its end.
  private mutating func maskContent(from start: Int, named name: Range<Int>) -> Int? {
    let mask = masking(scanner.text(name)) { limit in
      let limit = budget.sampleLength(limit, at: start)
      let (text, end) = content(from: start, limit: limit)
      if limit != .max { budget.add(end - start) }
      return text
    }
    return mask.map { builder.replace(start..<content(from: start, limit: .max).end, with: $0) }
  }

  /// Returns the text and character data before the next tag, and the position of that tag.
  ///
  /// The search stops after a number of bytes.
  private mutating func content(from start: Int, limit: Int) -> (text: String, end: Int) {
    let textEnd = scanner.end
    scanner.end = (start..<textEnd).prefix(limit).upperBound
    defer { scanner.end = textEnd }
    var (content, position) = ([UInt8](), start)
    while position < scanner.end {
      var part = position..<position
      if scanner.has("<![CDATA[", at: position) {
        let end = scanner.range(of: "]]>", .closingBracket, from: position + 9)
        (part, position) = (position + 9..<end.lowerBound, end.upperBound)
      } else if scanner.has("<", at: position) {
        break
      } else {
        part = position..<scanner.first(in: .tag, from: position)
        position = part.upperBound
      }
      content += scanner.bytes[part]
    }
    return (String(decoding: content, as: UTF8.self), position)
  }
}
