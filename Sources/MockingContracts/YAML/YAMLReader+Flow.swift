import Networking

/// Flow collections: arrays in brackets and objects in braces.
///
/// Source: YAML 1.2.2, section 7.4.
extension YAMLReader {
  /// Reads an array or an object whose opening bracket is at the position.
  ///
  /// - Parameter indentation: The least number of spaces before each further line.
  /// - Returns: The node.
  /// - Throws: ``DocumentSyntaxError``.
  mutating func flowCollection(indentation: Int) throws(DocumentSyntaxError) -> DocumentNode {
    try enter()
    defer { depth -= 1 }
    return scanner.next == UInt8(ascii: "[")
      ? try flowArray(indentation) : try flowObject(indentation)
  }

  private mutating func flowArray(_ indentation: Int) throws(DocumentSyntaxError) -> DocumentNode {
    let start = scanner.position
    var elements: [DocumentNode] = []
    scanner.position += 1
    try skipFlowSeparation(indentation, start)
    while scanner.next != UInt8(ascii: "]") {
      elements.append(try flowElement(indentation, start))
      try skipFlowSeparation(indentation, start)
      try skipComma(before: "]", indentation, start)
    }
    scanner.position += 1
    return DocumentNode(array: elements, offset: start)
  }

  /// Reads an element of an array: a node, or an object of one member without braces.
  private mutating func flowElement(
    _ indentation: Int, _ start: Int
  ) throws(DocumentSyntaxError) -> DocumentNode {
    let mark = scanner.mark
    if scanner.isAtIndicator("?") {
      scanner.position += 1
      try skipFlowSeparation(indentation, start)
      return try flowPair(try flowKey(indentation), mark.position, indentation, start)
    }
    guard !scanner.isAtValueIndicator(inFlow: true) else {
      return try flowPair(
        FlowKey(node: DocumentNode(scalar: .null, offset: mark.position), text: ""),
        mark.position, indentation, start)
    }
    let key = try flowKey(indentation)
    let end = scanner.mark
    scanner.skipBlanks()
    guard scanner.isAtValueIndicator(inFlow: true, isAdjacent: key.isQuoted) else {
      scanner.restore(end)
      return key.node
    }
    guard scanner.lineStart == mark.lineStart, scanner.position - mark.position <= 1024 else {
      throw scanner.error("a key in an array must be on one line", at: mark.position)
    }
    return try flowPair(key, mark.position, indentation, start)
  }

  /// Reads the value of an object with one member, and returns the object.
  private mutating func flowPair(
    _ key: FlowKey, _ offset: Int, _ indentation: Int, _ start: Int
  ) throws(DocumentSyntaxError) -> DocumentNode {
    var members = YAMLMembers()
    let value = try flowValue(of: key, indentation, start)
    try members.add(try name(of: key), value, scanner)
    return DocumentNode(object: members.members, offset: offset)
  }

  private mutating func flowObject(
    _ indentation: Int
  ) throws(DocumentSyntaxError) -> DocumentNode {
    let start = scanner.position
    var members = YAMLMembers()
    scanner.position += 1
    try skipFlowSeparation(indentation, start)
    while scanner.next != UInt8(ascii: "}") {
      if scanner.isAtIndicator("?") {
        scanner.position += 1
        try skipFlowSeparation(indentation, start)
      }
      let isEmptyKey = scanner.isAtValueIndicator(inFlow: true) || ",}".utf8.contains(scanner.next)
      guard scanner.next != UInt8(ascii: ",") else { throw scanner.error("expected a key") }
      let key =
        isEmptyKey
        ? FlowKey(node: DocumentNode(scalar: .null, offset: scanner.position), text: "")
        : try flowKey(indentation)
      let value = try flowValue(of: key, indentation, start)
      try members.add(try name(of: key), value, scanner)
      try skipFlowSeparation(indentation, start)
      try skipComma(before: "}", indentation, start)
    }
    scanner.position += 1
    return DocumentNode(object: members.members, offset: start)
  }

