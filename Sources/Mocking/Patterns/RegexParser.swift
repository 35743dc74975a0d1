import CatenaSystem
import Networking

/// A parser for regular expressions in the syntax of ``RegularExpression``.
package struct RegexParser {
  private struct Flags {
    var ignoresCase = false
    var dotMatchesLineBreaks = false
    var anchorsMatchLines = false
  }

  /// The limit for the nesting of groups, which bounds the recursion.
  static let maximumDepth = 40
  /// The limit for the length of an expression in scalars.
  package static let maximumLength = 10_000
  private static let maximumRepetition = 1_000

  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var flags = Flags()
  private var depth = 0

  /// Parses an expression.
  ///
  /// - Throws: ``RegexError`` for the first error.
  package static func parse(_ text: String) throws(RegexError) -> RegexNode {
    var parser = RegexParser(scalars: try scalars(of: text))
    let node = try parser.alternatives()
    guard parser.next == nil else { throw parser.error("a ) without a (") }
    return node
  }

  /// Returns the scalars of an expression.
  ///
  /// - Throws: ``RegexError`` if it is too long.
  package static func scalars(of text: String) throws(RegexError) -> [Unicode.Scalar] {
    let scalars = text.unicodeScalars.prefix(maximumLength + 1)
    guard scalars.count <= maximumLength else {
      throw RegexError(reason: "the expression is longer than \(maximumLength) characters")
    }
    return Array(scalars)
  }

  private init(scalars: [Unicode.Scalar]) {
    self.scalars = scalars
  }

  // MARK: Structure

  private mutating func alternatives() throws(RegexError) -> RegexNode {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw error("groups are nested more than \(Self.maximumDepth) levels deep")
    }
    // A flag that is set in a group ends with the group.
    let outerFlags = flags
    defer {
      flags = outerFlags
      depth -= 1
    }
    var nodes = [try sequence()]
    while skip("|") { nodes.append(try sequence()) }
    return nodes.count == 1 ? nodes[0] : .alternatives(nodes)
  }

  private mutating func sequence() throws(RegexError) -> RegexNode {
    var nodes: [RegexNode] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      let node = try atom()
      nodes.append(try repeated(node))
    }
    return nodes.count == 1 ? nodes[0] : .sequence(nodes)
  }

  private mutating func atom() throws(RegexError) -> RegexNode {
    let start = position
    guard let scalar = take() else { return .empty }
    switch scalar {
    case "(": return try group(at: start)
    case "[": return .set(try set(at: start))
    case ".": return .set(flags.dotMatchesLineBreaks ? .all : .notLineBreaks)
    case "^": return .anchor(flags.anchorsMatchLines ? .startOfLine : .start)
    case "$": return .anchor(flags.anchorsMatchLines ? .endOfLine : .end)
    case "\\": return try escape(at: start)
    case "*", "+", "?": throw error("\(scalar) has nothing to repeat", at: start)
    case "{":
      position = start
      guard try repetition() == nil else { throw error("{ has nothing to repeat", at: start) }
      position = start + 1
      return literal(scalar)
    default: return literal(scalar)
    }
  }

  private func literal(_ scalar: Unicode.Scalar) -> RegexNode {
    guard flags.ignoresCase, scalar.caseForms.contains(where: { $0 != scalar }) else {
      return .scalar(scalar)
    }
    return .set(ScalarSet([.range(scalar...scalar)], ignoresCase: true))
  }

  private mutating func group(at start: Int) throws(RegexError) -> RegexNode {
    if skip("?") {
      switch take() {
      case ":": break
      case "<" where next != "=" && next != "!": try skipName(at: start)
      case "P" where skip("<"): try skipName(at: start)
      case "=", "!", "<": throw error("look-around is not supported", at: start)
      case ">": throw error("an atomic group is not supported", at: start)
      case "#": throw error("a comment is not supported", at: start)
      case "-", "i", "m", "s":
        position -= 1
        let outerFlags = flags
        try setFlags(at: start)
        if skip(")") { return .empty }
        guard skip(":") else { throw error("expected ) or : after flags") }
        let node = try alternatives()
        flags = outerFlags
        try close(start)
        return node
      default: throw error("this kind of group is not supported", at: start)
      }
    }
    let node = try alternatives()
    try close(start)
    return node
  }

  private mutating func close(_ start: Int) throws(RegexError) {
    guard skip(")") else { throw error("a ( without a )", at: start) }
  }

  private mutating func skipName(at start: Int) throws(RegexError) {
    let nameStart = position
    while let scalar = next, ScalarSet.word.contains(scalar) { position += 1 }
    guard position > nameStart, skip(">") else {
      throw error("the name of the group is malformed", at: start)
    }
  }

  private mutating func setFlags(at start: Int) throws(RegexError) {
    var isOn = true
    while let scalar = next, scalar != ")", scalar != ":" {
      switch scalar {
      case "-" where isOn: isOn = false
      case "i": flags.ignoresCase = isOn
      case "s": flags.dotMatchesLineBreaks = isOn
      case "m": flags.anchorsMatchLines = isOn
      default: throw error("the flag \(scalar) is not supported")
      }
      position += 1
    }
  }

  // MARK: Repetitions

  private mutating func repeated(_ node: RegexNode) throws(RegexError) -> RegexNode {
    let start = position
    guard let (least, most) = try repetition() else { return node }
    // A lazy repetition prefers shorter matches, and matches the same texts.
    _ = skip("?")
    if next == "+" { throw error("a possessive repetition is not supported") }
    let end = position
    guard try repetition() == nil else {
      throw error("a repetition follows a repetition; use a group", at: end)
    }
    if let most, most < least {
      throw error("the maximum of the repetition is less than its minimum", at: start)
    }
    return .repetition(node, least: least, most: most)
  }

  /// Parses a repetition, or returns `nil` if there is none at the position.
  private mutating func repetition() throws(RegexError) -> (least: Int, most: Int?)? {
    if skip("*") { return (0, nil) }
    if skip("+") { return (1, nil) }
    if skip("?") { return (0, 1) }
    let start = position
    guard skip("{") else { return nil }
    let least = try number()
    let hasComma = skip(",")
    let most = hasComma ? try number() : least
    guard skip("}"), least != nil || most != nil else {
      // A brace that is not part of a repetition is a literal.
      position = start
      return nil
    }
    return (least ?? 0, most)
  }

  private mutating func number() throws(RegexError) -> Int? {
    let start = position
    var number = 0
    while let scalar = next, ("0"..."9").contains(scalar) {
      position += 1
      number = number * 10 + Int(scalar.value - 48)
      guard number <= Self.maximumRepetition else {
        throw error("a repetition is limited to \(Self.maximumRepetition)", at: start)
      }
    }
    return position > start ? number : nil
  }

  // MARK: Classes

  private mutating func set(at start: Int) throws(RegexError) -> ScalarSet {
    var items: [ScalarSet.Item] = []
    let isNegated = skip("^")
    let first = position
    while true {
      guard let scalar = next else { throw error("a [ without a ]", at: start) }
      // A bracket at the first position is a literal.
      if scalar == "]", position > first { break }
      if scalar == "[" {
        items += try posixClass()
        continue
      }
      if ["&", "-", "~"].contains(scalar), following == scalar {
        throw error("set operations are not supported; escape \(scalar)")
      }
      let itemStart = position
      let item = try setItem()
      guard next == "-", let end = following, end != "]" else {
        items.append(item)
        continue
      }
      position += 1
      guard case .range(let lower) = item, case .range(let upper) = try setItem(),
        lower.lowerBound <= upper.lowerBound
      else { throw error("the range is malformed", at: itemStart) }
      items.append(.range(lower.lowerBound...upper.lowerBound))
    }
    position += 1
    return ScalarSet(items, isNegated: isNegated, ignoresCase: flags.ignoresCase)
  }

  private mutating func setItem() throws(RegexError) -> ScalarSet.Item {
    let start = position
    guard let scalar = take() else { throw error("a [ without a ]", at: start) }
    guard scalar == "\\" else { return .range(scalar...scalar) }
    if let item = try classEscape() { return item }
    let escaped = try scalarEscape(at: start)
    return .range(escaped...escaped)
  }

  private mutating func posixClass() throws(RegexError) -> [ScalarSet.Item] {
    let start = position
    position += 1
    guard skip(":") else {
      throw error("a class in a class is not supported; escape [", at: start)
    }
    var name = ""
    while let scalar = next, scalar.isASCII, scalar.properties.isAlphabetic {
      position += 1
      name.unicodeScalars.append(scalar)
    }
    guard skip(":"), skip("]"), let items = ScalarSet.items(ofPOSIXClass: name) else {
      throw error("the POSIX class is unknown", at: start)
    }
    return items
  }

  // MARK: Escapes

  private mutating func escape(at start: Int) throws(RegexError) -> RegexNode {
    if let item = try classEscape() {
      return .set(ScalarSet([item], ignoresCase: flags.ignoresCase))
    }
    let anchors: [Unicode.Scalar: RegexNode.Anchor] = [
      "A": .start, "z": .end, "b": .wordBoundary, "B": .noWordBoundary,
    ]
    if let anchor = next.flatMap({ anchors[$0] }) {
      position += 1
      return .anchor(anchor)
    }
    return literal(try scalarEscape(at: start))
  }

  /// Parses the rest of an escape such as `\d` or `\p{Lu}`, or returns `nil` for other escapes.
  private mutating func classEscape() throws(RegexError) -> ScalarSet.Item? {
    guard let scalar = next else { return nil }
    let start = position - 1
    position += 1
    switch scalar {
    case "d": return .property(.digit)
    case "D": return .noProperty(.digit)
    case "w": return .property(.word)
    case "W": return .noProperty(.word)
    case "s": return .property(.whitespace)
    case "S": return .noProperty(.whitespace)
    case "p", "P":
      guard skip("{") else { throw error("expected { after \\\(scalar)", at: start) }
      var name = ""
      while let scalar = next, scalar != "}" {
        position += 1
        name.unicodeScalars.append(scalar)
      }
      guard skip("}"), let categories = ScalarSet.categories(named: name) else {
        throw error("expected a general category, such as \\p{L} or \\p{Lu},", at: start)
      }
      return scalar == "p"
        ? .property(.categories(categories)) : .noProperty(.categories(categories))
    default:
      position -= 1
      return nil
    }
  }

  private mutating func scalarEscape(at start: Int) throws(RegexError) -> Unicode.Scalar {
    guard let scalar = take() else { throw error("a \\ at the end", at: start) }
    switch scalar {
    case "t": return "\t"
    case "n": return "\n"
    case "r": return "\r"
    case "f": return "\u{C}"
    case "a": return "\u{7}"
    case "e": return "\u{1B}"
    case "x": return try hexadecimal(digits: 2, at: start)
    case "u": return try hexadecimal(digits: 4, at: start)
    case "k", "1"..."9": throw error("a back-reference is not supported", at: start)
    default:
      guard !scalar.isASCII || !scalar.properties.isAlphabetic, scalar != "0" else {
        throw error("the escape \\\(scalar) is not supported", at: start)
      }
      return scalar
    }
  }

  /// Parses hexadecimal digits: a fixed number of them, or any number in braces.
  private mutating func hexadecimal(digits: Int, at start: Int) throws(RegexError) -> Unicode.Scalar
  {
    let isBraced = skip("{")
    var (value, count): (UInt32, Int) = (0, 0)
    while let scalar = next, isBraced || count < digits, count < 8,
      let digit = UInt8(exactly: scalar.value)?.hexDigitValue
    {
      position += 1
      (value, count) = (value << 4 | UInt32(digit), count + 1)
    }
    guard isBraced ? skip("}") && count > 0 : count == digits, let scalar = Unicode.Scalar(value)
    else { throw error("expected the hexadecimal digits of a Unicode scalar", at: start) }
    return scalar
  }

  // MARK: Scalars

  private var next: Unicode.Scalar? {
    position < scalars.count ? scalars[position] : nil
  }

  private var following: Unicode.Scalar? {
    position + 1 < scalars.count ? scalars[position + 1] : nil
  }

  private mutating func take() -> Unicode.Scalar? {
    guard let next else { return nil }
    position += 1
    return next
  }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  private func error(_ reason: String, at position: Int? = nil) -> RegexError {
    RegexError(reason: reason, position: position ?? self.position)
  }
}
