import Mocking
import Networking

/// A parser of the expressions of a template.
///
/// ```
/// expression = and { "or" and }
/// and        = not { "and" not }
/// not        = "not" not | comparison
/// comparison = sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum ]
/// sum        = product { ("+" | "-") product }
/// product    = pipe { ("*" | "/") pipe }
/// pipe       = primary { "|" filter [ "(" arguments ")" ] }
/// primary    = literal | "(" expression ")" { step } | name [ "(" arguments ")" ] { step }
/// step       = "." member | "[" (index | string) "]"
/// ```
///
/// It reads each byte once. The nesting of expressions is limited.
struct TemplateParser {
  var lexer: TemplateLexer
  var scope: TemplateScope
  private var depth = 0
  private var operatorCount = 0

  init(
    _ bytes: [UInt8], from position: Int = 0, in scope: TemplateScope
  ) throws(TemplateSyntaxError) {
    lexer = try TemplateLexer(bytes, from: position)
    self.scope = scope
  }

  /// Parses a text that is one expression, without braces.
  static func expression(
    _ text: String, in scope: TemplateScope
  ) throws(TemplateSyntaxError) -> TemplateExpression {
    var parser = try TemplateParser(Array(text.utf8), in: scope)
    let expression = try parser.expression()
    guard parser.lexer.token == .end else { throw parser.unexpectedToken() }
    return expression
  }

  /// Parses the header of a loop: `list`, or `name in list`.
  mutating func loopHeader() throws(TemplateSyntaxError) -> (
    name: String?, list: TemplateExpression
  ) {
    guard case .name(let name) = lexer.token else { return (nil, try expression()) }
    var ahead = lexer
    try ahead.advance()
    guard ahead.token == .name("in") else { return (nil, try expression()) }
    guard !scope.names.contains(name) || scope.loops.contains(name) else {
      throw lexer.error("the name \"\(name)\" is already in use; choose another one")
    }
    try ahead.advance()
    lexer = ahead
    return (name, try expression())
  }

  // MARK: Expressions

