import Networking

/// A path that selects values in a JSON text, in a subset of JSONPath.
///
/// | syntax | selects |
/// |---|---|
/// | `$` | the root |
/// | `.name`, `['name']`, `["name"]` | a member of an object |
/// | `[0]`, `[-1]` | an element of an array, counted from its start or from its end |
/// | `.*`, `[*]` | all members or elements |
/// | `..name`, `..*`, `..[0]` | the same at any depth |
/// | `[0, 'name']` | the values of several selectors |
///
/// Slices and filters are errors. A search visits each value at most once, so its time is at most
/// proportional to the size of the JSON value times the number of segments.
///
/// Source: RFC 9535 section 2.
struct JSONPath: Sendable, Hashable {
  /// A part of a segment in brackets.
  enum Selector: Sendable, Hashable {
    case member(String)
    /// An index; a negative one counts from the end.
    case element(Int)
    case all
  }

  struct Segment: Sendable, Hashable {
    let selectors: [Selector]
    /// Whether the segment applies to the values at any depth.
    let isDescendant: Bool
  }

  /// The limit for the number of segments, which are the bits of a word.
  static let maximumSegmentCount = 60

  /// The path as written.
  let text: String
  let segments: [Segment]

  /// Parses a path.
  ///
  /// - Throws: ``JSONPathError`` for the first error.
  init(_ text: String) throws(JSONPathError) {
    self.text = text
    var parser = JSONPathParser(text)
    segments = try parser.parse()
    guard segments.count <= Self.maximumSegmentCount else {
      throw JSONPathError(
        reason: "the path has more than \(Self.maximumSegmentCount) segments", position: 0)
    }
  }

  /// The names of the members in the path.
  var names: [String] {
    segments.flatMap(\.selectors).compactMap { selector in
      if case .member(let name) = selector { name } else { nil }
    }
  }

  /// Returns the selected values in the order of the text, the members of objects by name.
  ///
  /// - Parameters:
  ///   - json: The root.
  ///   - limit: The maximum number of values.
  /// - Returns: The values.
  func values(in json: JSON, limit: Int = .max) -> [JSON] {
    var values: [JSON] = []
    guard limit > 0 else { return [] }
    _ = search(json, 1, isSorted: true) { value in
      values.append(value)
      return values.count >= limit
    }
    return values
  }

  /// Returns whether a selected value satisfies a condition.
  func contains(in json: JSON, where isWanted: (_ value: JSON) -> Bool) -> Bool {
    search(json, 1, isSorted: false, isWanted)
  }

  /// Searches a value and the values in it.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - states: The numbers of segments, as bits, after which the path leads to the value.
  ///   - isSorted: Whether members are visited in the order of their names.
  ///   - isWanted: A closure that receives the selected values, and ends the search with `true`.
  /// - Returns: Whether the closure has ended the search.
  private func search(
    _ value: JSON, _ states: UInt64, isSorted: Bool, _ isWanted: (JSON) -> Bool
  ) -> Bool {
    if states >> UInt64(segments.count) & 1 == 1, isWanted(value) { return true }
    switch value {
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        let next = next(states) { selector in
          switch selector {
          case .element(let wanted): wanted == index || wanted == index - elements.count
          case .all: true
          case .member: false
          }
        }
        if next != 0, search(element, next, isSorted: isSorted, isWanted) { return true }
      }
    case .dictionary(let members):
      for (name, member) in isSorted ? members.sorted(by: { $0.key < $1.key }) : Array(members) {
        let next = next(states) { selector in
          switch selector {
          case .member(let wanted): wanted == name
          case .all: true
          case .element: false
          }
        }
        if next != 0, search(member, next, isSorted: isSorted, isWanted) { return true }
      }
    case .null, .bool, .int, .decimal, .double, .string: break
    }
    return false
  }

  /// Returns the states of a child of a value.
  private func next(_ states: UInt64, _ selects: (Selector) -> Bool) -> UInt64 {
    var next: UInt64 = 0
    for (index, segment) in segments.enumerated() where states >> UInt64(index) & 1 == 1 {
      if segment.isDescendant { next |= 1 << UInt64(index) }
      if segment.selectors.contains(where: selects) { next |= 1 << UInt64(index + 1) }
    }
    return next
  }
}

/// An error in a JSON path.
struct JSONPathError: Error, Hashable, CustomStringConvertible {
  let reason: String
  /// The position in Unicode scalars, counted from 0.
  let position: Int

  var description: String { "\(reason) at character \(position + 1)" }
}

/// A parser for the syntax of ``JSONPath``.
private struct JSONPathParser {
  private let scalars: [Unicode.Scalar]
  private var position = 0

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

  /// Parses a name without quotes, or an asterisk.
  private mutating func shorthand() throws(JSONPathError) -> JSONPath.Selector {
    if skip("*") { return .all }
    let start = position
    var name = ""
    while let scalar = next, Self.isNameScalar(scalar) {
      position += 1
      name.unicodeScalars.append(scalar)
    }
    guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else {
      throw error("expected the name of a member or *", at: start)
    }
    return .member(name)
  }

  /// Returns whether a scalar may be in a name without quotes.
  ///
  /// A hyphen may, which RFC 9535 permits only in quotes.
  private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isASCII || scalar == "_" || scalar == "-"
      || UInt8(truncatingIfNeeded: scalar.value).isASCIIAlphanumeric
  }

  private mutating func selectors() throws(JSONPathError) -> [JSONPath.Selector] {
    var selectors: [JSONPath.Selector] = []
    repeat {
      skipSpace()
      selectors.append(try selector())
      skipSpace()
    } while skip(",")
    guard skip("]") else {
      throw error(next == ":" ? "slices are not supported" : "expected ]")
    }
    return selectors
  }

  private mutating func selector() throws(JSONPathError) -> JSONPath.Selector {
    switch next {
    case "*":
      position += 1
      return .all
    case "'", "\"": return .member(try quotedName())
    case "?": throw error("filters are not supported")
    case ":": throw error("slices are not supported")
    default:
      let start = position
      var text = skip("-") ? "-" : ""
      while let scalar = next, ("0"..."9").contains(scalar) {
        position += 1
        text.unicodeScalars.append(scalar)
      }
      guard let index = Int(text) else {
        throw error("expected an index, a name in quotes or *", at: start)
      }
      return .element(index)
    }
  }

  private mutating func quotedName() throws(JSONPathError) -> String {
    let start = position
    let quote = scalars[position]
    position += 1
    var name = ""
    while let scalar = next {
      position += 1
      if scalar == quote { return name }
      if scalar == "\\" {
        guard let escaped = next, escaped == quote || escaped == "\\" || escaped == "/" else {
          throw error("expected an escaped quotation mark or backslash")
        }
        position += 1
        name.unicodeScalars.append(escaped)
      } else {
        name.unicodeScalars.append(scalar)
      }
    }
    throw error("a name without a closing quotation mark", at: start)
  }

  private mutating func skipSpace() {
    while let scalar = next, scalar == " " || scalar == "\t" { position += 1 }
  }

  private var next: Unicode.Scalar? {
    position < scalars.count ? scalars[position] : nil
  }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  private func error(_ reason: String, at position: Int? = nil) -> JSONPathError {
    JSONPathError(reason: reason, position: position ?? self.position)
  }
}
