import Foundation

extension QueryFormat {
  /// A name and a value, before they are escaped.
  struct Field {
    enum Value {
      case text(String)
      case data(Data, Bytes)
    }

    let name: String
    let value: Value
    /// Whether the commas of the value separate its parts.
    var isCommaSeparated = false

    /// The text of the value.
    var text: String {
      switch value {
      case .text(let text): text
      case .data(let data, let bytes): bytes.text(of: data)
      }
    }

    /// The bytes of the value, or `nil` if it is a text.
    var data: Data? { if case .data(let data, _) = value { data } else { nil } }
  }

  /// Returns the fields of a tree, in order.
  ///
  /// - Parameters:
  ///   - parameters: A dictionary, or `null` for no fields.
  ///   - rejectsPlusSigns: Whether the escaping of the fields cannot represent plus signs.
  /// - Returns: The fields.
  /// - Throws: ``ParameterEncodingError`` with the path of a parameter that the format cannot represent.
  func fields(
    of parameters: Parameters, rejectingPlusSigns rejectsPlusSigns: Bool = false
  ) throws -> [Field] {
    let root: Parameters.Members
    switch parameters {
    case .null: root = [:]
    case .dictionary(let members): root = members
    default:
      throw ParameterEncodingError(
        keyPath: "", reason: "must be a dictionary to be encoded as a query or a form")
    }
    var writer = FieldWriter(format: self, rejectsPlusSigns: rejectsPlusSigns)
    for member in ordered(root) { try writer.add(member) }
    if let limit = limits.fields, writer.fields.count > limit {
      throw ParameterEncodingError(
        keyPath: "", reason: "has \(writer.fields.count) fields, more than the limit of \(limit)"
      )
    }
    return writer.fields
  }

  /// Returns the members of a dictionary in the order of the format.
  fileprivate func ordered(_ members: Parameters.Members) -> [Parameters.Members.Member] {
    order == .sorted ? members.sorted { $0.name.isOrdered(before: $1.name) } : Array(members)
  }
}

/// A writer of the fields of one tree.
///
/// It first converts a parameter to a tree of texts without the omitted values, so that the second step
/// knows the final elements of all arrays. Both steps are linear.
struct FieldWriter: ~Copyable {
  /// A value without omitted values.
  enum Node {
    case leaf(QueryFormat.Field.Value)
    case array([Element])
    case dictionary([Member])

    var isLeaf: Bool { if case .leaf = self { true } else { false } }
  }

  /// An element of an array, with its index before values were omitted.
  struct Element {
    let index: Int
    let node: Node
  }

  /// A member of a dictionary.
  struct Member {
    let name: String
    let node: Node
  }

  /// A part of the path to a value, for errors.
  typealias Step = JSONValuePath.Step

  /// The format of the root.
  let root: QueryFormat
  /// The format of the current parameter of the root.
  var format: QueryFormat
  let rejectsPlusSigns: Bool
  var fields: [QueryFormat.Field] = []
  /// The path to the current value.
  var path: [Step] = []
  /// The names of fields so far, if members of dictionaries become fields without a prefix.
  var usedNames: Set<String>?
  var texts: ValueTexts

  init(format: QueryFormat, rejectsPlusSigns: Bool) {
    root = format
    self.format = format
    self.rejectsPlusSigns = rejectsPlusSigns
    texts = ValueTexts(format: format)
    if ([format] + format.overrides.values).contains(where: { $0.nesting == .exploded }) {
      usedNames = []
    }
  }

  /// Adds the fields of a parameter of the root.
  mutating func add(_ member: Parameters.Members.Member) throws {
    if !root.overrides.isEmpty {
      format = root.overrides[member.name] ?? root
      texts = ValueTexts(format: format)
    }
    path = [.member(member.name)]
    try check(member.name, isAtRoot: true)
    guard let node = try node(of: member.value) else { return }
    if case .dictionary(let members) = node, format.nesting == .exploded {
      for member in members {
        try at(.member(member.name)) { writer in
          guard member.node.isLeaf else {
            throw writer.error(
              "is an array or a dictionary in a dictionary, which the format cannot represent")
          }
          try writer.claim(member.name)
          try writer.write(member.node, as: member.name)
        }
      }
    } else {
      try claim(member.name)
      try write(node, as: member.name)
    }
  }

  /// Marks the name of a field or an array of the root as used.
  private mutating func claim(_ name: String) throws {
    guard usedNames?.insert(name).inserted != false else {
      throw error("has the same name as another field")
    }
  }

  // MARK: Texts

  /// Returns the node of a value, or `nil` if it is omitted.
  private mutating func node(of value: Parameters) throws -> Node? {
    guard path.count <= ParameterEncodingError.depthLimit else {
      throw ParameterEncodingError.tooDeep(FieldWriter.text(of: path))
    }
    switch value {
    case .null:
      switch format.nulls {
      case .omitted: return nil
      case .empty: return .leaf(.text(""))
      case .text(let text): return try leaf(text)
      case .rejected: throw error("is null, which the format rejects")
      }
    case .array(let values):
      var elements: [Element] = []
      for (index, value) in values.enumerated() {
        if let node = try at(.element(index), { try $0.node(of: value) }) {
          elements.append(Element(index: index, node: node))
        }
      }
      return elements.isEmpty ? try empty("array") : .array(elements)
    case .dictionary(let members):
      var nodes: [Member] = []
      for member in root.ordered(members) {
        let node = try at(.member(member.name)) { writer -> Node? in
          try writer.check(member.name, isAtRoot: false)
          return try writer.node(of: member.value)
        }
        if let node { nodes.append(Member(name: member.name, node: node)) }
      }
      return nodes.isEmpty ? try empty("dictionary") : .dictionary(nodes)
    case .data(let data): return .leaf(.data(data, format.bytes))
    default:
      guard let text = texts.text(of: value) else {
        throw error(value.date == nil ? "is not a finite number" : "is a date out of range")
      }
      return try leaf(text)
    }
  }

