import Networking

/// Block collections: arrays with `-`, and objects with one member on each line.
///
/// Source: YAML 1.2.2, section 8.
extension YAMLReader {
  /// The place in which a block node begins.
  enum BlockPlace {
    /// The root of a document.
    case document
    /// After `-`, `?` or the `:` of an explicit key: a collection may begin on the same line.
    case compact
    /// After the `:` of a key.
    case value
  }

  /// Reads a node that may be a block collection.
  ///
  /// - Parameters:
  ///   - parent: The column of the parent, or -1 for a root. The node must be indented more.
  ///   - place: The place.
  ///   - isInArray: Whether the parent is an array. The elements of an array that is the value of a
  ///     key may stand in the column of the key.
  /// - Returns: The node.
  /// - Throws: ``DocumentSyntaxError``.
  mutating func blockNode(
    parent: Int, _ place: BlockPlace, isInArray: Bool = false
  ) throws(DocumentSyntaxError) -> DocumentNode {
    try enter()
    defer { depth -= 1 }
    let arrayColumn = isInArray || parent < 0 ? parent + 1 : parent
    switch try blockStart(parent: parent, place, arrayColumn: arrayColumn) {
    case .scalar(let node): return node
    case .content(let head): return try content(parent, head)
    }
  }

  /// The part of a block node before its content.
  private enum BlockStart {
    /// A node without content.
    case scalar(DocumentNode)
    case content(Head)
  }

  /// Reads the part of a block node before its content.
  ///
  /// It is outside of ``blockNode(parent:_:isInArray:)``, so that the frames of the recursion are
  /// small.
  private mutating func blockStart(
    parent: Int, _ place: BlockPlace, arrayColumn: Int
  ) throws(DocumentSyntaxError) -> BlockStart {
    let start = scanner.mark
    try scanner.skipSeparation()
    let isOnNewLine = scanner.isFirstOfLine
    guard isContent(parent, arrayColumn, isOnNewLine: isOnNewLine) else {
      scanner.restore(start)
      return .scalar(DocumentNode(scalar: .null, offset: scanner.offset))
    }
    var mayBeCollection =
      isOnNewLine
      ? scanner.hasOnlySpaces(from: scanner.lineStart)
      : place == .compact && scanner.hasOnlySpaces(from: start.position)
    // Properties on lines of their own are those of the node.
    var outer = Properties()
    while true {
      let first = scanner.mark
      let line = try properties()
      let end = scanner.mark
      try scanner.skipSeparation()
      guard !line.isEmpty, scanner.lineStart != first.lineStart || scanner.next == 0 else {
        // Properties on the line of a key are those of the key.
        scanner.restore(end)
        return .content(
          Head(
            column: first.position - first.lineStart, mayBeCollection: mayBeCollection,
            properties: line, outer: outer))
      }
      outer = try joined(outer, line)
      guard isContent(parent, arrayColumn, isOnNewLine: true) else {
        scanner.restore(end)
        return .scalar(try scalar("", isPlain: true, at: first.position, outer))
      }
      mayBeCollection = scanner.hasOnlySpaces(from: scanner.lineStart)
    }
  }

  private func joined(
    _ first: Properties, _ second: Properties
  ) throws(DocumentSyntaxError) -> Properties {
    guard first.anchor == nil || second.anchor == nil, first.tag == nil || second.tag == nil else {
      throw scanner.error("a node has at most one anchor and one tag")
    }
    return Properties(anchor: first.anchor ?? second.anchor, tag: first.tag ?? second.tag)
  }

  /// Returns whether the text at the position belongs to a node.
  private func isContent(_ parent: Int, _ arrayColumn: Int, isOnNewLine: Bool) -> Bool {
    guard scanner.next != 0, !scanner.isAtAnyMarker else { return false }
    guard isOnNewLine else { return true }
    let column = scanner.indentation
    return column > parent || column == arrayColumn && scanner.isAtIndicator("-")
  }

  /// The start of a block node.
  private struct Head {
    /// The column of an object whose first key begins here.
    let column: Int
    let mayBeCollection: Bool
    /// The properties on the line: those of the first key, or of the node if it is not an object.
    var properties = Properties()
    /// The properties on a line before: those of the node.
    var outer = Properties()
  }

