import CCatenaXML
public import Foundation

extension XML.Document {
  /// Parses a document.
  ///
  /// The parser is libxml2. It reads neither files nor the network. A document with a document type
  /// declaration is refused before it is parsed, so the only entities are the five of XML itself and
  /// references to characters. A prefix without a declaration is an error.
  ///
  /// Line ends and white space in attributes are normalized as XML requires. Adjacent CDATA sections
  /// are joined. The time is linear in the size of the document.
  ///
  /// - Parameters:
  ///   - data: The document.
  ///   - charset: The charset of its media type, which overrides the encoding declaration. A byte
  ///     order mark overrides both. `nil` if there is none.
  ///   - limits: The limits for the document.
  /// - Throws: ``XMLError`` with the line and column if they are known.
  ///
  /// Source: Extensible Markup Language (XML) 1.0; Namespaces in XML 1.0; RFC 7303 section 3.
  public init(
    parsing data: Data, charset: String? = nil, limits: XML.Limits = .standard
  ) throws(XMLError) {
    guard !data.isEmpty else { throw XMLError(.notWellFormed, "the document is empty") }
    let largest = min(limits.bytes, Int(Int32.max) - 1)
    let tooLarge = XMLError(.limitExceeded, "the document has more than \(largest) bytes")
    guard data.count <= largest else { throw tooLarge }
    let text = XMLEncoding.withNormalizedLineEnds(try XMLEncoding.utf8(data, charset: charset))
    guard !text.isEmpty else { throw XMLError(.notWellFormed, "the document is empty") }
    guard text.count <= largest else { throw tooLarge }
    let builder = XMLTreeBuilder(limits)
    do {
      try text.withUnsafeBytes { bytes in
        try XMLGuard.check(bytes, limits)
        try builder.parse(bytes)
      }
    } catch let error as XMLError {
      throw error
    } catch {
      throw XMLError(.parserFailed, "the parser has failed")
    }
    guard let root = builder.root else {
      throw XMLError(.notWellFormed, "the document has no root element")
    }
    self.init(root, prolog: builder.prolog, epilog: builder.epilog)
  }

  /// Parses a document from text.
  ///
  /// An encoding declaration in the text is ignored.
  ///
  /// - Parameters:
  ///   - text: The document.
  ///   - limits: The limits for the document.
  /// - Throws: ``XMLError`` with the line and column if they are known.
  public init(parsing text: String, limits: XML.Limits = .standard) throws(XMLError) {
    try self.init(parsing: Data(text.utf8), charset: "utf-8", limits: limits)
  }
}

/// A builder of the tree from the parts of a document that libxml2 reports.
///
/// It is used by one thread, while the parser runs.
private final class XMLTreeBuilder {
  private(set) var prolog: [XML.Node] = []
  private(set) var root: XML?
  private(set) var epilog: [XML.Node] = []

  private let limits: XML.Limits
  /// The open elements, from the root.
  private var open: [XML] = []
  private var namespaceCount = 0
  private var nodeCount = 0
  private var pending: [UInt8] = []
  private var pendingIsCDATA = false
  private var error: XMLError?
  /// The texts of libxml2's dictionary, so that equal names share their storage.
  private var texts: [UnsafePointer<CChar>: String] = [:]

  init(_ limits: XML.Limits) {
    self.limits = limits
  }

  func parse(_ bytes: UnsafeRawBufferPointer) throws(XMLError) {
    Self.prepareLibrary
    var handler = Self.handler
    let isComplete = catena_xml_parse(
      bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), &handler,
      Unmanaged.passUnretained(self).toOpaque())
    if let error { throw error }
    guard isComplete else { throw XMLError(.parserFailed, "libxml2 has failed") }
  }

  private static let prepareLibrary: Void = catena_xml_initialize()

  private static let handler = CatenaXMLHandler(
    start: { context, name, prefix, uri, namespaceCount, namespaces, attributeCount, attributes in
      with(context) { builder in
        builder.start(
          name, prefix, uri,
          UnsafeBufferPointer(start: namespaces, count: 2 * Int(namespaceCount)),
          UnsafeBufferPointer(start: attributes, count: 5 * Int(attributeCount)))
      }
    },
    end: { context in with(context) { $0.end() } },
    text: { context, text, count in
      with(context) { $0.append(text, Int(count), isCDATA: false) }
    },
    cdata: { context, text, count in
      with(context) { $0.append(text, Int(count), isCDATA: true) }
    },
    comment: { context, text in with(context) { $0.add(.comment(copy(text))) } },
    instruction: { context, target, text in
      with(context) { $0.add(.instruction(target: copy(target), text: copy(text))) }
    },
    error: { context, message, line, column in
      _ = with(context) { $0.fail(copy(message), Int(line), Int(column)) }
    })

  private static func with(
    _ context: UnsafeMutableRawPointer?, _ body: (XMLTreeBuilder) -> Bool
  ) -> Bool {
    guard let context else { return false }
    return body(Unmanaged<XMLTreeBuilder>.fromOpaque(context).takeUnretainedValue())
  }

  private static func copy(_ text: UnsafePointer<CChar>?) -> String {
    text.map { String(cString: $0) } ?? ""
  }
}

