import Foundation
import Networking

/// A strict reader of YAML 1.2 documents with the core schema.
///
/// It reads the parts of YAML that have a value in JSON: block and flow collections, all styles of
/// scalars, comments, anchors and aliases, the tags of the core schema, and directives. Everything
/// else is an error with its position: keys that are collections, repeated keys, merge keys, tags
/// of applications, numbers that are not finite, and tabs in the indentation.
///
/// The closing bracket of a flow collection may stand below the first character of its parent, and the
/// further lines of a quoted text, such as those of a certificate, may have any indentation. YAML
/// requires more spaces, but many documents are written without them, and other readers take them.
///
/// The time is proportional to the length of the text. The expansion of aliases is bounded by
/// ``maximumAliasSize``, and the nesting by ``maximumDepth``.
///
/// Source: YAML 1.2.2, sections 5 to 10.
struct YAMLReader {
  /// The limit for the nesting of collections, which bounds the recursion.
  ///
  /// It is that of JSON, because the value is used like one that was read from JSON.
  static let maximumDepth = JSON.maximumDepth
  /// The nesting for which the stack of the caller is enough.
  private static let usualDepth = 32
  /// The limit for the size of the values of all aliases, in bytes.
  ///
  /// The aliases of a text share its memory, but each has its bytes in a response.
  static let maximumAliasSize = 16 << 20

  var scanner: YAMLScanner
  var depth = 0
  private let depthLimit: Int
  /// Whether the text is nested deeper than the limit.
  private var isTooDeep = false
  private var anchors: [String: DocumentNode] = [:]
  /// The anchors of the nodes that are being read.
  private var openAnchors: [String] = []
  private var aliasSize = 0
  /// The prefixes of the tag handles.
  private var tagPrefixes: [String: String] = [:]

  /// Reads a text with one document.
  ///
  /// - Parameter text: The text in UTF-8.
  /// - Returns: The root. `null` for a text without a document.
  /// - Throws: ``DocumentSyntaxError`` for the first error.
  static func read(_ text: Data) throws(DocumentSyntaxError) -> DocumentNode {
    let documents = try documents(in: text, limit: 1)
    return documents.first ?? DocumentNode(scalar: .null, offset: 0)
  }

  /// Reads all documents of a text.
  ///
  /// - Parameters:
  ///   - text: The text in UTF-8.
  ///   - limit: The maximum number of documents.
  /// - Returns: The roots.
  /// - Throws: ``DocumentSyntaxError`` for the first error.
  static func documents(
    in text: Data, limit: Int = .max
  ) throws(DocumentSyntaxError) -> [DocumentNode] {
    let scanner = try YAMLScanner(text)
    return try LargeStack.run(usualDepth: usualDepth, maximumDepth: maximumDepth) {
      depthLimit, isTooDeep in
      var reader = YAMLReader(scanner: scanner, depthLimit: depthLimit)
      defer { isTooDeep = reader.isTooDeep }
      return Result { () throws(DocumentSyntaxError) in try reader.documents(limit: limit) }
    }.get()
  }

  private init(scanner: YAMLScanner, depthLimit: Int) {
    self.scanner = scanner
    self.depthLimit = depthLimit
  }

  // MARK: Documents

  private mutating func documents(limit: Int) throws(DocumentSyntaxError) -> [DocumentNode] {
    var roots: [DocumentNode] = []
    var mayHaveDirectives = true
    while true {
      try scanner.skipSeparation()
      if scanner.isAtMarker(".") {
        try endDocument()
        mayHaveDirectives = true
        continue
      }
      tagPrefixes = ["!!": "tag:yaml.org,2002:"]
      anchors = [:]
      let hasDirectives = mayHaveDirectives ? try directives() : false
      guard scanner.next != 0 else {
        guard !hasDirectives else { throw scanner.error("expected --- after the directives") }
        return roots
      }
      guard roots.count < limit else { throw scanner.error("a second document begins here") }
      let isExplicit = scanner.isAtMarker("-")
      guard isExplicit || !hasDirectives else {
        throw scanner.error("expected --- after the directives")
      }
      guard isExplicit || roots.isEmpty || mayHaveDirectives else {
        throw scanner.error("expected --- or the end of the text")
      }
      if isExplicit { scanner.position += 3 }
      roots.append(try blockNode(parent: -1, .document))
      guard try nextColumn() == nil else {
        throw scanner.error("expected the end of the document; the indentation may be wrong")
      }
      mayHaveDirectives = scanner.isAtMarker(".")
      if mayHaveDirectives { try endDocument() }
    }
  }

