/// A masker for XML elements that contain a section of character data:
/// `<password><![CDATA[s3cret]]></password>`.
///
/// The masker makes one pass over the bytes. The content of an element is searched again for each
/// element within it, so the nesting is limited to keep the time linear. Elements without character
/// data are unchanged.
///
/// Source: Extensible Markup Language (XML) 1.0, section 2.7.
struct CDATAMasker {
  private struct Element {
    let name: Range<Int>
    /// The position after the start tag.
    let start: Int
  }

  private static let opening = Array("<![CDATA[".utf8)
  private static let closing = Array("]]>".utf8)

  private let bytes: UnsafeBufferPointer<UInt8>
  /// The end positions of the enclosing contents that are not masked, outermost first.
  private var openEnds: [Int] = []
  private var builder: MaskedTextBuilder

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    builder = MaskedTextBuilder(of: bytes)
  }

  /// Masks the secrets in a text.
  ///
  /// A secret without an end tag is masked to the end of the text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - masking: The provider of the replacements. It receives the names of elements.
  /// - Returns: The masked text.
  static func masked(_ text: String, by masking: Redactor.MaskProvider) -> String {
    guard text.utf8.contains(UInt8(ascii: "<")), text.contains("<![CDATA[") else { return text }
    var text = text
    let masked = text.withUTF8 { bytes in
      var masker = CDATAMasker(bytes)
      return masker.masked(by: masking)
    }
    return masked ?? text
  }

  /// Returns the masked text, or `nil` if there is nothing to mask.
  private mutating func masked(by masking: Redactor.MaskProvider) -> String? {
    var element: Element?
    var position = 0
    while let tag = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
      if bytes[tag...].starts(with: Self.opening) {
        position = tag + Self.opening.count
        if let element { position = maskContent(of: element, within: position, masking) }
        element = nil
      } else {
        (element, position) = parseStartTag(at: tag)
      }
    }
    return builder.text
  }

  /// Parses a tag.
  ///
  /// Returns the element if it is a start tag, and the next position.
  private func parseStartTag(at tag: Int) -> (Element?, Int) {
    let name = tag + 1..<(bytes[(tag + 1)...].firstIndex { !Self.isInName($0) } ?? bytes.count)
    guard !name.isEmpty,
      let end = bytes[name.upperBound...].firstIndex(where: { "<>".utf8.contains($0) }),
      bytes[end] == UInt8(ascii: ">"), bytes[end - 1] != UInt8(ascii: "/")
    else { return (nil, name.upperBound) }
    return (Element(name: name, start: end + 1), end + 1)
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte >= 0x80 || "_:.-".utf8.contains(byte)
  }

  /// Masks the content of an element with character data if it is secret.
  ///
  /// - Returns: The next position: after masked content, or within unmasked content, because it may
  ///   contain elements.
  private mutating func maskContent(
    of element: Element, within position: Int, _ masking: Redactor.MaskProvider
  ) -> Int {
    while let end = openEnds.last, end <= element.start { openEnds.removeLast() }
    let (content, end) = content(from: element.start)
    let name = String(decoding: bytes[element.name], as: UTF8.self)
    // Deeper content is masked as a whole.
    let mask =
      openEnds.count < 8 ? masking(name, String(decoding: content, as: UTF8.self)) : Redactor.mask
    guard let mask else {
      openEnds.append(end)
      return position
    }
    builder.replace(element.start..<end, with: mask)
    return end
  }

  /// Returns the text and character data before the next tag, and the position of that tag.
  private func content(from start: Int) -> ([UInt8], Int) {
    var content: [UInt8] = []
    var position = start
    while position < bytes.count {
      if bytes[position] != UInt8(ascii: "<") {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        content += bytes[position..<end]
        position = end
      } else if bytes[position...].starts(with: Self.opening) {
        let start = position + Self.opening.count
        let end = bytes[start...].indices.first { bytes[$0...].starts(with: Self.closing) }
        content += bytes[start..<(end ?? bytes.count)]
        position = end.map { $0 + Self.closing.count } ?? bytes.count
      } else {
        break
      }
    }
    return (content, position)
  }
}
