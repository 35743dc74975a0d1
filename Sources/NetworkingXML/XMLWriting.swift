public import Foundation

extension XML {
  /// The layout of a document that is written.
  public enum Layout: Sendable, Hashable {
    /// Without white space that is not in the tree.
    case compact
    /// With each element on a line of its own, indented by two spaces for each level.
    ///
    /// White space is added and removed only between elements, and not in elements that contain
    /// text or have the attribute `xml:space="preserve"`.
    case indented
  }

  /// Returns the element as text, without an XML declaration.
  ///
  /// A document with this text as its only element has an equal tree, except that adjacent text
  /// nodes are joined and empty ones are left out. Carriage returns, and line breaks and tabs in
  /// attributes, are written as references, so that parsers do not change them.
  ///
  /// - Parameter layout: The layout.
  /// - Returns: The text.
  /// - Throws: ``XMLError`` with the code `notRepresentable` or `limitExceeded`.
  ///
  /// Source: Extensible Markup Language (XML) 1.0, sections 2.4, 2.11 and 3.3.3.
  public func text(_ layout: Layout = .compact) throws(XMLError) -> String {
    var writer = XMLWriter(layout)
    try writer.write(self)
    return String(decoding: writer.output, as: UTF8.self)
  }
}

extension XML.Document {
  /// Returns the document as text, with the XML declaration.
  ///
  /// - Parameter layout: The layout.
  /// - Returns: The text.
  /// - Throws: ``XMLError`` as for ``XML/text(_:)``.
  public func text(_ layout: XML.Layout = .compact) throws(XMLError) -> String {
    String(decoding: try bytes(layout), as: UTF8.self)
  }

  /// Returns the document in UTF-8, with the XML declaration.
  ///
  /// - Parameter layout: The layout.
  /// - Returns: The bytes.
  /// - Throws: ``XMLError`` as for ``XML/text(_:)``.
  public func data(_ layout: XML.Layout = .compact) throws(XMLError) -> Data {
    Data(try bytes(layout))
  }

  private func bytes(_ layout: XML.Layout) throws(XMLError) -> [UInt8] {
    var writer = XMLWriter(layout)
    try writer.writeDocument(self)
    return writer.output
  }
}

/// A writer of documents in UTF-8.
struct XMLWriter {
  private(set) var output: [UInt8] = []
  private let layout: XML.Layout
  private var scope = XMLNamespaceScope()
  /// The elements without an end tag, the innermost last.
  private var open: [OpenElement] = []

  /// An element whose start tag has been written.
  private struct OpenElement {
    let name: String
    let scopeMark: Int
    let isIndented: Bool
    /// The nodes that are not written.
    var children: IndexingIterator<[XML.Node]>
    /// Whether no content has been written.
    var isEmpty = true
  }

  init(_ layout: XML.Layout) {
    self.layout = layout
  }

  mutating func writeDocument(_ document: XML.Document) throws(XMLError) {
    write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    for node in document.prolog {
      try writeAroundRoot(node)
      write("\n")
    }
    try write(document.root)
    for node in document.epilog {
      write("\n")
      try writeAroundRoot(node)
    }
    if layout == .indented { write("\n") }
  }

  private mutating func writeAroundRoot(_ node: XML.Node) throws(XMLError) {
    switch node {
    case .comment, .instruction: try write(node)
    case .element, .text, .cdata:
      throw XMLError(
        .notRepresentable, "only comments and processing instructions can be outside of the root")
    }
  }

  // MARK: - Nodes

  mutating func write(_ element: XML) throws(XMLError) {
    try writeStart(of: element)
    // A loop instead of a recursion, because a tree can be deeper than the stack of a thread
    // allows.
    while let last = open.indices.last {
      if let child = open[last].children.next() {
        try writeChild(child, of: last)
      } else {
        writeEnd()
      }
    }
  }

  /// Writes a start tag without its end, and opens the element.
  private mutating func writeStart(of element: XML) throws(XMLError) {
    guard open.count < XML.Limits.maximumDepth else {
      throw XMLError(
        .limitExceeded, "the elements are nested deeper than \(XML.Limits.maximumDepth)")
    }
    let mark = scope.mark
    let names = try scope.open(element)
    write("<")
    write(names.element)
    for namespace in names.declarations {
      write(namespace.prefix.isEmpty ? " xmlns" : " xmlns:\(namespace.prefix)")
      try writeValue(namespace.uri)
    }
    for (name, attribute) in zip(names.attributes, element.attributes) {
      write(" ")
      write(name)
      try writeValue(attribute.value)
    }
    open.append(
      OpenElement(
        name: names.element, scopeMark: mark,
        isIndented: layout == .indented && element.hasOnlyElements,
        children: element.children.makeIterator()))
  }