extension XMLTreeBuilder {
  private typealias Texts = UnsafeBufferPointer<UnsafePointer<CChar>?>

  private func start(
    _ name: UnsafePointer<CChar>?, _ prefix: UnsafePointer<CChar>?, _ uri: UnsafePointer<CChar>?,
    _ namespaces: Texts, _ attributes: Texts
  ) -> Bool {
    namespaceCount += namespaces.count / 2
    guard flush(), count(1 + attributes.count / 5 + namespaces.count / 2),
      check(
        open.count < min(limits.depth, XML.Limits.maximumDepth),
        limits.depth > XML.Limits.maximumDepth
          ? "the elements are nested deeper than \(XML.Limits.maximumDepth), the maximum of all limits"
          : "the elements are nested deeper than \(limits.depth)"),
      check(
        namespaceCount <= limits.attributes,
        "more than \(limits.attributes) namespaces are declared for an element")
    else { return false }
    var element = XML(self.name(name, prefix, uri))
    for index in stride(from: 0, to: namespaces.count, by: 2) {
      element.namespaces.append(
        XML.Namespace(text(namespaces[index + 1]), prefix: text(namespaces[index])))
    }
    for index in stride(from: 0, to: attributes.count, by: 5) {
      guard let name = attributes[index], let start = attributes[index + 3],
        let end = attributes[index + 4]
      else { continue }
      let value = UnsafeRawBufferPointer(start: start, count: end - start)
      element.attributes.append(
        XML.Attribute(
          self.name(name, attributes[index + 1], attributes[index + 2]),
          String(decoding: value, as: UTF8.self)))
    }
    open.append(element)
    return true
  }

  private func end() -> Bool {
    guard flush(), let element = open.popLast() else { return false }
    namespaceCount -= element.namespaces.count
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].children.append(.element(element))
    }
    return true
  }

  private func append(_ bytes: UnsafePointer<CChar>?, _ count: Int, isCDATA: Bool) -> Bool {
    guard !open.isEmpty else { return true }
    if pendingIsCDATA != isCDATA {
      guard flush() else { return false }
      pendingIsCDATA = isCDATA
    }
    pending.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
    return true
  }

  private func add(_ node: XML.Node) -> Bool {
    guard flush(), count(1) else { return false }
    if !open.isEmpty {
      open[open.count - 1].children.append(node)
    } else if root == nil {
      prolog.append(node)
    } else {
      epilog.append(node)
    }
    return true
  }

  private func fail(_ message: String, _ line: Int, _ column: Int) -> Bool {
    let message = String(message.unicodeScalars.prefix(200))
      .trimmingCharacters(in: .whitespacesAndNewlines)
    error = error ?? XMLError(.notWellFormed, message, line: line, column: max(column, 1))
    return false
  }

  /// Adds the text since the last tag.
  private func flush() -> Bool {
    guard !pending.isEmpty else { return true }
    let text = String(decoding: pending, as: UTF8.self)
    pending.removeAll(keepingCapacity: pending.capacity < 65_536)
    open[open.count - 1].children.append(pendingIsCDATA ? .cdata(text) : .text(text))
    return count(1)
  }

  private func count(_ nodes: Int) -> Bool {
    nodeCount += nodes
    return check(nodeCount <= limits.nodes, "the document has more than \(limits.nodes) nodes")
  }

  private func check(_ isWithinLimit: Bool, _ reason: @autoclosure () -> String) -> Bool {
    if !isWithinLimit, error == nil { error = XMLError(.limitExceeded, reason()) }
    return isWithinLimit
  }

  private func name(
    _ name: UnsafePointer<CChar>?, _ prefix: UnsafePointer<CChar>?, _ uri: UnsafePointer<CChar>?
  ) -> XML.Name {
    XML.Name(text(name), in: uri.map { XML.Namespace(text($0), prefix: text(prefix)) })
  }

  private func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer else { return "" }
    if let text = texts[pointer] { return text }
    let text = String(cString: pointer)
    texts[pointer] = text
    return text
  }
}
