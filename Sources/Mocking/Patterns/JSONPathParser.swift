import CatenaSystem
import Foundation
import Networking

/// An error in a JSON path.
package struct JSONPathError: Error, Hashable, CustomStringConvertible {
  let reason: String
  /// The position in Unicode scalars, counted from 0.
  let position: Int

  package var description: String { "\(reason) at character \(position + 1)" }
}

/// A parser for the syntax of ``JSONPath``.
struct JSONPathParser {
  /// The limit for the nesting of filters, which bounds the recursion.
  static let maximumDepth = 32
  /// The limit for indexes: the integers that a double holds exactly.
  ///
  /// Source: RFC 9535 section 2.1.
  private static let maximumIndex = (1 << 53) - 1

  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var depth = 0

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  mutating func parse() throws(JSONPathError) -> [JSONPath.Segment] {
    guard skip("$") else { throw error("expected $, as in $.user.name,") }
    var segments: [JSONPath.Segment] = []
    while next != nil {
      if skip("[") {
        segments.append(.init(selectors: try selectors(), isDescendant: false))
        continue
      }
      guard skip(".") else { throw error("expected . or [") }
      let isDescendant = skip(".")
      if isDescendant, skip("[") {
        segments.append(.init(selectors: try selectors(), isDescendant: true))
      } else {
        segments.append(.init(selectors: [try shorthand()], isDescendant: isDescendant))
      }
    }
    return segments
  }

  // MARK: Selectors

  /// Parses a name without quotes, or an asterisk.
  private mutating func shorthand() throws(JSONPathError) -> JSONPath.Selector {
    if skip("*") { return .all }
    let start = position
    let name = word()
    guard let first = name.unicodeScalars.first, !Self.isDigit(first) else {
      throw error("expected the name of a member or *", at: start)
    }
    return .member(name)
  }

  private mutating func selectors() throws(JSONPathError) -> [JSONPath.Selector] {
    var selectors: [JSONPath.Selector] = []
    repeat {
      skipSpace()
      selectors.append(try selector())
      skipSpace()
    } while skip(",")
    guard skip("]") else { throw error("expected ]") }
    return selectors
  }

  private mutating func selector() throws(JSONPathError) -> JSONPath.Selector {
    switch next {
    case "*":
      position += 1
      return .all
    case "'", "\"": return .member(try quotedText())
    case "?":
      position += 1
      return .filter(try alternatives())
    default:
      let start = position
      let first = try integer()
      skipSpace()
      if skip(":") { return try slice(from: first) }
      guard let first else {
        throw error("expected an index, a slice, a name in quotes, ? or *", at: start)
      }
      return .element(first)
    }
  }

  /// Parses the rest of a slice after its first colon.
  private mutating func slice(from start: Int?) throws(JSONPathError) -> JSONPath.Selector {
    skipSpace()
    let end = try integer()
    skipSpace()
    var step: Int?
    if skip(":") {
      skipSpace()
      step = try integer()
    }
    return .slice(start: start, end: end, step: step ?? 1)
  }

  /// Parses an integer, or returns `nil` if there is none.
  private mutating func integer() throws(JSONPathError) -> Int? {
    let start = position
    let isNegative = skip("-")
    let digits = position
    while let scalar = next, Self.isDigit(scalar) { position += 1 }
    if position == start { return nil }
    let text = self.text(from: digits)
    guard let value = Int(text), value <= Self.maximumIndex,
      value > 0 || text == "0" && !isNegative,
      !text.hasPrefix("0") || text == "0"
    else { throw error("expected an index without leading zeros, such as 0 or -1,", at: start) }
    return isNegative ? -value : value
  }

  // MARK: Filters

  private mutating func alternatives() throws(JSONPathError) -> JSONFilter {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else {
      throw error("filters are nested more than \(Self.maximumDepth) levels deep")
    }
    var filters = [try conjunction()]
    while skip("||") { filters.append(try conjunction()) }
    return filters.count == 1 ? filters[0] : .any(filters)
  }

  private mutating func conjunction() throws(JSONPathError) -> JSONFilter {
    var filters: [JSONFilter] = []
    repeat {
      skipSpace()
      filters.append(try test())
      skipSpace()
    } while skip("&&")
    return filters.count == 1 ? filters[0] : .all(filters)
  }

  private mutating func test() throws(JSONPathError) -> JSONFilter {
    let isNegated = next == "!"
    if isNegated {
      position += 1
      skipSpace()
    }
    if skip("(") {
      let filter = try alternatives()
      guard skip(")") else { throw error("expected )") }
      return isNegated ? .not(filter) : filter
    }
    let start = position
    let left = try operand()
    skipSpace()
    let operatorStart = position
    guard let comparison = JSONFilter.Comparison.allCases.first(where: { skip($0.rawValue) }) else {
      if next == "=" { throw error("the operator is unknown; use ==", at: operatorStart) }
      guard case .path = left else { throw error("expected a comparison, such as ==,") }
      return isNegated ? .not(.exists(left)) : .exists(left)
    }
    if isNegated { throw error("a comparison after ! needs parentheses", at: start) }
    if next == "~" || next == "=" { throw error("the operator is unknown", at: operatorStart) }
    skipSpace()
    return .compare(left, comparison, try operand())
  }

