import Mocking
import Networking

/// A text with expressions in double braces, parsed once.
///
/// `{{ expression }}` inserts a value. `{{#if condition}} ... {{else if condition}} ... {{else}}
/// ... {{/if}}` and `{{#each list}} ... {{else}} ... {{/each}}` are blocks. `{{! ... }}` is a
/// comment. A backslash before the braces makes them literal.
struct TemplateText: Sendable, Hashable {
  indirect enum Node: Sendable, Hashable {
    case text([UInt8])
    case value(TemplateExpression)
    case condition([Branch], otherwise: [Node])
    case each(TemplateExpression, [Node], otherwise: [Node])
  }

  struct Branch: Sendable, Hashable {
    let condition: TemplateExpression
    let nodes: [Node]
  }

  let nodes: [Node]

  /// Whether a text contains an expression or an escape.
  static func isTemplate(_ text: String) -> Bool { text.utf8.containsBraces }

  /// Parses a text.
  ///
  /// - Throws: ``TemplateSyntaxError`` for the first error.
  init(_ text: String, in scope: TemplateScope = TemplateScope()) throws(TemplateSyntaxError) {
    var parser = TemplateTextParser(Array(text.utf8), scope)
    nodes = try parser.parse()
  }

  /// Creates a text without expressions.
  init(literal text: String) {
    nodes = text.isEmpty ? [] : [.text(Array(text.utf8))]
  }

  /// The text, if it has no expressions.
  var literal: String? {
    switch nodes.count {
    case 0: return ""
    case 1:
      if case .text(let bytes) = nodes[0] { return String(decoding: bytes, as: UTF8.self) }
      return nil
    default: return nil
    }
  }

  /// The expression, if the text is exactly one expression.
  var expression: TemplateExpression? {
    if nodes.count == 1, case .value(let expression) = nodes[0] { expression } else { nil }
  }

  /// Returns the rendered text.
  func render(_ rendering: inout TemplateRendering) throws(TemplateRenderError) -> String {
    var output: [UInt8] = []
    try append(to: &output, &rendering)
    return String(decoding: output, as: UTF8.self)
  }

  /// Appends the rendered text, in UTF-8.
  func append(
    to output: inout [UInt8], _ rendering: inout TemplateRendering
  ) throws(TemplateRenderError) {
    try Self.append(nodes, to: &output, &rendering)
  }

  private static func append(
    _ nodes: [Node], to output: inout [UInt8], _ rendering: inout TemplateRendering
  ) throws(TemplateRenderError) {
    for node in nodes {
      switch node {
      case .text(let bytes): output += bytes
      case .value(let expression):
        let value = try expression.value(&rendering)
        guard value.textSize <= TemplateRendering.outputLimit - output.count else {
          throw .tooLarge
        }
        output += value.templateText.utf8
      case .condition(let branches, let otherwise):
        var chosen = otherwise
        for branch in branches where try branch.condition.value(&rendering).isTruthy {
          chosen = branch.nodes
          break
        }
        try append(chosen, to: &output, &rendering)
      case .each(let list, let body, let otherwise):
        let list = try list.value(&rendering)
        let hasElements = try rendering.forEach(in: list) {
          rendering throws(TemplateRenderError) in
          try append(body, to: &output, &rendering)
        }
        if !hasElements { try append(otherwise, to: &output, &rendering) }
      }
      guard output.count <= TemplateRendering.outputLimit else { throw .tooLarge }
    }
  }
}

extension Sequence<UInt8> {
  /// Whether two opening braces follow each other.
  fileprivate var containsBraces: Bool {
    var last: UInt8 = 0
    for byte in self {
      if byte == UInt8(ascii: "{"), last == byte { return true }
      last = byte
    }
    return false
  }
}

/// A parser of the texts and blocks of a template.
private struct TemplateTextParser {
  /// A block that has not been closed.
  private struct Block {
    let name: String
    let offset: Int
    /// The expression of the loop, or of the current branch.
    ///
    /// `nil` after `else`.
    var expression: TemplateExpression?
    var list: TemplateExpression?
    var branches: [TemplateText.Branch] = []
    /// The nodes of a loop before `else`.
    ///
    /// `nil` before `else`.
    var body: [TemplateText.Node]?
    /// The nodes before the block.
    let outer: [TemplateText.Node]
  }

  private let bytes: [UInt8]
  private var scope: TemplateScope
  private var position = 0
  private var nodes: [TemplateText.Node] = []
  private var literal: [UInt8] = []
  private var blocks: [Block] = []

  init(_ bytes: [UInt8], _ scope: TemplateScope) {
    self.bytes = bytes
    self.scope = scope
  }

  mutating func parse() throws(TemplateSyntaxError) -> [TemplateText.Node] {
    while position < bytes.count {
      guard opensBraces(at: position) else {
        literal.append(bytes[position])
        position += 1
        continue
      }
      let backslashes = literal.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
      literal.removeLast((backslashes + 1) / 2)
      if backslashes % 2 == 1 {
        literal += [UInt8(ascii: "{"), UInt8(ascii: "{")]
        position += 2
      } else {
        try tag()
      }
    }
    flush()
    if let block = blocks.last {
      throw TemplateSyntaxError(
        "the block {{#\(block.name)}} has no {{/\(block.name)}}", at: block.offset)
    }
    return nodes
  }