  private mutating func writeChild(_ child: XML.Node, of parent: Int) throws(XMLError) {
    let isIndented = open[parent].isIndented
    if let string = child.string {
      if isIndented { return }
      if string.isEmpty, case .text = child { return }
    }
    if open[parent].isEmpty { write(">") }
    open[parent].isEmpty = false
    if isIndented { writeLineBreak() }
    try write(child)
  }

  private mutating func writeEnd() {
    let element = open.removeLast()
    if element.isIndented { writeLineBreak() }
    if element.isEmpty {
      write("/>")
    } else {
      write("</")
      write(element.name)
      write(">")
    }
    scope.close(to: element.scopeMark)
  }

  private mutating func write(_ node: XML.Node) throws(XMLError) {
    switch node {
    case .element(let element): try writeStart(of: element)
    case .text(let text): try write(text, escaping: .text)
    case .cdata(let text): try writeCDATA(text)
    case .comment(let text):
      guard !text.utf8.contains(0x0D), !text.contains("--"), !text.hasSuffix("-") else {
        throw XMLError(
          .notRepresentable, "a comment contains \"--\" or a carriage return, or ends with \"-\"")
      }
      write("<!--")
      try write(text, escaping: .none)
      write("-->")
    case .instruction(let target, let text):
      try XMLNameSyntax.check(target)
      guard target.lowercased() != "xml", !text.utf8.contains(0x0D), !text.contains("?>") else {
        throw XMLError(
          .notRepresentable,
          "a processing instruction has the target \"xml\", or contains \"?>\" or a carriage return"
        )
      }
      write("<?")
      write(target)
      if !text.isEmpty { write(" ") }
      try write(text, escaping: .none)
      write("?>")
    }
  }

  /// Writes a CDATA section, or several sections for a text that one cannot contain.
  private mutating func writeCDATA(_ text: String) throws(XMLError) {
    var escaped: [UInt8] = Array("<![CDATA[".utf8)
    var brackets = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: ">"), brackets >= 2 { escaped += "]]><![CDATA[".utf8 }
      brackets = byte == UInt8(ascii: "]") ? brackets + 1 : 0
      // A parser would change the carriage return within the section.
      if byte == 0x0D { escaped += "]]>&#xD;<![CDATA[".utf8 } else { escaped.append(byte) }
    }
    try check(text)
    output += escaped
    write("]]>")
  }

  private mutating func writeLineBreak() {
    output.append(0x0A)
    output.append(contentsOf: repeatElement(0x20, count: 2 * open.count))
  }

  // MARK: - Text

  private enum Escaping {
    case none
    case text
    case attribute
  }

  private mutating func writeValue(_ value: String) throws(XMLError) {
    write("=\"")
    try write(value, escaping: .attribute)
    write("\"")
  }

  private mutating func write(_ text: String) {
    output += text.utf8
  }

  private mutating func write(_ text: String, escaping: Escaping) throws(XMLError) {
    try check(text)
    if escaping == .none { return write(text) }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): write("&amp;")
      case UInt8(ascii: "<"): write("&lt;")
      // Required after `]]` only.
      case UInt8(ascii: ">"): write("&gt;")
      case 0x0D: write("&#xD;")
      case UInt8(ascii: "\"") where escaping == .attribute: write("&quot;")
      case 0x09 where escaping == .attribute: write("&#x9;")
      case 0x0A where escaping == .attribute: write("&#xA;")
      default: output.append(byte)
      }
    }
  }

  /// Refuses text with a character that XML cannot contain, even as a reference.
  private func check(_ text: String) throws(XMLError) {
    var text = text
    let position = text.withUTF8 { XMLGuard.firstNonCharacter(in: UnsafeRawBufferPointer($0)) }
    guard let position else { return }
    let scalar = text.unicodeScalars[text.utf8.index(text.startIndex, offsetBy: position)]
    throw XMLError(
      .notRepresentable,
      "XML cannot contain the character U+\(String(format: "%04X", scalar.value))")
  }
}

extension XML {
  /// Whether the content has elements, comments or processing instructions, and no text except for
  /// white space.
  fileprivate var hasOnlyElements: Bool {
    guard self[attribute: Name("space", in: .xml)] != "preserve" else { return false }
    var hasElements = false
    for child in children {
      switch child {
      case .text(let text):
        guard text.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x09 }) else { return false }
      case .cdata: return false
      case .element, .comment, .instruction: hasElements = true
      }
    }
    return hasElements
  }
}
