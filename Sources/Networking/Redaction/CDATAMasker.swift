/// A masker for XML elements that contain a section of character data:
/// `<password><![CDATA[s3cret]]></password>`.
///
/// The masker makes one pass over the bytes. The content of an element is searched only if its name
/// is secret, and the search then continues after the content. So the time is linear in the length
/// of the text. Elements without character data are unchanged.
///
/// Source: Extensible Markup Language (XML) 1.0, section 2.7.
struct CDATAMasker {
  private struct Element {
    let name: Range<Int>
    /// The position after the start tag.
    let start: Int
  }

  private static let opening: StaticString = "<![CDATA["
  private static let closing: StaticString = "]]>"

  private var scanner: ByteScanner
  private var builder: MaskedTextBuilder
  private var budget = JudgingBudget()

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    scanner = ByteScanner(bytes)
    builder = MaskedTextBuilder(of: bytes)
  }

  /// Masks the secrets in a text.
  ///
  /// A secret without an end tag is masked to the end of the text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - masking: The provider of the replacements. It receives the names of elements.
  ///   - work: The number of bytes read. This method adds its own.
  /// - Returns: The masked text.
  static func masked(
    _ text: String, by masking: Redactor.MaskProvider, counting work: inout Int
  ) -> String {
    guard text.utf8.contains(UInt8(ascii: "<")) else { return text }
    var text = text
    let masked = text.withUTF8 { bytes -> String? in
      guard ByteScanner(bytes).position(of: opening, from: 0) != nil else { return nil }
      var masker = CDATAMasker(bytes)
      masker.mask(from: 0, masking)
      work += masker.scanner.work
      return masker.builder.text
    }
    return masked ?? text
  }

  private mutating func mask(from start: Int, _ masking: Redactor.MaskProvider) {
    var element: Element?
    var position = start
    while true {
      let tag = scanner.first(in: .tag, from: position)
      guard tag < scanner.end else { return }
      if scanner.hasText(Self.opening, at: tag) {
        position = tag + Self.opening.utf8CodeUnitCount
        if let element { position = maskContent(of: element, within: position, masking) }
        element = nil
      } else {
        (element, position) = parseStartTag(at: tag)
      }
    }
  }

  /// Parses a tag.
  ///
  /// Returns the element if it is a start tag, and the next position.
  private mutating func parseStartTag(at tag: Int) -> (Element?, Int) {
    let name = tag + 1..<scanner.end(of: .elementName, from: tag + 1)
    guard !name.isEmpty else { return (nil, name.upperBound) }
    let end = scanner.first(in: .angle, from: name.upperBound)
    guard scanner.byte(at: end) == UInt8(ascii: ">"), scanner.byte(at: end - 1) != UInt8(ascii: "/")
    else { return (nil, end) }
    return (Element(name: name, start: end + 1), end + 1)
  }

  /// Masks the content of an element with character data if it is secret.
  ///
  /// - Returns: The next position: after masked content, or within unmasked content, because it may
  ///   contain elements.
  private mutating func maskContent(
    of element: Element, within position: Int, _ masking: Redactor.MaskProvider
  ) -> Int {
    var end: Int?
    let mask = masking(scanner.text(element.name)) { limit in
      let limit = budget.sampleLength(limit, at: element.start)
      let (content, contentEnd) = content(from: element.start, limit: limit)
      if limit == .max { end = contentEnd } else { budget.add(contentEnd - element.start) }
      return String(decoding: content, as: UTF8.self)
    }
    guard let mask else { return position }
    let contentEnd = end ?? content(from: element.start).1
    builder.replace(element.start..<contentEnd, with: mask)
    return contentEnd
  }

  /// Returns the text and character data before the next tag, and the position of that tag.
  ///
  /// The search stops after a number of bytes.
  private mutating func content(from start: Int, limit: Int = .max) -> ([UInt8], Int) {
    var content: [UInt8] = []
    var position = start
    let whole = scanner.end
    scanner.search(to: TextMasker.end(of: limit, from: start, before: whole))
    defer { scanner.search(to: whole) }
    while position < scanner.end {
      if scanner.bytes[position] != UInt8(ascii: "<") {
        let end = scanner.first(in: .tag, from: position)
        content += scanner.bytes[position..<end]
        position = end
      } else if scanner.hasText(Self.opening, at: position) {
        let start = position + Self.opening.utf8CodeUnitCount
        var end = scanner.first(in: .closingBracket, from: start)
        while end < scanner.end, !scanner.hasText(Self.closing, at: end) {
          end = scanner.first(in: .closingBracket, from: end + 1)
        }
        content += scanner.bytes[start..<end]
        position = min(end + Self.closing.utf8CodeUnitCount, scanner.end)
      } else {
        break
      }
    }
    return (content, position)
  }
}