  mutating func expression() throws(TemplateSyntaxError) -> TemplateExpression {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw lexer.error("the expression is nested more than \(Self.maximumDepth) levels deep")
    }
    var left = try conjunction()
    while try takes(.name("or")) {
      try countOperator()
      left = .or(left, try conjunction())
    }
    depth -= 1
    return left
  }

  private mutating func conjunction() throws(TemplateSyntaxError) -> TemplateExpression {
    var left = try negation()
    while try takes(.name("and")) {
      try countOperator()
      left = .and(left, try negation())
    }
    return left
  }

  /// Limits the number of operators of an expression, because its evaluation is recursive.
  private mutating func countOperator() throws(TemplateSyntaxError) {
    operatorCount += 1
    guard operatorCount <= Self.maximumOperatorCount else {
      throw lexer.error("the expression has more than \(Self.maximumOperatorCount) operators")
    }
  }

  private mutating func negation() throws(TemplateSyntaxError) -> TemplateExpression {
    var isNegated = false
    while try takes(.name("not")) { isNegated.toggle() }
    let operand = try comparison()
    return isNegated ? .not(operand) : operand
  }

  private mutating func comparison() throws(TemplateSyntaxError) -> TemplateExpression {
    let left = try sum()
    guard case .symbol(let text) = lexer.token,
      let comparison = TemplateExpression.Comparison(rawValue: text)
    else { return left }
    try lexer.advance()
    return .comparison(comparison, left, try sum())
  }

  private mutating func sum() throws(TemplateSyntaxError) -> TemplateExpression {
    var left = try product()
    while true {
      switch lexer.token {
      case .symbol("+"), .symbol("-"):
        let operation: TemplateExpression.Arithmetic =
          lexer.token == .symbol("+") ? .add : .subtract
        try lexer.advance()
        try countOperator()
        left = .arithmetic(operation, left, try product())
      // The number in `total -1` is negative.
      case .number where lexer.bytes[lexer.offset] == UInt8(ascii: "-"):
        try countOperator()
        left = .arithmetic(.add, left, try product())
      default: return left
      }
    }
  }

  private mutating func product() throws(TemplateSyntaxError) -> TemplateExpression {
    var left = try pipe()
    while case .symbol(let text) = lexer.token, text == "*" || text == "/",
      let operation = TemplateExpression.Arithmetic(rawValue: text)
    {
      try lexer.advance()
      try countOperator()
      left = .arithmetic(operation, left, try pipe())
    }
    return left
  }

  private mutating func pipe() throws(TemplateSyntaxError) -> TemplateExpression {
    var input = try primary()
    while try takes(.symbol("|")) {
      try countOperator()
      let offset = lexer.offset
      guard case .name(let name) = lexer.token else {
        throw lexer.error("expected the name of a filter after \"|\"")
      }
      guard let filter = TemplateFilter(rawValue: name) else {
        throw TemplateSyntaxError(
          unknown: name, "filter", at: offset, among: TemplateFilter.allCases.map(\.rawValue))
      }
      try lexer.advance()
      let arguments = try takes(.symbol("(")) ? try self.arguments(of: []) : []
      guard filter.argumentCount.contains(arguments.count), filter.accepts(arguments) else {
        throw TemplateSyntaxError("expected \(filter.usage)", at: offset)
      }
      input = .filter(filter, input, arguments)
    }
    return input
  }

  private mutating func primary() throws(TemplateSyntaxError) -> TemplateExpression {
    switch lexer.token {
    case .string(let text):
      try lexer.advance()
      return .literal(.string(text))
    case .number(let number):
      try lexer.advance()
      return .literal(number)
    case .symbol("("):
      try lexer.advance()
      let expression = try expression()
      guard try takes(.symbol(")")) else { throw lexer.error("expected \")\"") }
      return try steps().reduce(expression) { value, step in
        switch step {
        case .member(let name): .filter(.get, value, [.literal(.string(name))])
        case .element(let index): .filter(.get, value, [.literal(.int(index))])
        }
      }
    case .name(let name):
      let offset = lexer.offset
      try lexer.advance()
      return try named(name, at: offset)
    default: throw unexpectedToken("expected a value")
    }
  }

  /// Parses the rest of an expression that begins with a name.
  private mutating func named(
    _ name: String, at offset: Int
  ) throws(TemplateSyntaxError) -> TemplateExpression {
    switch name {
    case "true": return .literal(.bool(true))
    case "false": return .literal(.bool(false))
    case "null": return .literal(.null)
    default: break
    }
    if let index = scope.loops.lastIndex(of: name) { return .loop(index, .value, try steps()) }
    if let index = scope.constants.firstIndex(of: name) {
      scope.references?.insert(constant: name)
      return .constant(index, try steps())
    }
    if let member = TemplateExpression.LoopMember(rawValue: name), !scope.loops.isEmpty {
      return .loop(scope.loops.count - 1, member, try steps())
    }
    if let function = TemplateFunction(rawValue: name) { return try call(function, at: offset) }
    if name == "request", lexer.token == .symbol(".") {
      let offset = lexer.position
      return try root(try lexer.memberName(), at: offset)
    }
    return try root(name, at: offset)
  }

  private mutating func root(
    _ name: String, at offset: Int
  ) throws(TemplateSyntaxError) -> TemplateExpression {
    guard let root = TemplateRoot(rawValue: name), root != .response || scope.hasResponse else {
      throw TemplateSyntaxError(unknown: name, "name", at: offset, among: scope.names)
    }
    let memberOffset = lexer.position
    let steps = try steps()
    if root == .resources {
      return try resource(steps, at: steps.isEmpty ? offset : memberOffset)
    }
    if root == .path, case .member(let variable)? = steps.first,
      let variables = scope.pathVariables, !variables.contains(variable)
    {
      throw TemplateSyntaxError(
        unknown: variable, "path variable", at: memberOffset, among: variables)
    }
    if root == .parts, steps.count > 1, case .member(let name) = steps[1],
      !Self.partMembers.contains(name)
    {
      let known = Self.partMembers.joined(separator: ", ")
      throw TemplateSyntaxError(
        "unknown member of a part \"\(name)\"; known are \(known)", at: memberOffset)
    }
    return .root(root, steps)
  }

  private static let partMembers = ["fileName", "contentType", "size", "text"]

  /// Returns the expression for the items of a resource.
  ///
  /// The first step is the path of the resource, and the second one is the id of an item.
  private func resource(
    _ steps: [JSONValuePath.Step], at offset: Int
  ) throws(TemplateSyntaxError) -> TemplateExpression {
    guard case .member(let name)? = steps.first, name.hasPrefix("/") else {
      throw TemplateSyntaxError(
        "expected the path of a resource, such as resources[\"/products\"]", at: offset)
    }
    return .resource(
      try scope.resourcePath(name, at: offset), Array(steps.dropFirst()))
  }

  private mutating func steps() throws(TemplateSyntaxError) -> [JSONValuePath.Step] {
    var steps: [JSONValuePath.Step] = []
    while true {
      if lexer.token == .symbol(".") {
        steps.append(.member(try lexer.memberName()))
      } else if try takes(.symbol("[")) {
        switch lexer.token {
        case .string(let name): steps.append(.member(name))
        case .number(.int(let index)): steps.append(.element(index))
        default: throw lexer.error("expected an index or a name in quotation marks after \"[\"")
        }
        try lexer.advance()
        guard try takes(.symbol("]")) else { throw lexer.error("expected \"]\"") }
      } else {
        return steps
      }
    }
  }

  // MARK: Calls

  private mutating func call(
    _ function: TemplateFunction, at offset: Int
  ) throws(TemplateSyntaxError) -> TemplateExpression {
    guard scope.hasFunctions else {
      throw TemplateSyntaxError(
        "a condition cannot use \(function.rawValue), which generates a value", at: offset)
    }
    let arguments =
      try takes(.symbol("(")) ? try self.arguments(of: function.argumentNames) : []
    if let problem = function.problem(with: arguments) {
      throw TemplateSyntaxError(problem, at: offset)
    }
    return .call(function, arguments, try steps())
  }

  /// Parses arguments after the opening parenthesis.
  ///
  /// A named argument takes the place of its name in `names`; `null` fills omitted places.
  private mutating func arguments(
    of names: [String]
  ) throws(TemplateSyntaxError) -> [TemplateExpression] {
    var arguments: [TemplateExpression] = []
    if try takes(.symbol(")")) { return arguments }
    repeat {
      if case .name(let name) = lexer.token {
        var ahead = lexer
        try ahead.advance()
        if ahead.token == .symbol(":") {
          guard let index = names.firstIndex(of: name) else {
            throw TemplateSyntaxError(
              unknown: name, "argument", at: lexer.offset, among: names)
          }
          guard index >= arguments.count || arguments[index] == .literal(.null) else {
            throw lexer.error("the argument \"\(name)\" occurs twice")
          }
          try ahead.advance()
          lexer = ahead
          while arguments.count <= index { arguments.append(.literal(.null)) }
          arguments[index] = try expression()
          continue
        }
      }
      arguments.append(try expression())
    } while try takes(.symbol(","))
    guard try takes(.symbol(")")) else { throw lexer.error("expected \",\" or \")\"") }
    return arguments
  }

  // MARK: Tokens

  /// Reads a token if it is the next one, and returns whether it is.
  mutating func takes(_ token: TemplateLexer.Token) throws(TemplateSyntaxError) -> Bool {
    guard lexer.token == token else { return false }
    try lexer.advance()
    return true
  }

  /// Returns the error for the next token.
  func unexpectedToken(_ expectation: String = "expected \"}}\"") -> TemplateSyntaxError {
    switch lexer.token {
    case .end:
      lexer.error(
        expectation == "expected a value"
          ? "\(expectation) at the end" : "expected \"}}\", found the end of the text")
    case .name(let name):
      lexer.error(
        "\(expectation), found \"\(name)\"; arguments are written as in counter(\"orders\")")
    case .string, .number:
      lexer.error("\(expectation); arguments are written as in counter(\"orders\")")
    case .symbol(let text): lexer.error("\(expectation), found \"\(text)\"")
    case .close: lexer.error("\(expectation), found \"}}\"")
    }
  }

  /// The maximum depth of an expression, of blocks and of loops.
  static let maximumDepth = 15
  private static let maximumOperatorCount = 128
}