  private func leaf(_ text: String) throws -> Node {
    if rejectsPlusSigns, text.utf8.contains(UInt8(ascii: "+")) {
      throw error("contains a plus sign, which the format cannot distinguish from a space")
    }
    return .leaf(.text(text))
  }

  private func empty(_ kind: String) throws -> Node? {
    guard format.empties == .rejected else { return nil }
    throw error("is an empty \(kind), which the format cannot represent")
  }

  // MARK: Fields

  /// Adds the fields of a node.
  private mutating func write(_ node: Node, as name: String) throws {
    if let limit = format.limits.depth, path.count - 1 > limit {
      throw error(
        "is nested deeper than \(limit) \(limit == 1 ? "level" : "levels"), the limit of the format"
      )
    }
    switch node {
    case .leaf(let value): fields.append(QueryFormat.Field(name: name, value: value))
    case .array(let elements): try write(elements, as: name)
    case .dictionary(let members):
      try checkNumbers(members.lazy.map(\.name))
      switch format.nesting {
      case .brackets, .dots:
        for member in members {
          let suffix = format.nesting == .dots ? ".\(member.name)" : "[\(member.name)]"
          try at(.member(member.name)) { try $0.write(member.node, as: name + suffix) }
        }
      case .exploded:
        throw error("is a dictionary within another value, which the format cannot represent")
      case .joined(let separator):
        var parts: [(Step, Node)] = []
        for member in members {
          let step = Step.member(member.name)
          parts += [(step, .leaf(.text(member.name))), (step, member.node)]
        }
        try join(parts, by: separator, as: name)
      case .rejected: throw error("is a dictionary, which the format cannot represent")
      }
    }
  }

  /// Adds the fields of an array.
  private mutating func write(_ elements: [Element], as name: String) throws {
    if let limit = format.limits.elements, elements.count > limit {
      throw error("has \(elements.count) elements, more than the limit of \(limit)")
    }
    if case .joined(let separator) = format.arrays {
      return try join(elements.map { (.element($0.index), $0.node) }, by: separator, as: name)
    }
    if format.arrays == .rejected { throw error("is an array, which the format cannot represent") }
    let hasIndices = !elements.allSatisfy(\.node.isLeaf)
    for (position, element) in elements.enumerated() {
      let node = element.node
      try at(.element(element.index)) { writer in
        switch writer.format.arrays {
        case .brackets where !hasIndices: try writer.write(node, as: "\(name)[]")
        case .brackets, .indices: try writer.write(node, as: "\(name)[\(position)]")
        case .rackBrackets:
          try writer.check(node, after: position > 0 ? elements[position - 1].node : nil)
          try writer.write(node, as: "\(name)[]")
        case .repeated:
          guard node.isLeaf else {
            throw writer.error(
              "is an array or a dictionary in an array, which the format cannot represent")
          }
          try writer.write(node, as: name)
        case .joined, .rejected: break
        }
      }
    }
  }

  /// Adds one field with several texts.
  private mutating func join(
    _ parts: [(step: Step, node: Node)], by separator: QueryFormat.Separator, as name: String
  ) throws {
    var text = ""
    for (position, (step, node)) in parts.enumerated() {
      guard case .leaf(let value) = node else {
        throw FieldWriter.error(
          "is an array or a dictionary in a list, which the format cannot represent", path + [step])
      }
      let part = QueryFormat.Field(name: name, value: value).text
      // As bytes, because a combining character would change the separator.
      guard !part.utf8.contains(separator.rawValue.utf8.first ?? 0) else {
        throw FieldWriter.error(
          "contains \(separator.article), which separates the values of the list", path + [step])
      }
      if position > 0 { text += separator.rawValue }
      text += part
    }
    fields.append(
      QueryFormat.Field(
        name: name, value: .text(text), isCommaSeparated: separator == .comma))
  }

  // MARK: Errors

  /// Runs a closure for a part of the current value.
  mutating func at<Result>(
    _ step: Step, _ body: (inout Self) throws -> Result
  ) rethrows -> Result {
    path.append(step)
    defer { path.removeLast() }
    return try body(&self)
  }

  func error(_ reason: String) -> ParameterEncodingError { Self.error(reason, path) }

  static func error(_ reason: String, _ path: [Step]) -> ParameterEncodingError {
    ParameterEncodingError(keyPath: text(of: path), reason: reason)
  }

  /// Returns a path as a text, such as `filter.tags[2]`.
  static func text(of path: [Step]) -> String {
    var text = ""
    for step in path {
      switch step {
      case .member(let name):
        text += (text.isEmpty ? "" : ".") + (name.isEmpty ? "\"\"" : name)
      case .element(let index): text += "[\(index)]"
      }
    }
    return text
  }
}

extension QueryFormat.Separator {
  /// The separator as a noun.
  fileprivate var article: String {
    switch self {
    case .comma: "a comma"
    case .pipe: "a vertical bar"
    case .space: "a space"
    }
  }
}