  private mutating func operand() throws(JSONPathError) -> JSONFilter.Operand {
    let start = position
    switch next {
    case "@":
      position += 1
      return .path(try singularPath())
    case "'", "\"": return .literal(.string(try quotedText()))
    case "$": throw error("only paths that begin with @ are supported in a filter")
    default: break
    }
    let text = word(orAny: ["+", "."])
    switch text {
    case "true": return .literal(true)
    case "false": return .literal(false)
    case "null": return .literal(.null)
    case "": throw error("expected a path such as @.name, or a literal")
    default: break
    }
    if next == "(" { throw error("functions are not supported", at: start) }
    guard let first = text.unicodeScalars.first, Self.isDigit(first) || first == "-",
      let number = try? JSON(parsing: Data(text.utf8)), number.double != nil
    else { throw error("expected a path such as @.name, or a literal", at: start) }
    return .literal(number)
  }

  /// Parses members and elements, each of which is at most one value.
  private mutating func singularPath() throws(JSONPathError) -> [JSONPath.Selector] {
    var steps: [JSONPath.Selector] = []
    while next == "." || next == "[" {
      let start = position
      let selector: JSONPath.Selector
      if skip(".") {
        selector = try shorthand()
      } else {
        position += 1
        let selectors = try selectors()
        guard selectors.count == 1 else { throw notSingular(at: start) }
        selector = selectors[0]
      }
      switch selector {
      case .member, .element: steps.append(selector)
      case .all, .slice, .filter: throw notSingular(at: start)
      }
    }
    return steps
  }

  private func notSingular(at start: Int) -> JSONPathError {
    error("a path in a filter leads to one value, such as @.name or @.list[0],", at: start)
  }

  // MARK: Texts

  /// Parses the letters, digits and other characters of names without quotes.
  ///
  /// A hyphen is one of them, which RFC 9535 permits only in quotes.
  private mutating func word(orAny others: [Unicode.Scalar] = []) -> String {
    let start = position
    while let scalar = next,
      !scalar.isASCII || UInt8(truncatingIfNeeded: scalar.value).isASCIIAlphanumeric
        || scalar == "_" || scalar == "-" || others.contains(scalar)
    {
      position += 1
    }
    return text(from: start)
  }

  private mutating func quotedText() throws(JSONPathError) -> String {
    let start = position
    let quote = scalars[position]
    position += 1
    var text = ""
    while let scalar = next {
      position += 1
      if scalar == quote { return text }
      text.unicodeScalars.append(scalar == "\\" ? try escaped(in: quote) : scalar)
    }
    throw error("a name without a closing quotation mark", at: start)
  }

  /// Parses the rest of an escape.
  private mutating func escaped(in quote: Unicode.Scalar) throws(JSONPathError) -> Unicode.Scalar {
    let start = position - 1
    guard let scalar = next else { throw error("expected an escape", at: start) }
    position += 1
    switch scalar {
    case quote, "\\", "/": return scalar
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      var unit = hexadecimalUnit()
      if let high = unit, (0xD800..<0xDC00).contains(high), skip("\\u"),
        let low = hexadecimalUnit(), (0xDC00..<0xE000).contains(low)
      {
        unit = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
      }
      if let unit, let scalar = Unicode.Scalar(unit) { return scalar }
      throw error("expected four hexadecimal digits of a Unicode scalar", at: start)
    default: throw error("the escape \\\(scalar) is unknown", at: start)
    }
  }

  private mutating func hexadecimalUnit() -> UInt32? {
    var (unit, count): (UInt32, Int) = (0, 0)
    while count < 4, let digit = next.flatMap({ UInt8(exactly: $0.value) })?.hexDigitValue {
      (unit, count) = (unit << 4 | UInt32(digit), count + 1)
      position += 1
    }
    return count == 4 ? unit : nil
  }

  // MARK: Scalars

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private func text(from start: Int) -> String {
    String(String.UnicodeScalarView(scalars[start..<position]))
  }

  private mutating func skipSpace() {
    while let scalar = next, [" ", "\t", "\n", "\r"].contains(scalar) { position += 1 }
  }

  private var next: Unicode.Scalar? {
    position < scalars.count ? scalars[position] : nil
  }

  /// Skips a text, and returns whether it was next.
  private mutating func skip(_ text: String) -> Bool {
    guard scalars[position...].starts(with: text.unicodeScalars) else { return false }
    position += text.unicodeScalars.count
    return true
  }

  private func error(_ reason: String, at position: Int? = nil) -> JSONPathError {
    JSONPathError(reason: reason, position: position ?? self.position)
  }
}