  /// Reads the colon and the value after a key.
  ///
  /// - Returns: The value. `null` if there is none.
  private mutating func flowValue(
    of key: FlowKey, _ indentation: Int, _ start: Int
  ) throws(DocumentSyntaxError) -> DocumentNode {
    let end = scanner.mark
    try skipFlowSeparation(indentation, start)
    guard scanner.isAtValueIndicator(inFlow: true, isAdjacent: key.isQuoted) else {
      scanner.restore(end)
      return DocumentNode(scalar: .null, offset: scanner.position)
    }
    scanner.position += 1
    try skipFlowSeparation(indentation, start)
    guard !",]}".utf8.contains(scanner.next) else {
      return DocumentNode(scalar: .null, offset: scanner.position)
    }
    return try flowKey(indentation).node
  }

  private mutating func skipComma(
    before end: Character, _ indentation: Int, _ start: Int
  ) throws(DocumentSyntaxError) {
    if scanner.next == UInt8(ascii: ",") {
      scanner.position += 1
      try skipFlowSeparation(indentation, start)
    } else if scanner.next != end.asciiValue {
      throw scanner.error("expected , or \(end)")
    }
  }

  // MARK: Nodes

  /// A node of a flow collection that may be a key.
  private struct FlowKey {
    let node: DocumentNode
    /// The text as written.
    ///
    /// `nil` for a collection.
    let text: String?
    var isPlain = false
    /// Whether the colon after it needs no space.
    var isQuoted = false
  }

  private func name(of key: FlowKey) throws(DocumentSyntaxError) -> YAMLKey {
    guard let text = key.text else {
      throw scanner.error("a key that is a collection has no name in JSON", at: key.node.offset)
    }
    return YAMLKey(text: text, isPlain: key.isPlain, offset: key.node.offset)
  }

  private mutating func flowKey(_ indentation: Int) throws(DocumentSyntaxError) -> FlowKey {
    let first = scanner.position
    let own = try properties()
    if !own.isEmpty { try skipFlowSeparation(indentation, first) }
    let start = scanner.position
    switch scanner.next {
    case UInt8(ascii: "*"):
      let node = try alias(own)
      return FlowKey(node: node, text: Self.name(of: node.json))
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      open(own)
      let node = try flowCollection(indentation: indentation)
      return FlowKey(node: try close(node, own), text: nil, isQuoted: true)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      let text = try quoted()
      let node = try scalar(text, isPlain: false, at: start, own)
      return FlowKey(node: node, text: text, isQuoted: true)
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"):
      let isEmpty =
        scanner.next != UInt8(ascii: ":") || scanner.isAtValueIndicator(inFlow: true)
      if isEmpty {
        guard !own.isEmpty || scanner.next == UInt8(ascii: ":") else {
          throw scanner.error("expected a value")
        }
        return FlowKey(node: try scalar("", isPlain: true, at: first, own), text: "")
      }
      fallthrough
    default:
      let line = try plainLine(inFlow: true)
      let text = plain(line, indentation: indentation, inFlow: true)
      let node = try scalar(text, isPlain: true, at: start, own)
      return FlowKey(node: node, text: text, isPlain: own.tag == nil)
    }
  }

  /// Skips blanks, comments and line breaks, and checks the indentation of a new line.
  private mutating func skipFlowSeparation(
    _ indentation: Int, _ start: Int
  ) throws(DocumentSyntaxError) {
    let line = scanner.lineStart
    try scanner.skipSeparation()
    guard scanner.next != 0 else {
      throw scanner.error("the bracket or brace is not closed", at: start)
    }
    guard scanner.lineStart != line else { return }
    guard !scanner.isAtAnyMarker else {
      throw scanner.error("the document ends in a flow collection")
    }
    let isClosing = scanner.next == UInt8(ascii: "]") || scanner.next == UInt8(ascii: "}")
    guard scanner.indentation >= indentation - (isClosing ? 1 : 0) else {
      throw scanner.error("the line must be indented by at least \(indentation) spaces")
    }
  }
}