  private mutating func endDocument() throws(DocumentSyntaxError) {
    scanner.position += 3
    let line = scanner.lineStart
    try scanner.skipSeparation()
    guard scanner.lineStart != line || scanner.next == 0 else {
      throw scanner.error("unexpected text after ...")
    }
  }

  /// Reads the directives before a document, and returns whether there are any.
  private mutating func directives() throws(DocumentSyntaxError) -> Bool {
    var (hasDirectives, hasVersion) = (false, false)
    while scanner.next == UInt8(ascii: "%"), scanner.column == 0 {
      hasDirectives = true
      let start = scanner.position
      let words = scanner.restOfLine().split { $0 == " " || $0 == "\t" }.prefix {
        !$0.hasPrefix("#")
      }
      switch words.first {
      case "%YAML":
        guard !hasVersion else { throw scanner.error("a second %YAML directive", at: start) }
        hasVersion = true
        guard words.count == 2, words[1].hasPrefix("1."), Int(words[1].dropFirst(2)) != nil else {
          throw scanner.error("expected %YAML 1.2", at: start)
        }
      case "%TAG":
        guard words.count == 3, words[1].hasPrefix("!"), words[1].hasSuffix("!") else {
          throw scanner.error("expected %TAG, a handle and a prefix", at: start)
        }
        tagPrefixes[String(words[1])] = String(words[2])
      default: break
      }
      try scanner.skipSeparation()
    }
    return hasDirectives
  }

  // MARK: Properties

  /// The anchor and the tag of a node.
  struct Properties {
    var anchor: String?
    var tag: String?
    var isEmpty: Bool { anchor == nil && tag == nil }
  }

  /// Reads the anchor and the tag at the position, which must be on one line.
  ///
  /// Leaves the position behind the blanks that follow them.
  mutating func properties() throws(DocumentSyntaxError) -> Properties {
    var properties = Properties()
    while true {
      let start = scanner.position
      switch scanner.next {
      case UInt8(ascii: "&") where properties.anchor == nil:
        scanner.position += 1
        properties.anchor = try name()
      case UInt8(ascii: "!") where properties.tag == nil: properties.tag = try tag()
      case UInt8(ascii: "&"), UInt8(ascii: "!"):
        throw scanner.error("a node has at most one anchor and one tag")
      default: return properties
      }
      guard scanner.isAtSpace || YAMLScanner.isFlowIndicator(scanner.next) else {
        throw scanner.error("expected a space after an anchor or a tag", at: start)
      }
      scanner.skipBlanks()
    }
  }

  /// Reads the name of an anchor or an alias.
  private mutating func name() throws(DocumentSyntaxError) -> String {
    let start = scanner.position
    while !scanner.isAtSpace, !YAMLScanner.isFlowIndicator(scanner.next) { scanner.position += 1 }
    guard scanner.position > start else { throw scanner.error("expected the name of an anchor") }
    return scanner.text(start..<scanner.position)
  }

  private mutating func tag() throws(DocumentSyntaxError) -> String {
    let start = scanner.position
    if scanner.peek(1) == UInt8(ascii: "<") {
      while scanner.next != UInt8(ascii: ">") {
        guard !scanner.isAtSpace else { throw scanner.error("expected > after a tag", at: start) }
        scanner.position += 1
      }
      scanner.position += 1
      return scanner.text((start + 2)..<(scanner.position - 1))
    }
    while !scanner.isAtSpace, !YAMLScanner.isFlowIndicator(scanner.next) { scanner.position += 1 }
    let text = scanner.text(start..<scanner.position)
    guard text != "!" else { return text }
    let handleEnd = text.dropFirst().firstIndex(of: "!")
    let handle = handleEnd.map { String(text[...$0]) } ?? "!"
    guard let prefix = tagPrefixes[handle] ?? (handle == "!" ? "!" : nil) else {
      throw scanner.error("the tag handle \(handle) is not declared", at: start)
    }
    return prefix + text.dropFirst(handle.count)
  }