  private mutating func content(
    _ parent: Int, _ head: Head
  ) throws(DocumentSyntaxError) -> DocumentNode {
    if scanner.isAtIndicator("-") {
      guard head.mayBeCollection, head.properties.isEmpty else {
        throw misplaced("an array with - must begin on a line of its own", head)
      }
      open(head.outer)
      return try close(try blockArray(), head.outer)
    }
    if scanner.isAtIndicator("?") || scanner.isAtIndicator(":") {
      guard head.mayBeCollection, head.properties.isEmpty || scanner.next == UInt8(ascii: ":")
      else { throw misplaced("an object must begin on a line of its own", head) }
      open(head.outer)
      return try object(head, head.properties.isEmpty ? nil : try emptyKey(head.properties))
    }
    if let node = try text(parent, head) { return node }
    if let node = try value(parent, head) { return node }
    guard head.mayBeCollection else {
      throw misplaced(
        "a key is not allowed here: an object must begin on a line of its own", head)
    }
    open(head.outer)
    return try object(head, try key(head.properties))
  }

  /// Reads a literal or folded text, or returns `nil` if there is none.
  private mutating func text(
    _ parent: Int, _ head: Head
  ) throws(DocumentSyntaxError) -> DocumentNode? {
    guard scanner.next == UInt8(ascii: "|") || scanner.next == UInt8(ascii: ">") else { return nil }
    let start = scanner.position
    let text = try blockScalar(parent: parent)
    return try scalar(
      text, isPlain: false, at: start, try joined(head.outer, head.properties))
  }

  /// Reads an object that has been opened.
  private mutating func object(
    _ head: Head, _ key: YAMLKey?
  ) throws(DocumentSyntaxError) -> DocumentNode {
    try close(try blockObject(column: head.column, first: key), head.outer)
  }

  /// Returns the error of a collection that does not begin where one may.
  private func misplaced(_ reason: String, _ head: Head) -> DocumentSyntaxError {
    let hasTab = !head.mayBeCollection && scanner.isFirstOfLine
    return scanner.error(hasTab ? "a tab is not allowed in the indentation" : reason)
  }

  /// Reads a flow collection, a quoted or plain scalar or an alias.
  ///
  /// - Returns: The node. `nil` if it is a key, and the position is that of the key.
  private mutating func value(
    _ parent: Int, _ head: Head
  ) throws(DocumentSyntaxError) -> DocumentNode? {
    let mark = scanner.mark
    func isKey(_ reader: inout YAMLReader) -> Bool {
      guard reader.scanner.lineStart == mark.lineStart else { return false }
      let end = reader.scanner.mark
      reader.scanner.skipBlanks()
      let isKey = reader.scanner.isAtValueIndicator(inFlow: false)
      reader.scanner.restore(isKey ? mark : end)
      return isKey
    }
    switch scanner.next {
    case UInt8(ascii: "*"):
      let node = try alias(Properties())
      if isKey(&self) { return nil }
      guard try joined(head.outer, head.properties).isEmpty else {
        throw scanner.error("an alias has no anchor and no tag", at: mark.position)
      }
      return node
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      let own = try joined(head.outer, head.properties)
      open(own)
      let node = try flowCollection(indentation: parent + 1)
      guard !isKey(&self) else {
        throw scanner.error("a key that is a collection has no name in JSON")
      }
      return try close(node, own)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      let text = try quoted()
      if isKey(&self) { return nil }
      return try scalar(
        text, isPlain: false, at: mark.position, try joined(head.outer, head.properties))
    default:
      let line = try plainLine(inFlow: false)
      if isKey(&self) { return nil }
      let text = plain(line, indentation: parent + 1, inFlow: false)
      return try scalar(
        text, isPlain: true, at: mark.position, try joined(head.outer, head.properties))
    }
  }

  // MARK: Arrays

  private mutating func blockArray() throws(DocumentSyntaxError) -> DocumentNode {
    let (start, column) = (scanner.position, scanner.column)
    var elements: [DocumentNode] = []
    repeat {
      scanner.position += 1
      elements.append(try blockNode(parent: column, .compact, isInArray: true))
    } while try nextColumn() == column && scanner.isAtIndicator("-")
    return DocumentNode(array: elements, offset: start)
  }

  // MARK: Objects

  /// Reads an object.
  ///
  /// - Parameters:
  ///   - column: The column of its keys.
  ///   - first: The first key, if it has been read.
  /// - Returns: The node.
  /// - Throws: ``DocumentSyntaxError``.
  private mutating func blockObject(
    column: Int, first: YAMLKey?
  ) throws(DocumentSyntaxError) -> DocumentNode {
    let start = first?.offset ?? scanner.position
    var members = YAMLMembers()
    var pending = first
    repeat {
      if pending == nil, scanner.isAtIndicator("?") {
        try addExplicitMember(to: &members, column)
        continue
      }
      guard !scanner.isAtIndicator("-") || pending != nil else {
        throw scanner.error("expected a key, not an element of an array")
      }
      let key: YAMLKey
      if let pending { key = pending } else { key = try self.key(try properties()) }
      pending = nil
      scanner.skipBlanks()
      guard scanner.isAtValueIndicator(inFlow: false) else {
        throw scanner.error("expected : and a space after the key", at: key.offset)
      }
      scanner.position += 1
      try members.add(key, try blockNode(parent: column, .value), scanner)
    } while try nextColumn() == column
    return DocumentNode(object: members.members, offset: start)
  }

