import NetworkingXML
import ProgramSupport

/// A generator of documents with critical names, namespaces and texts, deterministic for a seed.
struct RandomTrees {
  private static let names = [
    "a", "b2", "Body", "é", "x-y.z", "_", "名", "item", "ns1", "\u{10000}",
  ]
  private static let texts = [
    "x", " ", "\n", "\t", "\r", "\r\n", "&", "<", ">", "]]>", "]]", "\"", "'", "é", "\u{85}",
    "\u{2028}",
    "😀", "&amp;", "<!--", "-->", "<![CDATA[", "?>", "\u{A0}", "\u{FEFF}", "\u{FFFD}", "\u{D7FF}",
    "\u{E000}",
    "\u{10FFFF}", "\u{7F}", "--", "e\u{301}",
  ]
  private static let namespaces = [
    XML.Namespace("urn:a", prefix: "a"), XML.Namespace("urn:b", prefix: "a"),
    XML.Namespace("urn:a", prefix: ""), XML.Namespace("urn:b"), XML.Namespace("urn:c", prefix: "c"),
    XML.Namespace("http://e.example/?x=1&y=2", prefix: "ns1"), XML.Namespace("urn:d"),
  ]

  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func document() -> XML.Document {
    XML.Document(element(depth: 5), prolog: around(), epilog: around())
  }

  private mutating func around() -> [XML.Node] {
    (0..<number(3)).map { _ in aside() }
  }

  private mutating func element(depth: Int) -> XML {
    var element = XML(name(isAttribute: false))
    for _ in 0..<number(4) {
      let name = name(isAttribute: true)
      if element[attribute: name] == nil { element[attribute: name] = text() }
    }
    if number(6) == 0 { element[attribute: XML.Name("lang", in: .xml)] = "en" }
    if number(4) == 0 {
      let namespace = Self.namespaces[number(Self.namespaces.count)]
      if element.name.namespace != nil || !namespace.prefix.isEmpty {
        element.namespaces = [namespace]
      }
    }
    for _ in 0..<(depth > 0 ? number(5) : 0) {
      // Adjacent texts, and adjacent CDATA sections, would be joined by a parser.
      let node = node(depth: depth - 1)
      switch (element.children.last, node) {
      case (.text, .text), (.cdata, .cdata), (_, .text("")), (_, .cdata("")): continue
      default: element.children.append(node)
      }
    }
    return element
  }

  private mutating func node(depth: Int) -> XML.Node {
    switch number(8) {
    case 0...3: .element(element(depth: depth))
    case 4, 5: .text(text())
    // A carriage return would be written as a text between two sections.
    case 6: .cdata(text().filter { $0 != "\r" && $0 != "\r\n" })
    default: aside()
    }
  }

  /// Returns a comment or a processing instruction.
  private mutating func aside() -> XML.Node {
    let text = text().filter { $0 != "\r" && $0 != "\r\n" && $0 != "-" && $0 != "?" }
    guard number(2) == 0 else { return .comment(text) }
    // The parser removes the white space before the text.
    return .instruction(target: "p", text: "t" + text)
  }

  private mutating func name(isAttribute: Bool) -> XML.Name {
    let local = Self.names[number(Self.names.count)]
    guard number(2) == 0 else { return XML.Name(local) }
    return XML.Name(local, in: Self.namespaces[number(Self.namespaces.count)])
  }

  private mutating func text() -> String {
    (0..<number(5)).map { _ in Self.texts[number(Self.texts.count)] }.joined()
  }

  private mutating func number(_ limit: Int) -> Int { .random(in: 0..<limit, using: &generator) }
}

extension XML {
  /// The element as `[name, [[attribute, value]], [content]]`, with names in braces and text as strings.
  var json: JSON {
    var content: [JSON] = []
    for child in children {
      switch child {
      case .element(let element): content.append(element.json)
      case .text(let text), .cdata(let text):
        if case .string(let last) = content.last {
          content[content.count - 1] = .string(last + text)
        } else if !text.isEmpty {
          content.append(.string(text))
        }
      case .comment(let text): content.append(["comment": .string(text)])
      case .instruction(let target, let text):
        content.append(["instruction": [.string(target), .string(text)]])
      }
    }
    return [
      .string("\(name)"), .array(attributes.map { [.string("\($0.name)"), .string($0.value)] }),
      .array(content),
    ]
  }
}
