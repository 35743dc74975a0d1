/// Masks elements of telling names in XML whose content is, in part or whole, a section of character data:
/// `<password><![CDATA[…]]></password>`.
///
/// It is one way through the bytes; a content that holds others is looked at once for each, up to a limit. Other
/// elements are left as they are.
///
/// Source: Extensible Markup Language (XML) 1.0, section 2.7.
struct CDATAMasker {
  private struct Element {
    let name: Range<Int>
    /// Where its content begins.
    let start: Int
  }

  private static let opening = Array("<![CDATA[".utf8)
  private static let closing = Array("]]>".utf8)

  private let bytes: UnsafeBufferPointer<UInt8>
  /// Where the contents end that are being looked into.
  private var openEnds: [Int] = []
  private var copy: MaskedTextBuilder

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    copy = MaskedTextBuilder(of: bytes)
  }

  /// A text with its secrets masked; one that is cut off in the midst of a secret has none of that.
  static func masked(_ text: String, by masking: Redaction.MaskProvider) -> String {
    guard text.utf8.contains(UInt8(ascii: "<")), text.contains("<![CDATA[") else { return text }
    var text = text
    let masked = text.withUTF8 { bytes in
      var data = CDATAMasker(bytes)
      return data.masked(by: masking)
    }
    return masked ?? text
  }

  /// Nil when there is nothing to mask.
  private mutating func masked(by masking: Redaction.MaskProvider) -> String? {
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
    return copy.text
  }

  /// The element that a tag begins, and where to go on.
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

  /// Looks at an element with character data in it.
  ///
  /// - Returns: where to go on: behind the content when it has been masked, or within it, as others may be there.
  private mutating func maskContent(
    of element: Element, within position: Int, _ masking: Redaction.MaskProvider
  ) -> Int {
    while let end = openEnds.last, end <= element.start { openEnds.removeLast() }
    let (content, end) = content(from: element.start)
    let name = String(decoding: bytes[element.name], as: UTF8.self)
    // Nobody nests so deep who means well.
    let mask =
      openEnds.count < 8 ? masking(name, String(decoding: content, as: UTF8.self)) : Redaction.mask
    guard let mask else {
      openEnds.append(end)
      return position
    }
    copy.replace(element.start..<end, with: mask)
    return end
  }

  /// Words and character data up to the next tag, and where that is.
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