  /// Reads a member whose key begins with `?`.
  private mutating func addExplicitMember(
    to members: inout YAMLMembers, _ column: Int
  ) throws(DocumentSyntaxError) {
    let key = try explicitKey(column)
    var value = DocumentNode(scalar: .null, offset: scanner.offset)
    if try nextColumn() == column, scanner.isAtIndicator(":") {
      scanner.position += 1
      value = try blockNode(parent: column, .compact)
    }
    try members.add(key, value, scanner)
  }

  /// Reads a key of one line.
  private mutating func key(_ properties: Properties) throws(DocumentSyntaxError) -> YAMLKey {
    let start = scanner.mark
    let key: YAMLKey
    switch scanner.next {
    case UInt8(ascii: ":") where scanner.isAtIndicator(":"): return try emptyKey(properties)
    case UInt8(ascii: "*"):
      let node = try alias(properties)
      guard let text = Self.name(of: node.json) else {
        throw scanner.error("a key that is a collection has no name in JSON", at: start.position)
      }
      return YAMLKey(text: text, isPlain: false, offset: start.position)
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      throw scanner.error("a key that is a collection has no name in JSON")
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      let text = try quoted()
      key = YAMLKey(text: text, isPlain: false, offset: start.position)
    default:
      let line = scanner.text(try plainLine(inFlow: false))
      key = YAMLKey(text: line, isPlain: properties.tag == nil, offset: start.position)
    }
    guard scanner.lineStart == start.lineStart else {
      throw scanner.error("a key must be on one line", at: start.position)
    }
    guard scanner.position - start.position <= 1024 else {
      throw scanner.error("a key of more than 1,024 bytes must begin with ?", at: start.position)
    }
    _ = try scalar(key.text, isPlain: false, at: key.offset, keyProperties(properties, key.text))
    return key
  }

  /// Returns the properties of a key: its text is the name, whatever its tag.
  private func keyProperties(
    _ properties: Properties, _ text: String
  ) throws(DocumentSyntaxError) -> Properties {
    do throws(CoreSchemaError) {
      _ = try CoreSchema.value(of: text, isPlain: false, tag: properties.tag)
    } catch {
      throw scanner.error(error.reason)
    }
    return Properties(anchor: properties.anchor)
  }

  private mutating func emptyKey(
    _ properties: Properties
  ) throws(DocumentSyntaxError) -> YAMLKey {
    _ = try scalar("", isPlain: true, at: scanner.position, properties)
    return YAMLKey(text: "", isPlain: true, offset: scanner.position)
  }

  private mutating func explicitKey(_ column: Int) throws(DocumentSyntaxError) -> YAMLKey {
    scanner.position += 1
    let node = try blockNode(parent: column, .compact)
    guard let text = Self.name(of: node.json) else {
      throw scanner.error("a key that is a collection has no name in JSON", at: node.offset)
    }
    return YAMLKey(text: text, isPlain: false, offset: node.offset)
  }

  /// Returns the name of a member whose key is a scalar, or `nil` for a collection.
  static func name(of key: JSON) -> String? {
    switch key {
    case .string(let text): text
    case .null: ""
    case .bool, .int, .double, .decimal: key.description
    case .array, .dictionary: nil
    }
  }

  // MARK: Lines

  /// Moves to the next text after a node, which must be on another line.
  ///
  /// - Returns: The column of the text. `nil` at the end of the document.
  mutating func nextColumn() throws(DocumentSyntaxError) -> Int? {
    try scanner.skipSeparation()
    guard scanner.next != 0 else { return nil }
    guard scanner.isFirstOfLine else {
      throw scanner.error(
        scanner.isAtIndicator(":")
          ? "a key must be on one line, and only one key on a line"
          : "expected the end of the line after a value")
    }
    guard !scanner.isAtAnyMarker else { return nil }
    guard scanner.hasOnlySpaces(from: scanner.lineStart) else {
      throw scanner.error("a tab is not allowed in the indentation")
    }
    return scanner.column
  }
}