  private func opensBraces(at index: Int) -> Bool {
    index + 1 < bytes.count && bytes[index] == UInt8(ascii: "{")
      && bytes[index + 1] == UInt8(ascii: "{")
  }

  private mutating func flush() {
    guard !literal.isEmpty else { return }
    nodes.append(.text(literal))
    literal = []
  }

  /// Parses a tag at the current position.
  private mutating func tag() throws(TemplateSyntaxError) {
    let start = position
    position += 2
    if position < bytes.count, bytes[position] == UInt8(ascii: "{") {
      throw TemplateSyntaxError(
        "expected {{ ... }} with two braces; values are never escaped for HTML, and a backslash "
          + "before {{ makes the braces literal", at: start)
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: "!") { return try comment(start) }
    flush()
    var parser = try TemplateParser(bytes, from: position, in: scope)
    switch parser.lexer.token {
    case .symbol("#"):
      try parser.lexer.advance()
      try open(&parser, at: start)
    case .symbol("/"):
      try parser.lexer.advance()
      try close(&parser, at: start)
    case .name("else"): try alternative(&parser, at: start)
    default: nodes.append(.value(try parser.expression()))
    }
    guard parser.lexer.token == .close else { throw parser.unexpectedToken() }
    position = parser.lexer.position
  }

  private mutating func comment(_ start: Int) throws(TemplateSyntaxError) {
    // `{{!-- ... --}}` may contain braces.
    let dash = UInt8(ascii: "-")
    let isLong = bytes[position...].dropFirst().prefix(2).elementsEqual([dash, dash])
    position += isLong ? 3 : 1
    let brace = UInt8(ascii: "}")
    let end: [UInt8] = isLong ? [dash, dash, brace, brace] : [brace, brace]
    while position + end.count <= bytes.count {
      if bytes[position] == end[0],
        bytes[position..<(position + end.count)].elementsEqual(end)
      {
        position += end.count
        return
      }
      position += 1
    }
    throw TemplateSyntaxError("the comment has no closing braces", at: start)
  }

  private mutating func open(
    _ parser: inout TemplateParser, at start: Int
  ) throws(TemplateSyntaxError) {
    guard case .name(let name) = parser.lexer.token, name == "if" || name == "each" else {
      if case .name(let name) = parser.lexer.token {
        throw TemplateSyntaxError(
          unknown: name, "block", at: parser.lexer.offset, among: ["if", "each"])
      }
      throw parser.unexpectedToken("expected {{#if ...}} or {{#each ...}}")
    }
    guard blocks.count < TemplateParser.maximumDepth else {
      throw TemplateSyntaxError(
        "blocks are nested more than \(TemplateParser.maximumDepth) levels deep", at: start)
    }
    try parser.lexer.advance()
    var block = Block(name: name, offset: start, outer: nodes)
    if name == "if" {
      block.expression = try parser.expression()
    } else {
      let header = try parser.loopHeader()
      block.list = header.list
      scope.loops.append(header.name)
    }
    blocks.append(block)
    nodes = []
  }

  private mutating func alternative(
    _ parser: inout TemplateParser, at start: Int
  ) throws(TemplateSyntaxError) {
    guard var block = blocks.popLast() else {
      throw TemplateSyntaxError("{{else}} is outside of a block", at: start)
    }
    try parser.lexer.advance()
    let isConditional = try parser.takes(.name("if"))
    if let condition = block.expression {
      block.branches.append(TemplateText.Branch(condition: condition, nodes: nodes))
      block.expression = isConditional ? try parser.expression() : nil
    } else if block.list != nil, block.body == nil, !isConditional {
      block.body = nodes
      scope.loops.removeLast()
    } else {
      throw TemplateSyntaxError("this block has another {{else}}", at: start)
    }
    blocks.append(block)
    nodes = []
  }

  private mutating func close(
    _ parser: inout TemplateParser, at start: Int
  ) throws(TemplateSyntaxError) {
    guard case .name(let name) = parser.lexer.token, let block = blocks.last, block.name == name
    else {
      throw TemplateSyntaxError(
        blocks.last.map { "expected {{/\($0.name)}}" } ?? "there is no block to close", at: start)
    }
    try parser.lexer.advance()
    blocks.removeLast()
    let inner = nodes
    nodes = block.outer
    if let list = block.list {
      if block.body == nil { scope.loops.removeLast() }
      nodes.append(
        .each(list, block.body ?? inner, otherwise: block.body == nil ? [] : inner))
    } else if let condition = block.expression {
      nodes.append(
        .condition(
          block.branches + [TemplateText.Branch(condition: condition, nodes: inner)], otherwise: [])
      )
    } else {
      nodes.append(.condition(block.branches, otherwise: inner))
    }
  }
}
