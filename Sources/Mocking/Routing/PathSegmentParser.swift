import CatenaSystem

/// A parser of one segment of a path template.
enum PathSegmentParser {
  /// A segment and the pattern that the value of its variable must match.
  struct Parsed {
    let segment: PathTemplate.Segment
    var constraint: TextPattern?
  }

  static func parse(_ part: Substring) throws(PathSegmentError) -> Parsed {
    if part.contains(where: { "{}".contains($0) }) {
      // Braces in parentheses belong to the expression of `:name(...)`.
      return part.hasPrefix(":") ? try colonVariable(part) : try bracedVariable(part)
    }
    if part == "**" { return Parsed(segment: .rest("**")) }
    if part.hasPrefix(":"), part.dropFirst().first.map(isNameStart) == true {
      return try colonVariable(part)
    }
    guard !part.contains("?"), !part.contains("#") else {
      throw query
    }
    guard !part.contains("*") else {
      throw """
      \(part) is ambiguous: write {name} for one segment, {name*} for all remaining ones, and %2A \
      for an asterisk
      """
    }
    if let name = name(in: part, "<", ">") ?? name(in: part, "[", "]") {
      throw "\(part) is not a variable; write {\(name)}, or encode the brackets"
    }
    guard let literal = PercentEncoding.decode(part) else {
      throw "a % is not followed by two hexadecimal digits"
    }
    return Parsed(segment: .literal(literal))
  }

  /// Parses `{name}`, `{name*}` and the spellings of other tools.
  private static func bracedVariable(_ part: Substring) throws(PathSegmentError) -> Parsed {
    var name = part.dropFirst().dropLast()
    var isRest = false
    let malformed: PathSegmentError =
      "\(part) is not a variable; a variable is a whole segment, {name} or {name*}"
    guard part.hasPrefix("{"), part.hasSuffix("}"), part.count > 2 else {
      let end = part.lastIndex(of: "}") ?? part.startIndex
      guard !part[end...].contains(where: { "?#".contains($0) }) else { throw query }
      throw malformed
    }
    if let colon = name.firstIndex(of: ":") {
      let (constrained, expression) = (name[..<colon], name[name.index(after: colon)...])
      guard isName(constrained), isBalanced(expression) else { throw malformed }
      return try constrainedVariable(constrained, expression)
    }
    for prefix in ["**", "*", "+"] where !isRest && name.hasPrefix(prefix) {
      name = name.dropFirst(prefix.count)
      isRest = true
    }
    for suffix in ["*", "..."] where !isRest && name.hasSuffix(suffix) {
      name = name.dropLast(suffix.count)
      isRest = true
    }
    if name.hasSuffix("?") {
      throw "\(part) is optional; write two routes, one with the segment and one without it"
    }
    guard isName(name) else { throw malformed }
    return Parsed(segment: isRest ? .rest(String(name)) : .variable(String(name)))
  }

  /// Parses `:name`, `:name*` and `:name(expression)`.
  private static func colonVariable(_ part: Substring) throws(PathSegmentError) -> Parsed {
    let name = part.dropFirst().prefix { isNameStart($0) || $0.isNumber }
    let suffix = part.dropFirst(1 + name.count)
    if suffix.isEmpty { return Parsed(segment: .variable(String(name))) }
    if suffix == "*" { return Parsed(segment: .rest(String(name))) }
    if suffix == "?" {
      throw "\(part) is optional; write two routes, one with {\(name)} and one without it"
    }
    if suffix.hasPrefix("("), suffix.hasSuffix(")"), !name.isEmpty {
      return try constrainedVariable(name, suffix.dropFirst().dropLast())
    }
    throw """
    \(part) is not a variable; a variable is a whole segment, such as {\(name)}, and %3A is a colon
    """
  }

  /// Returns a variable whose value must match a regular expression as a whole.
  private static func constrainedVariable(
    _ name: Substring, _ expression: Substring
  ) throws(PathSegmentError) -> Parsed {
    if [".*", ".+"].contains(expression) {
      throw """
      {\(name):\(expression)} is ambiguous: write {\(name)} for one segment, or {\(name)*} for all \
      remaining ones
      """
    }
    guard expression.contains(where: { !$0.isLetter }) else {
      throw """
      {\(name):\(expression)} has a type that is not supported; write {\(name)}, or a regular \
      expression, such as {\(name):[0-9]+}
      """
    }
    let pattern = TextPattern.matching("^(?:\(expression))$")
    if case .invalidPattern(_, let reason)? = pattern.validationError {
      throw "the regular expression /\(expression)/ is malformed: \(reason)"
    }
    return Parsed(segment: .variable(String(name)), constraint: pattern)
  }

  private static let query: PathSegmentError =
    "it contains a query or a fragment; use conditions for the query"

  // MARK: Characters

  private static func isNameStart(_ character: Character) -> Bool {
    character.isLetter || character == "_"
  }

  private static func isName(_ name: Substring) -> Bool {
    !name.isEmpty && !name.contains { "{}*".contains($0) }
  }

  private static func isBalanced(_ expression: Substring) -> Bool {
    var depth = 0
    for character in expression {
      if character == "{" { depth += 1 }
      if character == "}" { depth -= 1 }
      if depth < 0 { return false }
    }
    return depth == 0 && !expression.isEmpty
  }

  /// Returns the name in a segment such as `<id>` or `<int:id>`.
  private static func name(
    in part: Substring, _ opening: String, _ closing: String
  ) -> Substring? {
    guard part.hasPrefix(opening), part.hasSuffix(closing) else { return nil }
    let name = part.dropFirst().dropLast()
    let last = name.split(separator: ":").last ?? ""
    return isName(last) ? last : nil
  }
}

/// The reason why a segment of a path template is malformed.
struct PathSegmentError: Error, ExpressibleByStringInterpolation {
  let reason: String

  init(stringLiteral value: String) { reason = value }
}