  // MARK: Nodes

  /// Marks the start of a node: an alias in it to its own anchor is an error.
  mutating func open(_ properties: Properties) {
    if let anchor = properties.anchor { openAnchors.append(anchor) }
  }

  /// Applies the properties of a node, and stores it if it has an anchor.
  mutating func close(
    _ node: DocumentNode, _ properties: Properties
  ) throws(DocumentSyntaxError) -> DocumentNode {
    if let anchor = properties.anchor {
      openAnchors.removeAll { $0 == anchor }
      anchors[anchor] = node
    }
    switch (properties.tag, node.content) {
    case (nil, _), ("!", _), ("tag:yaml.org,2002:seq", .array), ("tag:yaml.org,2002:map", .object):
      return node
    case (let tag, _):
      throw scanner.error(
        "the tag \(tag ?? "") is not one of an array or an object of the core schema",
        at: node.offset)
    }
  }

  /// Returns the node of a scalar.
  mutating func scalar(
    _ text: String, isPlain: Bool, at offset: Int, _ properties: Properties
  ) throws(DocumentSyntaxError) -> DocumentNode {
    let value: JSON
    do throws(CoreSchemaError) {
      value = try CoreSchema.value(of: text, isPlain: isPlain, tag: properties.tag)
    } catch {
      throw scanner.error(error.reason, at: offset)
    }
    let untagged = Properties(anchor: properties.anchor)
    return try close(DocumentNode(scalar: value, offset: offset), untagged)
  }

  /// Reads an alias, and returns a copy of its node.
  mutating func alias(_ properties: Properties) throws(DocumentSyntaxError) -> DocumentNode {
    let start = scanner.position
    guard properties.isEmpty else { throw scanner.error("an alias has no anchor and no tag") }
    scanner.position += 1
    let name = try name()
    guard !openAnchors.contains(name) else {
      throw scanner.error("the alias *\(name) is a part of its own value", at: start)
    }
    guard let node = anchors[name] else {
      throw scanner.error("no anchor &\(name) precedes this alias", at: start)
    }
    aliasSize += node.size
    isTooDeep = depth + node.height > depthLimit
    guard aliasSize <= Self.maximumAliasSize, !isTooDeep else {
      throw scanner.error("the aliases expand to a document that is too large", at: start)
    }
    return node.moved(to: start)
  }

  /// Begins a nested node, after which the caller decreases ``depth``.
  mutating func enter() throws(DocumentSyntaxError) {
    isTooDeep = depth >= depthLimit
    guard !isTooDeep else {
      throw scanner.error("the document is nested more than \(Self.maximumDepth) levels deep")
    }
    depth += 1
  }
}

/// The members of an object that is being read.
struct YAMLMembers {
  private(set) var members: [DocumentNode.Member] = []
  private var names: Set<String> = []

  /// Adds a member.
  ///
  /// - Parameters:
  ///   - key: The node of the key, and its text as written.
  ///   - value: The value.
  ///   - scanner: The scanner, for errors.
  /// - Throws: ``DocumentSyntaxError`` if the name is not valid or is not unique.
  mutating func add(
    _ key: YAMLKey, _ value: DocumentNode, _ scanner: YAMLScanner
  ) throws(DocumentSyntaxError) {
    guard key.text != "<<" || !key.isPlain else {
      throw scanner.error(
        "merge keys are not a part of YAML 1.2; repeat the members, or use $ref", at: key.offset)
    }
    guard names.insert(key.text).inserted else {
      throw scanner.error("the key \(key.text) occurs twice", at: key.offset)
    }
    members.append(DocumentNode.Member(name: key.text, offset: key.offset, value: value))
  }
}

/// The key of a member: a scalar, whose text is the name, even if it is a number or `null`.
struct YAMLKey {
  let text: String
  let isPlain: Bool
  let offset: Int
}
